import { Type } from '../lib/schema.ts';
import { taskPath } from './api.ts';
import { DESTRUCTIVE_CHANGE, defineTool } from './define-tool.ts';
import { type ApiTask, taskAnswer, taskAnswerSchema } from './task-view.ts';
import { occurrenceDueAt, taskId } from './tool-schemas.ts';

export const completeTask = defineTool({
  name: 'complete_task',
  title: 'Complete a task',
  description:
    'Marks a task as done, which ends its reminders. Use it only when the user says that it is done. A repeating task ' +
    'moves on to its next occurrence and stays open. Completing a task that is already done changes nothing. Returns ' +
    'the task and says when the next reminder comes, if any. Needs the scope tasks:write.',
  annotations: DESTRUCTIVE_CHANGE,
  input: Type.Object(
    { task_id: taskId, occurrence_due_at: Type.Optional(occurrenceDueAt) },
    { additionalProperties: false },
  ),
  output: taskAnswerSchema,
  async run(agent, { task_id, ...payload }) {
    const { data } = await agent.api<ApiTask>({ method: 'POST', url: taskPath(task_id, '/complete'), payload });
    const movedOn = data.status === 'open' ? 'Done; the task moves on to its next occurrence: ' : 'Done: ';
    return taskAnswer(movedOn, data, agent);
  },
});
