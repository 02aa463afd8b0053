/**
 * The clocks of a world, as they are set, and what lies between real time and the clock of tasks. With an engine of its own
 * clock, both are set when the database's clock is, one after the other.
 */
import { type ClockName, ERROR_MS } from './clocks.ts';
import type { Runtime } from './runtime.ts';

/** Long enough for each loop of the engine to notice that a clock was set. */
const NOTICED_MS = 5_000;

export class WorldClocks {
  readonly #runtime: Runtime;
  readonly #onSetBack: (now: number) => void;
  readonly #shownTwice: (readonly [from: number, until: number])[] = [];
  /** When a clock was last set. */
  jumpedMs = Number.NEGATIVE_INFINITY;
  /** When each of them was. */
  readonly setMs: Record<ClockName, number> = { clock: Number.NEGATIVE_INFINITY, wallClock: Number.NEGATIVE_INFINITY };

  constructor(runtime: Runtime, onSetBack: (now: number) => void) {
    this.#runtime = runtime;
    this.#onSetBack = onSetBack;
  }

  get #now(): number {
    return this.#runtime.now();
  }

  get engineNow(): number {
    return this.#runtime.engineNow();
  }

  /** By the clock that is behind, while one of the two follows a clock that was set. What the engine plans is no later. */
  get earlierNow(): number {
    return Math.min(this.#now, this.engineNow);
  }

  /** How far the engine's clock may be from that of the API; twice as much after it was read anew. */
  get errorMs(): number {
    return this.#runtime.engineClock ? 2 * ERROR_MS : 0;
  }

  /** The loops of the engine may not have noticed it yet. */
  get wereJustSet(): boolean {
    return this.#runtime.elapsedMs - this.jumpedMs <= NOTICED_MS;
  }

  /** How early a nudge may be: an engine that notices a clock set back corrects what was planned a moment ago by the other. */
  get earlyMs(): number {
    return this.#runtime.elapsedMs - this.jumpedMs <= 2 * NOTICED_MS ? this.errorMs : 0;
  }

  /** A clock was set, and either the engine or the API has not followed it yet. */
  get isApart(): boolean {
    return this.#runtime.engineClock !== undefined && this.#runtime.engineClock.aheadMs !== 0;
  }

  /** Since then, the engine and the API were apart for a while. */
  wereApartSince(ms: number): boolean {
    return this.isApart || (this.#runtime.engineClock !== undefined && this.jumpedMs >= ms);
  }

  /** How long this takes in real time, if it is measured by the clock of tasks. */
  realMs(taskMs: number): number {
    return Math.ceil(taskMs / this.#runtime.clocks.speed);
  }

  /** By how much the clock of tasks moves on meanwhile. */
  taskMs(realMs: number): number {
    return realMs * this.#runtime.clocks.speed;
  }

  /** What the clock of tasks would have shown that long ago. */
  ago(realMs: number): number {
    return this.#now - this.taskMs(realMs);
  }

  /** Sets the machine's clock, or one of two. The engine's loops notice it when they poll. */
  set(byMs: number, names: readonly ClockName[] = ['clock', 'wallClock']): void {
    const { engineClock, elapsedMs, skewMs } = this.#runtime;
    const isOfTasks = names.includes('clock');
    if (byMs < 0 && isOfTasks) this.#shownTwice.push([this.#now + byMs, this.#now]);
    for (const name of names) {
      skewMs[name] += byMs;
      this.setMs[name] = elapsedMs;
    }
    this.#jumped();
    // Until the engine follows too, it shows the time from before.
    if (engineClock) engineClock.aheadMs -= byMs;
    if (byMs < 0 && isOfTasks) this.#onSetBack(this.#now);
  }

  /** Sets the clock of the engine. That of the API follows, or has been set. */
  setEngine(byMs: number): void {
    const { engineClock } = this.#runtime;
    if (!engineClock) return;
    const before = this.engineNow;
    if (byMs < 0) this.#shownTwice.push([before + byMs, before]);
    engineClock.aheadMs += byMs;
    this.#jumped();
    if (byMs < 0) this.#onSetBack(this.engineNow);
  }

  #jumped(): void {
    this.jumpedMs = this.#runtime.elapsedMs;
    this.#runtime.pollUntilMs = this.#runtime.elapsedMs + NOTICED_MS;
  }

  /** Whether a clock that was set back shows this moment, or has shown it, a second time. */
  isShownTwice(at: number): boolean {
    return this.#shownTwice.some(([from, until]) => at >= from && at <= until);
  }
}
