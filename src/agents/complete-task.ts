import { Type } from '../lib/schema.ts';
import { taskPath } from './api.ts';
import { answerWith, CHANGE, DESTRUCTIVE_CHANGE, defineTool, readTasks } from './define-tool.ts';
import { occurrenceText } from './due-input.ts';
import type { ApiTask } from './task-view.ts';
import { occurrenceDueAt, taskId, tool } from './tool-schemas.ts';

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
    'Undoes the last done, skipped or dropped of a task, within 24 hours; its reminders start again. Needs tasks:write.',
  annotations: CHANGE,
  input: tool({ task_id: taskId }),
  async run(agent, { task_id }) {
    const before = (await readTasks(agent, [task_id.toLowerCase()])).get(task_id.toLowerCase());
    const { data } = await agent.api<ApiTask>({ method: 'POST', url: taskPath(task_id, '/reopen') });
    const isUnchanged = before && UNDONE.every((name) => before[name] === data[name]);
    return answerWith(agent, isUnchanged ? 'Nothing to undo, it is unchanged: ' : 'Reopened: ', data);
  },
});
