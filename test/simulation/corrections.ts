/**
 * What the engine and follow-ups change by themselves. Where the design lets them choose the moment of a change, the model
 * waits for it, and reads it from the stored row.
 */
import type { ModelTask } from './model/task.ts';
import type { World } from './world.ts';

export type TaskRow = Readonly<Record<string, number | string | null>>;
/** Whether a follow-up has changed a row as it must. */
export type Change = (row: TaskRow) => boolean;

export class Corrections {
  readonly #world: World;
  /** Tasks with a wrong ladder after the clock was set back: the engine corrects them, and the model adopts that. */
  readonly loose = new Set<string>();
  /** Tasks that follow-ups will take out of their space, drop or delete, with the changes that their rows need. */
  readonly unsettled = new Map<string, readonly Change[]>();

  constructor(world: World) {
    this.#world = world;
  }

  /** The engine corrects what lies in the future now, and the model adopts that. */
  loosen(now: number): void {
    for (const task of this.#world.tasks.values()) if (isLater(task, now)) this.loose.add(task.id);
  }

  /**
   * The same for a task that was changed just now, before the engine has noticed that its clock was set back: it was
   * reopened, or the clock of the change is set back later.
   */
  loosenNew(task: ModelTask): void {
    const { clocks } = this.#world;
    if (!clocks.isApart && !clocks.wereJustSet) return;
    if (isLater(task, clocks.engineNow + clocks.errorMs)) this.loose.add(task.id);
  }

  /** A follow-up will change the row of a task. Call the returned function if it will not. */
  expect(id: string, isDone: Change): () => void {
    this.unsettled.set(id, [...(this.unsettled.get(id) ?? []), isDone]);
    return () => this.#cease(id, (change) => change === isDone);
  }

  /** Stops waiting for these changes. */
  #cease(id: string, isDone: (change: Change) => boolean): void {
    const left = (this.unsettled.get(id) ?? []).filter((change) => !isDone(change));
    if (left.length === 0) this.unsettled.delete(id);
    else this.unsettled.set(id, left);
  }

  /** Takes over what was corrected so far. */
  adopt(): void {
    for (const id of this.loose) this.#adoptLadder(id);
    for (const id of this.unsettled.keys()) this.#adoptPlace(id);
  }

  #adoptLadder(id: string): void {
    const task = this.#world.tasks.get(id);
    const row = this.#world.storedTask(id);
    const corrected = task && row && this.#correctedLadder(task, row);
    if (task && !corrected && row) return;
    this.loose.delete(id);
    if (corrected) this.#world.adoptLadder(corrected);
  }

  /** The ladder of a task after the engine has corrected it; undefined until then. */
  #correctedLadder(task: ModelTask, row: TaskRow): ModelTask | undefined {
    const { clocks } = this.#world;
    // The engine corrects by its own clock, which may be a little ahead, or far behind until the other one follows.
    const latest = clocks.earlierNow + clocks.errorMs;
    if (Number(row.last_nudge_at ?? 0) > latest || Number(row.run_started_at) > latest) return undefined;
    return {
      ...task,
      nudges: Number(row.nudge_count),
      run: Number(row.run),
      runFrom: Number(row.run_started_at),
      step: Number(row.step),
      stage: Number(row.escalation_stage),
      lastNudge: row.last_nudge_at === null ? null : Number(row.last_nudge_at),
      headsUpsDone: row.heads_up_at === null ? null : Number(row.heads_up_at),
    };
  }

  /** Takes over what follow-ups did to a task: it has left its space, was dropped or deleted, or cannot be reopened. */
  #adoptPlace(id: string): void {
    const [task, row] = [this.#world.tasks.get(id), this.#world.storedTask(id)];
    if (!task || !row) {
      this.#world.forget(id);
      return;
    }
    const isDropped = row.status === 'dropped' && task.status === 'open';
    const isFinal = row.undo === null && task.undo !== null;
    this.#cease(id, (change) => change(row));
    if (row.space_id === task.space && row.assigner_id === task.assigner && !isDropped && !isFinal) return;
    this.#world.learn({
      ...task,
      space: row.space_id as string | null,
      assigner: row.assigner_id as string | null,
      ...(isDropped && { status: 'dropped', isOpen: false }),
      ...(isFinal && { undo: null }),
    });
  }
}

/** Whether the ladder of the task began, or was last climbed, at a later moment. */
export const isLater = ({ isOpen, lastNudge, runFrom }: ModelTask, now: number): boolean =>
  isOpen && Math.max(lastNudge ?? 0, runFrom) > now;
