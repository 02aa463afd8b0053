/** Lists show the end of each id, which costs a model a quarter of the tokens. Every tool takes it back. */
import { endOfId, isEndOfId } from '../lib/ids.ts';
import { type Agent, readTasks } from './define-tool.ts';
import { quotedTitle } from './task-view.ts';
import { ToolFailure } from './tool-failure.ts';

/** As many as a call may name. */
const MOST_IDS = 50;

/** An end that no task has stays as it is: it may be a title. */
export async function withWholeIds(agent: Agent, input: unknown): Promise<unknown> {
  const { task_id, task_ids } = { ...(input as { task_id?: unknown; task_ids?: unknown }) };
  const ends = [task_id, task_ids]
    .flat()
    .filter((id): id is string => typeof id === 'string' && isEndOfId(id))
    .slice(0, MOST_IDS);
  if (ends.length === 0 || !agent.canRead) return input;
  const tasks = Map.groupBy((await readTasks(agent, [...new Set(ends)])).values(), ({ id }) => endOfId(id));
  const whole = (id: unknown): unknown => {
    const [task, ...others] = (typeof id === 'string' && tasks.get(id.toLowerCase())) || [];
    if (!task || others.length === 0) return task?.id ?? id;
    const named = [task, ...others].map((one) => `${quotedTitle(one)} is ${one.id}`).join('; ');
    throw new ToolFailure('invalid_input', `task_id: several ids end in ${id}. ${named}`);
  };
  return {
    ...(input as object),
    ...(task_id !== undefined && { task_id: whole(task_id) }),
    ...(Array.isArray(task_ids) && { task_ids: task_ids.map(whole) }),
  };
}
