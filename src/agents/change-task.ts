/** Changes one task, and answers with it and with what the change replaced: nothing is replaced in silence. */
import { taskPath } from './api.ts';
import type { ApiTask } from './api-task.ts';
import { type Agent, readAhead, readTasks, withNote } from './define-tool.ts';
import { firstOffRule } from './series-start.ts';
import { ruleInWords } from './shown-rule.ts';
import { quoted } from './shown-text.ts';
import { dueInWords, summarizeTask, writtenBy } from './task-view.ts';

type Before = Partial<ApiTask>;

interface Edited {
  readonly task: ApiTask;
  readonly before: Before;
}

interface Finished {
  readonly task: ApiTask;
  /** What the further change replaced, in words. */
  readonly replaced?: string;
}

/** `finish` makes a further change that belongs to this one. */
export async function changeTask(
  agent: Agent,
  taskId: string,
  payload: object,
  prefix: (task: ApiTask) => string,
  finish: (task: ApiTask) => Finished | Promise<Finished> = (task) => ({ task }),
) {
  const id = taskId.toLowerCase();
  const old = (await readTasks(agent, [id])).get(id);
  const { data } = await agent.api<Edited>({ method: 'POST', url: taskPath(id, '/edit'), payload });
  const finished = await finish(data.task);
  const { task, note } = await readAhead(agent, finished.task);
  const isChanged = Object.keys(data.before).length > 0 || finished.replaced !== undefined;
  const start = isChanged ? prefix(task) : 'Nothing changed: ';
  const isSeriesChanged = 'recurrence' in payload || 'due_at' in payload;
  const text = `${start}${summarizeTask(task, agent)}${beforeInWords(data.before, task, old, agent, finished.replaced)}`;
  const onRule = withNote({ text }, isSeriesChanged ? firstOffRule(task, agent.zone) : undefined);
  return withNote(onRule, note);
}

const MOST_IN_NOTES = 200;

type Words = (before: Before, task: ApiTask, old: ApiTask | undefined, agent: Agent) => string;

/** A text of another person is marked as theirs. Whose it was is unknown to a token that cannot read. */
function replacedText(name: 'title' | 'notes' | 'kind', value: string, old: ApiTask | undefined): string {
  const isKnown = old?.[name]?.startsWith(value.slice(0, MOST_IN_NOTES)) === true;
  const writer = isKnown ? writtenBy(old, name) : 'unknown';
  return `${name} ${quoted(value, MOST_IN_NOTES)}${writer === null ? '' : ` by ${writer}`}`;
}

const dueBefore: Words = (before, task, _old, agent) => {
  const { due_at = task.due_at, has_time = task.has_time } = before;
  return dueInWords({ due_at, has_time }, agent)
    .replace(/\.$/, '')
    .replace(/^[DN]/, (letter) => letter.toLowerCase());
};

const WORDS: Readonly<Record<string, Words>> = {
  title: ({ title = '' }, _task, old) => replacedText('title', title, old),
  notes: ({ notes }, _task, old) => (notes == null || notes === '' ? 'no notes' : replacedText('notes', notes, old)),
  kind: ({ kind = '' }, _task, old) => replacedText('kind', kind, old),
  due_at: dueBefore,
  has_time: (before, ...rest) => ('due_at' in before ? '' : dueBefore(before, ...rest)),
  recurrence: ({ recurrence }) =>
    recurrence == null ? 'no repetition' : `repeated ${ruleInWords(recurrence) ?? 'by a rule that is not understood'}`,
  mode: ({ mode }) => `mode ${mode}`,
  lead_time_days: ({ lead_time_days }) => (lead_time_days == null ? 'no heads-up' : `lead_time_days ${lead_time_days}`),
  break_quiet_hours: ({ break_quiet_hours }) => `break_quiet_hours ${break_quiet_hours}`,
  space_id: ({ space_id }, _task, old) => {
    if (space_id == null) return 'no space';
    const writer = old?.space_name == null ? null : writtenBy(old, 'space');
    return `space ${quoted(old?.space_name ?? space_id, 60)}${writer === null ? '' : ` by ${writer.replace('space: ', '')}`}`;
  },
};

function beforeInWords(before: Before, task: ApiTask, old: ApiTask | undefined, agent: Agent, replaced = ''): string {
  const parts = [...Object.keys(before).map((name) => WORDS[name]?.(before, task, old, agent) ?? ''), replaced];
  const words = parts.filter((part) => part !== '');
  return words.length === 0 ? '' : ` Before: ${words.join('; ')}.`;
}
