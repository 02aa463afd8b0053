import type { Static } from 'typebox';
import { Type } from '../lib/schema.ts';
import { taskPath } from './api.ts';
import { type Agent, defineTool, IDEMPOTENT_CHANGE, readBack } from './define-tool.ts';
import { dateTimeText, isBareDate, readDue } from './due-input.ts';
import { readRecurrence } from './recurrence-input.ts';
import { type ApiTask, taskAnswer } from './task-view.ts';
import { ToolFailure } from './tool-failure.ts';
import { spaceId, taskFields, taskId, tool, words } from './tool-schemas.ts';

const { title, due_at: _, ...fields } = taskFields;
const CLEARABLE = ['notes', 'due_at', 'recurrence', 'lead_time_days', 'space_id'] as const;

const input = tool({
  task_id: taskId,
  title: Type.Optional(title),
  due_at: Type.Optional({ ...taskFields.due_at, description: 'The new due date. A date alone keeps the time of day.' }),
  scope: Type.Optional(
    words(['occurrence', 'series'], 'Of a repeating task, what due_at moves: this occurrence (default), or all.'),
  ),
  ...fields,
  space_id: Type.Optional(spaceId),
  clear: Type.Optional(
    Type.Array(words(CLEARABLE, ''), { maxItems: 5, description: 'What to remove, e.g. ["due_at"].' }),
  ),
});

type Update = Static<typeof input>;

export const updateTask = defineTool({
  name: 'update_task',
  title: 'Change a task',
  description:
    'Changes a task; what is left out or null stays. due_at moves only this occurrence of a repeating task: later ones ' +
    'follow its rule, unless scope is series. Needs tasks:write.',
  annotations: IDEMPOTENT_CHANGE,
  input,
  async run(agent, update) {
    const { task_id } = update;
    const patch = patchOf(agent, update);
    const move = patch.due_at === undefined ? moveOf(agent, update) : undefined;
    if (Object.keys(patch).length === 0 && !move) throw new ToolFailure('invalid_input', 'Give at least one change');
    let changed: ApiTask | undefined;
    if (Object.keys(patch).length > 0) {
      changed = (await agent.api<ApiTask>({ method: 'PATCH', url: taskPath(task_id), payload: patch })).data;
    }
    if (move)
      changed = (await agent.api<ApiTask>({ method: 'POST', url: taskPath(task_id, '/move'), payload: move })).data;
    const task = await readBack(agent, changed as ApiTask);
    const isOneOfMany = move && task.recurrence;
    return taskAnswer(isOneOfMany ? 'Moved this occurrence; later ones follow the rule: ' : 'Changed: ', task, agent);
  },
});

/** Includes the due date only if the whole series changes: its rule changes, or its time of day is added or removed. */
function patchOf(agent: Agent, update: Update): Record<string, unknown> {
  const { task_id: _id, due_at, has_time, scope, allow_past: _past, recurrence, clear = [], ...plain } = update;
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

function moveOf(agent: Agent, update: Update): object | undefined {
  const { due_at } = update;
  if (due_at === undefined) return undefined;
  if (due_at.trim() === '') throw new ToolFailure('invalid_input', 'due_at: it is empty; clear: ["due_at"] removes it');
  const due = readDue(update, agent);
  return isBareDate(due_at) ? { due_at: due?.due_at, date_only: true } : { due_at: dateTimeText(due_at) };
}
