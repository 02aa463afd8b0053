import type { Static } from 'typebox';
import { Type } from '../lib/schema.ts';
import { parseRule } from '../recurrence/parse-rule.ts';
import type { ApiTask } from './api-task.ts';
import { changeTask } from './change-task.ts';
import { type Agent, answerWith, CHANGE, defineTool, readTasks } from './define-tool.ts';
import { dateTimeText, instantText, isBareDate, readDue } from './due-input.ts';
import { checkMayRing, ringAnyway } from './held.ts';
import { type Recurrence, readRecurrence } from './recurrence-input.ts';
import { refuseEarlyEnd } from './series-start.ts';
import { chooseStandIn, standInChoice } from './stand-ins.ts';
import { ToolFailure } from './tool-failure.ts';
import { spaceId, taskFields, taskId, text, tool, words } from './tool-schemas.ts';

const { title, due_at: _, ...fields } = taskFields;
const CLEARABLE = ['notes', 'due_at', 'recurrence', 'lead_time_days', 'space_id'] as const;

const input = tool({
  task_id: taskId,
  title: Type.Optional(title),
  due_at: Type.Optional({ ...taskFields.due_at, description: 'The new date. Alone it keeps the time of day.' }),
  scope: Type.Optional(words(['occurrence', 'series'], 'What due_at moves: this occurrence (default), or all.')),
  ...fields,
  notes: Type.Optional(text(10_000, 'Replaces the notes.')),
  append_notes: Type.Optional(text(10_000, 'Instead: adds to the notes.')),
  space_id: Type.Optional(spaceId),
  stand_in: Type.Optional(standInChoice),
  clear: Type.Optional(Type.Array(words(CLEARABLE, ''), { maxItems: 5, description: 'What to remove.' })),
});

type Update = Static<typeof input>;

export const updateTask = defineTool({
  name: 'update_task',
  title: 'Change a task',
  description:
    'Changes a task; what is left out or null stays, and the answer says what was before. due_at moves only this ' +
    'occurrence of a repeating task, unless scope is series. Needs tasks:write.',
  annotations: CHANGE,
  input,
  async run(agent, update) {
    const { task_id, ring_anyway, stand_in } = update;
    if (ring_anyway) checkMayRing(agent);
    const patch = patchOf(agent, update);
    const move = patch.due_at === undefined ? moveOf(agent, update) : undefined;
    const payload = { ...patch, ...(move && { move }) };
    if (Object.keys(payload).length > 0) {
      if (isSeriesChange(patch)) await refuseEarlyEndOf(agent, task_id, patch);
      const start = ({ recurrence }: ApiTask) =>
        move && recurrence ? 'Moved this occurrence; later ones follow the rule: ' : 'Changed: ';
      return changeTask(agent, task_id, payload, start, async (task) => ({
        task: ring_anyway ? await ringAnyway(agent, task) : task,
        ...(stand_in && { replaced: await chooseStandIn(agent, task_id, stand_in) }),
      }));
    }
    if (!ring_anyway && !stand_in) throw new ToolFailure('invalid_input', 'Give at least one change');
    const chosen = stand_in ? `${await chooseStandIn(agent, task_id, stand_in)}. ` : '';
    const task = await findTask(agent, task_id);
    return answerWith(agent, `Changed: ${chosen}`, ring_anyway ? await ringAnyway(agent, task) : task);
  },
});

/** The task, for a token that may read it. Another one names the date again, so that the change answers with the task. */
async function findTask(agent: Agent, id: string): Promise<ApiTask> {
  const task = (await readTasks(agent, [id])).get(id);
  if (task) return task;
  if (agent.canRead) throw new ToolFailure('not_found', 'There is no such task.');
  throw new ToolFailure('invalid_input', 'ring_anyway: give due_at too');
}

const isSeriesChange = ({ recurrence, due_at }: Record<string, unknown>) =>
  recurrence !== undefined || due_at !== undefined;

const hasEnd = (recurrence: unknown): boolean =>
  recurrence != null && parseRule(recurrence as Recurrence)?.until != null;

/** The rule or its first date may be one that the task has already. */
async function refuseEarlyEndOf(agent: Agent, id: string, patch: Record<string, unknown>): Promise<void> {
  const stored = (await readTasks(agent, [id.toLowerCase()])).get(id.toLowerCase());
  const { due_at, ...changes } = patch;
  if (!agent.canRead && due_at === undefined && hasEnd(patch.recurrence))
    throw new ToolFailure('invalid_input', 'recurrence.until: this token cannot read the first date: give due_at too');
  const due = typeof due_at === 'string' ? { due_at: instantText(due_at, agent) } : {};
  refuseEarlyEnd({ due_at: null, has_time: true, ...stored, ...changes, ...due }, agent.zone);
}

/** Includes the due date only if the whole series changes: its rule changes, or its time of day is added or removed. */
function patchOf(agent: Agent, update: Update): Record<string, unknown> {
  const {
    task_id: _id,
    due_at,
    has_time,
    scope,
    allow_past: _past,
    ring_anyway: _rings,
    stand_in: _stand_in,
    recurrence,
    clear = [],
    ...plain
  } = update;
  refuseBoth(update);
  const rule = recurrence === undefined ? undefined : readRecurrence(recurrence);
  const patch: Record<string, unknown> = { ...plain };
  for (const name of clear) {
    if (name in update) throw new ToolFailure('invalid_input', `clear: ${name} is set in the same call`);
    patch[name] = null;
  }
  if (recurrence !== undefined) patch.recurrence = rule?.recurrence ?? null;
  const isSeries = scope === 'series' || recurrence !== undefined || has_time !== undefined;
  const isCleared = clear.includes('recurrence');
  if (due_at !== undefined && (isSeries || isCleared)) return { ...patch, ...readDue(update, agent, rule) };
  return has_time === undefined ? patch : { ...patch, has_time };
}

/** Which of the two is meant is for the user to say. */
function refuseBoth({ notes, append_notes, clear }: Update): void {
  if (append_notes === undefined) return;
  if (append_notes === '') throw new ToolFailure('invalid_input', 'append_notes: it is empty');
  if (notes !== undefined || clear?.includes('notes'))
    throw new ToolFailure('invalid_input', 'append_notes: the same call replaces the notes; give one of the two');
}

function moveOf(agent: Agent, update: Update): object | undefined {
  const { due_at } = update;
  if (due_at === undefined) return undefined;
  if (due_at.trim() === '') throw new ToolFailure('invalid_input', 'due_at: it is empty; clear: ["due_at"] removes it');
  const due = readDue(update, agent);
  return isBareDate(due_at) ? { due_at: due?.due_at, date_only: true } : { due_at: dateTimeText(due_at) };
}
