/**
 * Tasks that were just ticked. Their rows stay in place for a second and take no clicks, so that no other row slides
 * under the pointer of a double click.
 */
import { useSyncExternalStore } from 'react';
import type { Task } from '../api/client.ts';
import { Store } from './store.ts';

const STAY_MS = 1_000;

/** By id, as the tasks were when they were ticked. */
export const tickedTasks = new Store<Readonly<Record<string, Task>>>({});

/** Renders the row of that task only, not all rows. */
export const useIsTicked = (taskId: string): boolean =>
  useSyncExternalStore(tickedTasks.subscribe, () => taskId in tickedTasks.value);

export function tick(task: Task): void {
  tickedTasks.set({ ...tickedTasks.value, [task.id]: task });
  setTimeout(() => clearTick(task.id), STAY_MS);
}

export function clearTick(taskId: string): void {
  const { [taskId]: ticked, ...others } = tickedTasks.value;
  if (ticked) tickedTasks.set(others);
}
