/** Who may see a task, by the model. */
import type { ModelTask } from './model/task.ts';
import type { World } from './world.ts';

export function relationOf(world: World, viewer: string, task: ModelTask): 'owner' | 'assigner' | 'member' | undefined {
  if (task.owner === viewer) return 'owner';
  const members = task.space === null ? undefined : world.spaces.get(task.space);
  const areMembers = members?.has(viewer) && members.has(task.owner);
  if (task.assigner === viewer) return task.space === null || areMembers ? 'assigner' : undefined;
  return task.isAccepted && areMembers ? 'member' : undefined;
}

export const visibleTasks = (world: World, viewer: string): ModelTask[] =>
  [...world.tasks.values()].filter((task) => relationOf(world, viewer, task));
