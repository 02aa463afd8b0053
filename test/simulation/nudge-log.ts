/** The nudges that the service has stored, as the database logged them, and the model that follows them one by one. */
import type { StatementSync } from 'node:sqlite';
import type { ShownTask as Task } from '../../src/tasks/shown-tasks.store.ts';
import type { Nudge } from './invariant.ts';
import { climb, type ModelTask } from './model/task.ts';
import type { SharedDatabase } from './shared-database.ts';
import type { World } from './world.ts';

interface Followed extends Nudge {
  readonly ms: number;
}

export class NudgeLog {
  readonly #world: World;
  readonly #database: SharedDatabase;
  readonly #newNudges: StatementSync;
  /** By task, in order. */
  readonly followed = new Map<string, Followed[]>();
  #last = 0;
  #waiting: Nudge[] = [];

  constructor(world: World, database: SharedDatabase) {
    this.#world = world;
    this.#database = database;
    this.#newNudges = database.prepare('select * from sim_nudges where number > ? and number <= ? order by number');
  }

  read(): void {
    const { committedNudge } = this.#database;
    if (this.#last === committedNudge) return;
    for (const { number, entry_id, task_id, at, stage, run } of this.#newNudges.all(this.#last, committedNudge)) {
      this.#last = Number(number);
      this.#waiting.push({
        entryId: String(entry_id),
        taskId: String(task_id),
        at: Number(at),
        stage: Number(stage),
        run: Number(run),
      });
    }
  }

  /** Follows the nudges that are stored by now. */
  follow(): void {
    this.read();
    this.#follow(() => true);
  }

  /** Follows the nudges that were stored before the answer with this row. */
  catchUp({ id, nudge_count }: Pick<Task, 'id' | 'nudge_count'>): void {
    this.read();
    this.#follow((nudge) => nudge.taskId !== id || (this.#world.tasks.get(id)?.nudges ?? 0) < nudge_count);
  }

  /** Follows what was read of a task. */
  followRead(taskId: string): void {
    this.#follow((nudge) => nudge.taskId === taskId);
  }

  /** The nudges of a task that are stored and that the model has not followed yet. */
  waitingOf(taskId: string): Nudge[] {
    this.read();
    return this.#waiting.filter((nudge) => nudge.taskId === taskId);
  }

  /** The run of the newest nudge of that moment. */
  runOf(taskId: string, at: number): number | undefined {
    return [...(this.followed.get(taskId) ?? []), ...this.waitingOf(taskId)].findLast((nudge) => nudge.at === at)?.run;
  }

  /** The model has taken over what they did to their task. */
  drop(taskId: string): void {
    for (const nudge of this.#waiting) if (nudge.taskId === taskId) this.#note(nudge);
    this.#waiting = this.#waiting.filter((nudge) => nudge.taskId !== taskId);
  }

  #note(nudge: Nudge): void {
    this.followed.getOrInsertComputed(nudge.taskId, () => []).push({ ...nudge, ms: this.#world.elapsedMs });
  }

  /** In order. Nudges that may not be followed yet stay in the log. */
  #follow(may: (nudge: Nudge) => boolean): void {
    if (this.#waiting.length > 0) this.#waiting = this.#waiting.filter((nudge) => !this.#take(nudge, may));
  }

  #take(nudge: Nudge, may: (nudge: Nudge) => boolean): boolean {
    const task = this.#world.tasks.get(nudge.taskId);
    // The answer to its creation is still on its way.
    if (!task && this.#world.isInStep) return false;
    if (!task) this.#world.fail('never after the end', 'A task that does not exist was nudged.');
    if (!may(nudge)) return false;
    this.#apply(nudge, task);
    return true;
  }

  #apply(nudge: Nudge, task: ModelTask): void {
    const world = this.#world;
    const owner = world.person(task.owner);
    world.tell(`the service nudges ${owner.name}: “${task.title}”, stage ${nudge.stage}`);
    this.#note(nudge);
    const isJustChanged = owner.changedMs === world.elapsedMs;
    world.recordNudge(nudge, task, isJustChanged ? [owner.settings, owner.settingsBefore] : [owner.settings]);
    world.standIns.nudged(task, nudge);
    owner.nudges += 1;
    if (world.corrections.loose.has(task.id)) world.tasks.set(task.id, { ...task, nudges: task.nudges + 1 });
    else world.learn(climb(task, nudge), world.clocks.earlierNow);
  }
}
