import type { Static } from 'typebox';
import { Type } from '../lib/schema.ts';
import { failureOf } from './api.ts';
import type { ApiTask } from './api-task.ts';
import type { BulkChange } from './consent-codes.ts';
import { type Agent, DESTRUCTIVE_CHANGE, defineTool, listAnswer, readTasks } from './define-tool.ts';
import { shown } from './shown-text.ts';
import { listedTask, present, quotedTitle, shownDue, timeFields, writtenBy } from './task-view.ts';
import { explainFailure, ToolFailure } from './tool-failure.ts';
import { text, tool, words } from './tool-schemas.ts';

const WAYS = ['done', 'skipped', 'dropped'] as const;
const MOST_AT_ONCE = 50;
const MOST_NAMED = 10;

const input = tool({
  task_ids: Type.Array(Type.String({ format: 'uuid' }), {
    minItems: 1,
    maxItems: MOST_AT_ONCE,
    description: 'Ids of tasks.',
  }),
  as: words(WAYS, 'done; skipped: this time not done; dropped: cancelled for good, with all repetitions.'),
  code: Type.Optional(text(300, 'From the dry run of this call.')),
});

export const closeTasks = defineTool({
  name: 'close_tasks',
  title: 'Close tasks',
  description:
    'Closes up to 50 tasks as done, skipped or dropped; of a repeating task, done and skipped close the present ' +
    'occurrence. Dropping, or more than one task, only shows what it would do and gives a code: call again with it ' +
    'once the user agrees. reopen_task takes all of it back. Returns JSON with a result for each. Needs tasks:write.',
  annotations: DESTRUCTIVE_CHANGE,
  input,
  async run(agent, { task_ids, as, code }) {
    const ids = [...new Set(task_ids.map((id) => id.toLowerCase()))];
    const found = await readTasks(agent, ids);
    const closing = { agent, ids, found, as };
    if (code !== undefined) return closeWith(closing, code);
    if (as !== 'dropped' && ids.length === 1) return close(closing, ids);
    const { ask: asked } = agent;
    if (asked?.answer === 'no')
      return { text: JSON.stringify({ closed: 0, why: 'The user did not agree. Nothing changed.' }) };
    // Without the code of its question, nobody has been asked about these tasks.
    if (asked?.answer === 'yes' && changedSince(closing, asked.code)) return closeWith(closing, asked.code ?? '');
    const fresh = agent.codes.make(changeOf(closing), agent.now);
    return asked
      ? { text: '', question: { words: questionOf(closing), code: fresh } }
      : { text: dryRun(closing, fresh) };
  },
});

interface Closing {
  readonly agent: Agent;
  readonly ids: readonly string[];
  /** Empty for a token that cannot read. */
  readonly found: ReadonlyMap<string, ApiTask>;
  readonly as: Static<typeof input>['as'];
}

/** A task that was renamed, moved, closed or reopened since the dry run is another one than the user agreed to. */
const stateOf = (task: ApiTask | undefined): string =>
  task ? JSON.stringify([task.status, task.accepted_by_owner, task.due_at, task.title]) : '';

const changeOf = ({ agent, ids, found, as }: Closing): BulkChange => ({
  caller: agent.caller,
  action: `close as ${as}`,
  states: new Map(ids.map((id) => [id, stateOf(found.get(id))])),
});

const changedSince = (closing: Closing, code = ''): string[] | undefined =>
  closing.agent.codes.read(code, changeOf(closing), closing.agent.now);

async function closeWith(closing: Closing, code: string) {
  const changed = changedSince(closing, code);
  if (!changed) throw new ToolFailure('invalid_input', NOT_THE_CODE);
  const rest = closing.ids.filter((id) => !changed.includes(id));
  return close(closing, rest, changed, code);
}

const NOT_THE_CODE =
  'code: it is not from a dry run of exactly these tasks and this way, by this connection, in the last 10 minutes. ' +
  'Nothing changed: call again without code, and show the user what it says';
const CODE_WAS_USED = 'code: it was used already. Nothing changed: call again without code for a new one';

interface BatchAnswer {
  readonly batch_id: string;
  readonly results: readonly {
    readonly task_id: string;
    readonly task: Pick<ApiTask, 'status' | 'due_at' | 'has_time'> | null;
    readonly error: string | null;
  }[];
}

async function close(closing: Closing, ids: readonly string[], changed: readonly string[] = [], code?: string) {
  const { agent, found, as } = closing;
  const left = changed.map((id) => leftOut(found.get(id), id, agent));
  const rest = left.length === 0 ? {} : { left_out: left };
  if (ids.length === 0)
    return { text: JSON.stringify({ ...timeFields(agent), as, closed: 0, ...rest }), isError: true };
  const { batch_id, results } = await sendBatch(closing, ids, code);
  const rows = results.map((result) => resultRow(result, closing));
  const failed = results.filter(({ error }) => error !== null).length;
  const counts = { as, closed: ids.length - failed, failed, ...(failed < ids.length && { undo: batch_id }) };
  return {
    text: listAnswer({ ...timeFields(agent), ...counts, ...rest }, 'results', rows),
    isError: failed === ids.length,
  };
}

/** The occurrence of each is named, so that none closes that the answer before did not show. */
async function sendBatch({ agent, found, as }: Closing, ids: readonly string[], code?: string): Promise<BatchAnswer> {
  const tasks = ids.map((id) => {
    const task = found.get(id);
    return task && as !== 'dropped' ? { id, occurrence_due_at: task.due_at } : { id };
  });
  const idempotencyKey = code && `bulk ${code}`;
  try {
    const request = { method: 'POST', url: '/v1/batches', payload: { as, tasks }, idempotencyKey } as const;
    const { data, headers } = await agent.api<BatchAnswer>(request);
    if (headers['idempotent-replayed'] === undefined) return data;
  } catch (error) {
    const isUsed = error instanceof ToolFailure && /^idempotency_key/.test(error.code);
    if (!isUsed) throw error;
  }
  throw new ToolFailure('invalid_input', CODE_WAS_USED);
}

function resultRow(
  { task_id: id, task, error }: BatchAnswer['results'][number],
  { agent, found, as }: Closing,
): object {
  if (!task) return { id, error: explainFailure(failureOf(error ?? ''), agent) };
  const known = found.get(id);
  return present({
    id,
    title: known && shown(known.title, 60),
    by: known && writtenBy(known, 'title'),
    result: as,
    next_due_at: task.status === 'open' ? shownDue(task, agent) : null,
  });
}

const leftOut = (task: ApiTask | undefined, id: string, agent: Agent): object =>
  task
    ? { ...listedTask(task, agent), why: 'It changed since the dry run: it is shown as it is now.' }
    : { id, why: 'It is gone since the dry run.' };

function questionOf({ ids, found, as }: Closing): string {
  const titles = [...found.values()].slice(0, MOST_NAMED).map(quotedTitle);
  const more = ids.length > titles.length ? ` and ${ids.length - titles.length} more` : '';
  const named = titles.length === 0 ? '' : `: ${titles.join(', ')}${more}`;
  return `Mark ${ids.length} task${ids.length === 1 ? '' : 's'} as ${as}${named}?`;
}

function dryRun({ agent, ids, found, as }: Closing, code: string): string {
  const missing = agent.canRead ? ids.filter((id) => !found.has(id)) : [];
  const fields = {
    ...timeFields(agent),
    dry_run: true,
    as,
    code,
    next: 'Nothing changed yet. Once the user agrees to this, call again with the code, within 10 minutes.',
    ...(missing.length > 0 && { not_found: missing }),
  };
  return listAnswer(
    fields,
    'would_close',
    [...found.values()].map((task) => listedTask(task, agent)),
  );
}
