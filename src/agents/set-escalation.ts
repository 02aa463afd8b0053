import { Type } from '../lib/schema.ts';
import { taskPath } from './api.ts';
import { answerWith, defineTool, IDEMPOTENT_CHANGE } from './define-tool.ts';
import type { ApiTask } from './task-view.ts';
import { ToolFailure } from './tool-failure.ts';
import { taskFields, taskId, tool, words } from './tool-schemas.ts';

const { mode, break_quiet_hours, lead_time_days } = taskFields;

export const setEscalation = defineTool({
  name: 'set_escalation',
  title: 'Set how a task reminds',
  description:
    'Changes how insistently a task reminds; what is left out stays. A change of mode starts the ladder again. To be ' +
    'reminded later, use snooze_task. Needs tasks:write.',
  annotations: IDEMPOTENT_CHANGE,
  input: tool({
    task_id: taskId,
    mode,
    break_quiet_hours,
    lead_time_days,
    clear: Type.Optional(Type.Array(words(['lead_time_days'], 'No heads-up.'), { maxItems: 1 })),
  }),
  async run(agent, { task_id, clear = [], ...set }) {
    const payload = { ...set, ...Object.fromEntries(clear.map((name) => [name, null])) };
    if (Object.keys(payload).length === 0) {
      throw new ToolFailure('invalid_input', 'Give at least one of mode, break_quiet_hours and lead_time_days');
    }
    const { data } = await agent.api<ApiTask>({ method: 'PATCH', url: taskPath(task_id), payload });
    return answerWith(agent, 'Set: ', data);
  },
});
