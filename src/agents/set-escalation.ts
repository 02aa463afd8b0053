import { Type } from '../lib/schema.ts';
import { LONGEST_WAIT } from '../words/ladder-wait.ts';
import type { ApiTask } from './api-task.ts';
import { changeTask } from './change-task.ts';
import { type Agent, defineTool, IDEMPOTENT_CHANGE } from './define-tool.ts';
import { setHeadsUps } from './set-heads-ups.ts';
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
    heads_up_minutes: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1, maximum: 1_440 }), {
        maxItems: 5,
        description: 'The same in minutes; [] for none.',
      }),
    ),
    clear: Type.Optional(Type.Array(words(['lead_time_days', 'preset'], 'No longer set.'), { maxItems: 2 })),
  }),
  async run(agent, { task_id, clear = [], preset, every_minutes, heads_up_minutes, ...set }) {
    const given = await readLadder(agent, preset, every_minutes);
    const choice = given ?? (clear.includes('preset') ? null : undefined);
    const payload = { ...set, ...(clear.includes('lead_time_days') && { lead_time_days: null }) };
    const hasFields = Object.keys(payload).length > 0;
    if (!hasFields && choice === undefined && heads_up_minutes === undefined) {
      throw new ToolFailure(
        'invalid_input',
        'Give at least one of mode, preset, every_minutes, break_quiet_hours, lead_time_days and heads_up_minutes',
      );
    }
    return changeTask(
      agent,
      task_id,
      payload,
      () => 'Set: ',
      async (task) => {
        const headsUps = heads_up_minutes && (await setHeadsUps(agent, task.id, heads_up_minutes));
        const isAfterOther = hasFields || headsUps !== undefined;
        const ladder = choice === undefined ? undefined : await setLadderOf(agent, task, choice, isAfterOther);
        const replaced = [headsUps?.replaced, ladder?.replaced].filter((words) => words !== undefined).join('; ');
        return {
          task: { ...task, ...(headsUps && { heads_ups: headsUps.heads_ups }) },
          ...(replaced !== '' && { replaced }),
        };
      },
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
