import { Type } from '../lib/schema.ts';
import { TaskUpdate } from '../tasks/tasks.schemas.ts';
import { taskPath } from './api.ts';
import { defineTool, IDEMPOTENT_CHANGE } from './define-tool.ts';
import { type ApiTask, taskAnswer, taskAnswerSchema } from './task-view.ts';
import { ToolFailure } from './tool-failure.ts';
import { orNull, taskId, withDescription } from './tool-schemas.ts';

const input = Type.Object(
  {
    task_id: taskId,
    mode: Type.Optional(
      withDescription(
        TaskUpdate.properties.mode,
        'escalate: keeps reminding, ever stronger, until dealt with. notify_once: one reminder when due.',
      ),
    ),
    break_quiet_hours: Type.Optional(
      Type.Boolean({ description: 'Must not be missed: reminds in quiet hours, and in a pause that allows it.' }),
    ),
    lead_time_days: Type.Optional(
      orNull(
        Type.Integer({
          minimum: 0,
          maximum: 30,
          description: 'A heads-up this many days before it is due; null: none.',
        }),
      ),
    ),
  },
  { additionalProperties: false },
);

export const setEscalation = defineTool({
  name: 'set_escalation',
  title: 'Set how a task reminds',
  description:
    'Changes how insistently a task reminds: whether it escalates or notifies once, whether it breaks quiet hours, and ' +
    'how early its heads-up comes. What is left out stays. Use it when the user finds a task too insistent or not ' +
    'insistent enough; to be reminded later, use snooze_task. A change of mode starts its ladder again. Returns the ' +
    'task and says when the next reminder comes. Needs the scope tasks:write.',
  annotations: IDEMPOTENT_CHANGE,
  input,
  output: taskAnswerSchema,
  async run(agent, { task_id, ...payload }) {
    if (Object.keys(payload).length === 0) {
      throw new ToolFailure('invalid_input', 'Give at least one of mode, break_quiet_hours and lead_time_days');
    }
    const { data } = await agent.api<ApiTask>({ method: 'PATCH', url: taskPath(task_id), payload });
    return taskAnswer('Set: ', data, agent);
  },
});
