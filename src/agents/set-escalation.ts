import { Type } from '../lib/schema.ts';
import { LONGEST_WAIT } from '../words/ladder-wait.ts';
import type { ApiTask } from './api-task.ts';
import { changeTask } from './change-task.ts';
import { type Agent, defineTool, IDEMPOTENT_CHANGE } from './define-tool.ts';
import { readLadder, setLadder } from './set-ladder.ts';
import { ToolFailure } from './tool-failure.ts';
import { taskFields, taskId, text, tool, words } from './tool-schemas.ts';

const { mode, break_quiet_hours, lead_time_days } = taskFields;

export const setEscalation = defineTool({
  name: 'set_escalation',
  title: 'Set how a task reminds',
  description:
    'Changes how a task reminds; what is left out stays. A change of mode starts the ladder again. Needs tasks:write.',
  annotations: IDEMPOTENT_CHANGE,
  input: tool({
    task_id: taskId,
    mode,
    preset: Type.Optional(text(60, "default, gentle, persistent, daily, medication, or the user's own ladder.")),
    every_minutes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LONGEST_WAIT, description: 'Or a wait, until done.' }),
    ),
    break_quiet_hours,
    lead_time_days,
    clear: Type.Optional(Type.Array(words(['lead_time_days', 'preset'], 'No longer set.'), { maxItems: 2 })),
  }),
  async run(agent, { task_id, clear = [], preset, every_minutes, ...set }) {
    const given = await readLadder(agent, preset, every_minutes);
    const choice = given ?? (clear.includes('preset') ? null : undefined);
    const payload = { ...set, ...(clear.includes('lead_time_days') && { lead_time_days: null }) };
    const hasFields = Object.keys(payload).length > 0;
    if (!hasFields && choice === undefined) {
      throw new ToolFailure(
        'invalid_input',
        'Give at least one of mode, preset, every_minutes, break_quiet_hours and lead_time_days',
      );
    }
    return changeTask(
      agent,
      task_id,
      payload,
      () => 'Set: ',
      async (task) => ({
        task,
        ...(choice !== undefined && (await setLadderOf(agent, task, choice, hasFields))),
      }),
    );
  },
});

/** What was changed before stays, so a refusal says so. */
async function setLadderOf(agent: Agent, { id }: ApiTask, choice: object | null, isAfterOther: boolean) {
  try {
    return await setLadder(agent, id, choice);
  } catch (error) {
    if (!(error instanceof ToolFailure) || !isAfterOther) throw error;
    const sentence = `${error.message.replace(/\.?$/, '.')} Everything but the ladder was set.`;
    throw new ToolFailure(error.code, sentence, error.retryAfterSeconds, error.missingScope);
  }
}
