import type { Static } from 'typebox';
import { nextTurn } from '../lib/next-turn.ts';
import { Type } from '../lib/schema.ts';
import { taskPath } from './api.ts';
import { type Agent, DESTRUCTIVE_CHANGE, defineTool, listAnswer, readTasks } from './define-tool.ts';
import { shown } from './shown-text.ts';
import { type ApiTask, listedTask, present, quotedTitle, timeFields, writtenBy } from './task-view.ts';
import { explainFailure, ToolFailure } from './tool-failure.ts';
import { flag, tool, words } from './tool-schemas.ts';

const ACTIONS = { done: '/complete', skipped: '/skip', dropped: '/drop' } as const;
const WAYS = ['done', 'skipped', 'dropped'] as const;
const MOST_AT_ONCE = 50;
/** A mistake with more tasks than this, or with a task that ends for good, is too much to undo by hand. */
const MOST_UNASKED = 5;
const MOST_NAMED = 10;

const input = tool({
  task_ids: Type.Array(Type.String({ format: 'uuid' }), {
    minItems: 1,
    maxItems: MOST_AT_ONCE,
    description: 'Ids of tasks.',
  }),
  as: words(WAYS, 'done; skipped: this time not done; dropped: cancelled for good, with all repetitions.'),
  confirm: Type.Optional(flag('The user has agreed to what the dry run showed.')),
});

export const closeTasks = defineTool({
  name: 'close_tasks',
  title: 'Close tasks',
  description:
    'Closes up to 50 tasks as done, skipped or dropped; of a repeating task, done and skipped close the present ' +
    'occurrence. Dropping, or more than 5 tasks, needs the consent of the user: without confirm it only shows what it ' +
    'would do. Returns JSON with a result for each. Needs tasks:write.',
  annotations: DESTRUCTIVE_CHANGE,
  input,
  async run(agent, { task_ids, as, confirm = false }) {
    const ids = [...new Set(task_ids.map((id) => id.toLowerCase()))];
    const needsConsent = as === 'dropped' || ids.length > MOST_UNASKED;
    const found = await readTasks(agent, ids);
    if (needsConsent && !confirm) {
      const tasks = [...found.values()];
      const answer = agent.ask?.(questionOf(tasks, ids, as));
      if (answer === 'unasked') return { text: '', question: questionOf(tasks, ids, as) };
      if (answer === 'no')
        return { text: JSON.stringify({ closed: 0, why: 'The user did not agree. Nothing changed.' }) };
      if (answer !== 'yes') return { text: dryRun(agent, tasks, ids, as) };
    }
    return close(agent, ids, found, as);
  },
});

type Way = Static<typeof input>['as'];

function questionOf(tasks: readonly ApiTask[], ids: readonly string[], as: Way): string {
  const titles = tasks.slice(0, MOST_NAMED).map(quotedTitle);
  const more = ids.length > titles.length ? ` and ${ids.length - titles.length} more` : '';
  const named = titles.length === 0 ? '' : `: ${titles.join(', ')}${more}`;
  return `Mark ${ids.length} task${ids.length === 1 ? '' : 's'} as ${as}${named}?`;
}

function dryRun(agent: Agent, tasks: readonly ApiTask[], ids: readonly string[], as: Way): string {
  const known = new Set(tasks.map(({ id }) => id));
  const fields = {
    ...timeFields(agent),
    dry_run: true,
    as,
    next: 'Nothing has changed. Show this to the user; if the user agrees, call again with confirm: true.',
    ...(agent.canRead && { not_found: ids.filter((id) => !known.has(id)) }),
  };
  return listAnswer(
    fields,
    'would_close',
    tasks.map((task) => listedTask(task, agent)),
  );
}

async function close(agent: Agent, ids: readonly string[], found: ReadonlyMap<string, ApiTask>, as: Way) {
  const results: object[] = [];
  for (const id of ids) {
    results.push({ id, ...(await tryClose(agent, id, found.get(id), as)) });
    await nextTurn();
  }
  const failed = results.filter((result) => 'error' in result).length;
  const fields = { ...timeFields(agent), as, closed: ids.length - failed, failed };
  return { text: listAnswer(fields, 'results', results), isError: failed === ids.length };
}

async function tryClose(agent: Agent, id: string, found: ApiTask | undefined, as: Way): Promise<object> {
  try {
    const { data } = await agent.api<ApiTask>({ method: 'POST', url: taskPath(id, ACTIONS[as]), payload: {} });
    const next = data.status === 'open' ? listedTask(data, agent).due_at : null;
    const by = writtenBy(found ?? data, 'title');
    return present({ title: shown(data.title, 60), by, result: as, next_due_at: next });
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { error: explainFailure(error, agent) };
  }
}
