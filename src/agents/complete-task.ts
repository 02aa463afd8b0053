import { Type } from '../lib/schema.ts';
import { failureOf, taskPath } from './api.ts';
import type { ApiTask } from './api-task.ts';
import {
  type Agent,
  answerWith,
  CHANGE,
  DESTRUCTIVE_CHANGE,
  defineTool,
  listAnswer,
  readTasks,
} from './define-tool.ts';
import { occurrenceText } from './due-input.ts';
import { shown } from './shown-text.ts';
import { present, shownDue, timeFields, writtenBy } from './task-view.ts';
import { explainFailure, ToolFailure } from './tool-failure.ts';
import { flag, occurrenceDueAt, taskId, tool } from './tool-schemas.ts';

export const completeTask = defineTool({
  name: 'complete_task',
  title: 'Complete a task',
  description:
    'Marks a task as done, which ends its reminders; a repeating task moves on to its next occurrence. Use it only when ' +
    'the user says that it is done. Needs tasks:write.',
  annotations: DESTRUCTIVE_CHANGE,
  input: tool({ task_id: taskId, occurrence_due_at: Type.Optional(occurrenceDueAt) }),
  async run(agent, { task_id, occurrence_due_at: due }) {
    const payload = due === undefined ? {} : { occurrence_due_at: occurrenceText(due) };
    const { data } = await agent.api<ApiTask>({ method: 'POST', url: taskPath(task_id, '/complete'), payload });
    return answerWith(agent, data.status === 'open' ? 'Done; it moves on to its next occurrence: ' : 'Done: ', data);
  },
});

/** An undo changes at least one of these. */
const UNDONE = ['status', 'due_at', 'completed_at', 'skipped_at'] as const;

export const reopenTask = defineTool({
  name: 'reopen_task',
  title: 'Reopen a task',
  description:
    'Undoes the last done, skipped or dropped of a task, within 24 hours, so that its reminders start again; or a whole ' +
    'close_tasks; or the last change of a task. Needs tasks:write.',
  annotations: CHANGE,
  input: tool({
    task_id: Type.Optional(taskId),
    undo: Type.Optional(Type.String({ format: 'uuid', description: 'Instead: undo of an answer of close_tasks.' })),
    last_change: Type.Optional(flag('Puts back what the last update_task or set_escalation replaced.')),
  }),
  async run(agent, { task_id, undo, last_change = false }) {
    if ((task_id === undefined) === (undo === undefined))
      throw new ToolFailure('invalid_input', 'Give either task_id, or undo of an answer of close_tasks');
    if (task_id === undefined) return undoBatch(agent, undo ?? '');
    if (last_change) return putBack(agent, task_id);
    const before = (await readTasks(agent, [task_id.toLowerCase()])).get(task_id.toLowerCase());
    const { data } = await agent.api<ApiTask>({ method: 'POST', url: taskPath(task_id, '/reopen') });
    const isUnchanged = before && UNDONE.every((name) => before[name] === data[name]);
    return answerWith(agent, isUnchanged ? 'Nothing to undo, it is unchanged: ' : 'Reopened: ', data);
  },
});

interface BatchAnswer {
  readonly results: readonly { readonly task_id: string; readonly error: string | null }[];
}

/** Takes back what close_tasks did to each task, unless somebody has done something to it since. */
async function undoBatch(agent: Agent, id: string) {
  const { data } = await agent.api<BatchAnswer>({ method: 'POST', url: `/v1/batches/${id}/undo` });
  const found = await readTasks(
    agent,
    data.results.map(({ task_id }) => task_id),
  );
  const rows = data.results.map(({ task_id, error }) => {
    const task = found.get(task_id);
    return present({
      id: task_id,
      title: task && shown(task.title, 60),
      by: task && writtenBy(task, 'title'),
      due_at: task && error === null ? shownDue(task, agent) : null,
      error: error === null ? null : explainFailure(failureOf(error), agent),
    });
  });
  const failed = data.results.filter(({ error }) => error !== null).length;
  const counts = { ...timeFields(agent), reopened: rows.length - failed, failed };
  return { text: listAnswer(counts, 'results', rows), isError: failed === rows.length };
}

interface ApiEntry {
  readonly id: string;
  readonly fields: readonly string[];
  readonly before: object | null;
}

const ENTRIES_PER_PAGE = 200;
/** Each page is a call, and a task that repeats its nudges for months has thousands of entries. */
const MOST_PAGES = 10;

async function putBack(agent: Agent, task_id: string) {
  const entry = await findLastChange(agent, task_id);
  if (!entry) throw new ToolFailure('nothing_to_restore', 'The task has no change of the last 90 days to put back.');
  const url = taskPath(task_id, `/timeline/${entry.id}/restore`);
  const { data: task } = await agent.api<ApiTask>({ method: 'POST', url });
  return answerWith(agent, `Put back ${entry.fields.join(', ')}: `, task);
}

/** The nudges since then stand before it. */
async function findLastChange(agent: Agent, task_id: string): Promise<ApiEntry | undefined> {
  const query = new URLSearchParams({ limit: String(ENTRIES_PER_PAGE) });
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { data, headers } = await agent.api<ApiEntry[]>({ url: taskPath(task_id, `/timeline?${query}`) });
    const entry = data.find(({ before }) => before !== null);
    const next = headers['x-next-cursor'];
    if (entry || typeof next !== 'string') return entry;
    query.set('cursor', next);
  }
  return undefined;
}
