/** Asks every invariant, and fails with the first one that is broken. */
import type { Held, Sounded } from './holder.ts';
import type { Invariant, Nudge, Sent, Told } from './invariant.ts';
import type { Settings } from './model/ladder.ts';
import type { ModelTask } from './model/task.ts';
import { Violation } from './violation.ts';
import type { World } from './world.ts';

export class Checks {
  readonly #world: World;
  readonly #invariants: readonly Invariant[];
  readonly #sent: Sent[] = [];
  readonly #taken: Sent[] = [];
  readonly #told: Told[] = [];
  readonly #held: Held[] = [];
  readonly #sounded: Sounded[] = [];
  readonly #errors: string[] = [];
  readonly #failures: unknown[] = [];
  #checkedMs = -1;

  constructor(world: World, invariants: readonly Invariant[]) {
    this.#world = world;
    this.#invariants = invariants;
  }

  /** The service sent this push. It is checked after the turn. */
  sent(sent: Sent): void {
    this.#sent.push(sent);
  }

  /** The service sent this message about a request. */
  told(told: Told): void {
    this.#told.push(told);
  }

  /** The provider holds this message from now on. */
  held(held: Held): void {
    this.#held.push(held);
  }

  /** The provider sounded this message by itself. */
  sounded(sounded: Sounded): void {
    this.#sounded.push(sounded);
  }

  /** The message of this push was retracted. */
  taken(sent: Sent): void {
    this.#taken.push(sent);
  }

  /** The service logged an error. */
  logged(line: string): void {
    this.#errors.push(line);
  }

  /** Throws this error after the turn. */
  failed(error: unknown): void {
    this.#failures.push(error);
  }

  nudge(nudge: Nudge, task: ModelTask, settings: readonly Settings[]): void {
    for (const invariant of this.#invariants) {
      report(invariant, invariant.nudge?.(this.#world, nudge, task, settings));
    }
  }

  afterTurn(): void {
    const taskOf = ({ push }: Sent) => (push.kind === 'test' ? undefined : this.#world.tasks.get(push.task.id));
    for (const sent of this.#sent.splice(0))
      for (const invariant of this.#invariants) report(invariant, invariant.push?.(this.#world, sent, taskOf(sent)));
    for (const told of this.#told.splice(0))
      for (const invariant of this.#invariants)
        report(invariant, invariant.told?.(this.#world, told, this.#world.tasks.get(told.taskId)));
    for (const sent of this.#taken.splice(0))
      for (const invariant of this.#invariants) report(invariant, invariant.taken?.(this.#world, sent, taskOf(sent)));
    this.#checkHeld();
    if (this.#checkedMs !== this.#world.elapsedMs) this.#timePassed();
    const [failure] = this.#failures.splice(0);
    if (failure !== undefined) throw failure;
    const [error] = this.#errors.splice(0);
    if (error !== undefined) throw new Violation('no errors', `The service logged an error: ${error}`);
  }

  #checkHeld(): void {
    for (const held of this.#held.splice(0))
      for (const invariant of this.#invariants) report(invariant, invariant.held?.(this.#world, held));
    for (const sounded of this.#sounded.splice(0))
      for (const invariant of this.#invariants) report(invariant, invariant.sounded?.(this.#world, sounded));
  }

  #timePassed(): void {
    this.#checkedMs = this.#world.elapsedMs;
    for (const invariant of this.#invariants) report(invariant, invariant.time?.(this.#world));
  }

  async end(): Promise<void> {
    for (const invariant of this.#invariants) {
      const { end } = invariant;
      if (end) report(invariant, await this.#world.runStep(async () => end(this.#world)));
    }
  }
}

function report({ name }: Invariant, problem: string | undefined): void {
  if (problem !== undefined) throw new Violation(name, problem);
}
