/** What the model knows about stand-ins: who was asked and has agreed, and which tasks have reached whom. */

import type { Nudge } from './invariant.ts';
import { isSameScope, type Reached, type Scope, type StandIn, standInsOf, toldBy } from './model/stand-ins.ts';
import { dueAt, type ModelTask } from './model/task.ts';
import type { World } from './world.ts';

/** How long a stand-in is shown who settled a task. */
const SHOWN_SETTLED_MS = 86_400_000;

export class StandInBook {
  readonly #world: World;
  readonly #all = new Map<string, StandIn>();
  /** By task and person. */
  readonly #reached = new Map<string, Map<string, Reached>>();
  readonly #changedMs = new Map<string, number>();
  /** Owners about whose stand-ins a request is on its way. */
  readonly inFlight = new Set<string>();

  constructor(world: World) {
    this.#world = world;
  }

  get isUsed(): boolean {
    return this.#changedMs.size > 0;
  }

  get all(): StandIn[] {
    return [...this.#all.values()];
  }

  get(id: string): StandIn | undefined {
    return this.#all.get(id);
  }

  find(scope: Scope): StandIn | undefined {
    return this.all.find((one) => isSameScope(one, scope));
  }

  /** Whether an agreement of this owner has just changed, or may be changing. */
  isChanging(owner: string): boolean {
    return this.inFlight.has(owner) || this.changedMs(owner) === this.#world.elapsedMs;
  }

  changedMs(owner: string): number {
    return this.#changedMs.get(owner) ?? Number.NEGATIVE_INFINITY;
  }

  hasChanged(ms: number): boolean {
    return [...this.#changedMs.values()].includes(ms);
  }

  put(standIn: StandIn): void {
    this.#all.set(standIn.id, standIn);
    if (standIn.task !== null && standIn.fromRung === null) this.#reached.get(standIn.task)?.delete(standIn.person);
    this.#changed(standIn.owner);
  }

  end(id: string): void {
    const standIn = this.#all.get(id);
    if (!standIn) return;
    this.#all.delete(id);
    for (const people of this.#reached.values())
      for (const [person, { standIn: by }] of people) if (by === id) people.delete(person);
    this.#changed(standIn.owner);
  }

  /** A person leaves this space, or all of them because they are suspended or deleted. */
  endOf(person: string, space?: string): void {
    for (const one of this.all)
      if ((one.owner === person || one.person === person) && (space === undefined || one.space === space))
        this.end(one.id);
  }

  standsIn(person: string, task: ModelTask): StandIn | undefined {
    return standInsOf(task, this.all).find((one) => one.person === person);
  }

  toldBy(task: ModelTask, nudge: Nudge): StandIn[] {
    return this.#all.size === 0
      ? []
      : toldBy(task, nudge, this.all, (person) => this.#reached.get(task.id)?.get(person));
  }

  /** Follows a nudge. If the ladder of its task is unknown, or stand-ins change at this
   * very moment, whom it reached is taken as stored. */
  nudged(task: ModelTask, nudge: Nudge): void {
    if (this.#all.size === 0) return;
    if (this.#world.corrections.loose.has(task.id) || this.isChanging(task.owner)) {
      this.adopt(task.id);
      return;
    }
    const occurrence = dueAt(task, this.#world.settingsOf(task));
    for (const { id, person } of this.toldBy(task, nudge))
      this.#of(task.id).set(person, { standIn: id, run: task.run, occurrence, snoozedUntil: null, settledAt: null });
  }

  /** The run is over. Whom it had reached is shown who settled it; otherwise nobody is shown the task any more. */
  runEnded(before: ModelTask, after: ModelTask): void {
    const people = this.#reached.get(before.id);
    if (!people) return;
    const isSettled = after.undo !== null && after.undo !== before.undo;
    const present = [...people].filter(([, { run, settledAt }]) => run === before.run && settledAt === null);
    if (!isSettled || present.length === 0) this.#reached.delete(before.id);
    else for (const [person, reached] of present) people.set(person, { ...reached, settledAt: this.#world.now });
  }

  forget(taskId: string): void {
    this.#reached.delete(taskId);
  }

  snooze(taskId: string, person: string, until: number): void {
    const reached = this.#reached.get(taskId)?.get(person);
    if (reached) this.#of(taskId).set(person, { ...reached, snoozedUntil: until });
    const owner = this.#world.tasks.get(taskId)?.owner;
    if (owner !== undefined) this.#changed(owner);
  }

  isSnoozed(person: string, { id, run }: ModelTask): boolean {
    const reached = this.#reached.get(id)?.get(person);
    return reached?.run === run && (reached.snoozedUntil ?? 0) > this.#world.now;
  }

  /** What the person sees of a task as its stand-in. */
  seenBy(person: string, task: ModelTask): Reached | undefined {
    const reached = this.#reached.get(task.id)?.get(person);
    const { settledAt = null } = reached ?? {};
    const isPresent = settledAt === null ? reached?.run === task.run : settledAt > this.#world.now - SHOWN_SETTLED_MS;
    const isShown = reached && isPresent;
    return isShown && this.#all.get(reached.standIn)?.hasAgreed ? reached : undefined;
  }

  /** Whether what the person was told of the task may still be shown to them. */
  mayHave(person: string, { id }: ModelTask): boolean {
    return this.#reached.get(id)?.has(person) ?? false;
  }

  /** The tasks that the person sees. */
  tasksOf(person: string): ModelTask[] {
    return [...this.#reached.keys()].flatMap((id) => {
      const task = this.#world.tasks.get(id);
      return task && this.seenBy(person, task) ? [task] : [];
    });
  }

  /** Whom a task has reached, as stored. */
  adopt(taskId: string): void {
    const rows = this.#world.query('select * from stand_in_tasks where task_id = ?', taskId);
    const numberOf = (value: unknown) => (value === null ? null : Number(value));
    this.#reached.set(
      taskId,
      new Map(
        rows.map((row) => [
          String(row.person_id),
          {
            standIn: String(row.stand_in_id),
            run: Number(row.run),
            occurrence: numberOf(row.occurrence_due_at),
            snoozedUntil: numberOf(row.snoozed_until),
            settledAt: numberOf(row.settled_at),
          },
        ]),
      ),
    );
  }

  #of(taskId: string): Map<string, Reached> {
    return this.#reached.getOrInsertComputed(taskId, () => new Map());
  }

  /** A nudge in the moment of the change may have come before it or after it. */
  #changed(owner: string): void {
    const { elapsedMs, nudgeLog, tasks } = this.#world;
    this.#changedMs.set(owner, elapsedMs);
    for (const task of tasks.values())
      if (task.owner === owner && nudgeLog.followed.get(task.id)?.at(-1)?.ms === elapsedMs) this.adopt(task.id);
  }
}
