import type { ShownTask as Task } from '../../src/tasks/shown-tasks.store.ts';
import type { Settings } from './model/ladder.ts';
import type { Outcome } from './model/task.ts';

/** What the model knows about a person. */
export interface Person {
  readonly id: string;
  readonly name: string;
  settings: Settings;
  /** The settings until the last change, which happened at `changedMs`. */
  settingsBefore: Settings;
  changedMs: number;
  isGone: boolean;
  /** When their devices or channels last changed. */
  reachChangedMs: number;
  fallbackMinutes: number;
  /** Whether they want messages about requests, and when they last said so. */
  hearsRequests: boolean;
  switchedMs: number;
  outcomes: Outcome[];
  nudges: number;
  /** What a client that only syncs has. */
  readonly copy: Map<string, Task>;
  syncedUpTo: Date | undefined;
}
