/**
 * Virtual time. It replaces the clock, the timers, the event loop and the randomness of this process, so that a run
 * depends on its seed alone: nothing sleeps, and a week passes in milliseconds.
 *
 * In this folder, a turn is a virtual event-loop turn: one timer or one immediate fires, then every promise that it
 * resolves runs to its end. If several could fire at the same moment, the seed decides. A turn belongs to one owner,
 * the process that set the timer. Timers that are set in the turn belong to the same owner. Timers of a dead owner
 * never fire.
 */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { type ClockName, EngineClock, ONE_CLOCK, type TwoClocks } from './clocks.ts';
import type { Plan } from './plan.ts';
import { Random } from './random.ts';

export interface Owner {
  readonly isDead: boolean;
}

interface Timer {
  readonly at: number;
  /** Null for people, phones and providers, which are outside of the service. */
  readonly owner: Owner | null;
  /** A loop of the engine checks for work, without having been woken. */
  readonly isPoll: boolean;
  readonly fire: () => void;
}

/** The intervals at which the engine's loops poll. Firing all of them would take most of the time of a run. */
const POLL_MS = 2_000;
/** Housekeeping polls so rarely that it runs only when a process starts. */
const HOUSEKEEPING_MS = 600_000;
/** Measured time that never passes would let batches grow to their largest size. */
const MEASURED_MS = 5;

/** How long a slow turn takes at most. */
const SLOW_TURN_MS = 3;

/** A moment that takes more turns than this never ends: the work makes itself due again. */
const MOST_TURNS = 50_000;

const HEX = '0123456789abcdef';

const nextTick = process.nextTick;
const nextRealTurn = setImmediate;
const realNow = Date.now;

type End<T> = { readonly value: T } | { readonly error: unknown };

export class Runtime {
  readonly random: Random;
  /** Milliseconds since the start, by a clock that nobody can set. */
  elapsedMs = 0;
  /** Each clock is this far ahead of the right time. */
  readonly skewMs: Record<ClockName, number> = { clock: 0, wallClock: 0 };
  readonly clocks: TwoClocks;
  /** Undefined if the engine has the clock of the API. */
  readonly engineClock: EngineClock | undefined;
  /** The owner of the present turn. */
  owner: Owner | null = null;
  /** Polls fire until then. Later ones are left out, because there is nothing new for them to find. */
  pollUntilMs = 0;
  /** The same while the database fails: a loop that failed four times waits as long as for a poll. */
  retryUntilMs = 0;
  /** Until then turns take time: what is to happen in the next milliseconds may come before the next turn of the loop. */
  slowUntilMs = 0;
  readonly #startsAt: number;
  readonly #timers = new Set<Timer>();
  #immediates: Timer[] = [];
  readonly #timeouts = new WeakMap<AbortSignal, { readonly stop: () => void; waiting: number }>();
  #measuredMs = 0;
  /** How many turns the present moment has had. */
  #turns = 0;

  constructor({ seed, startsAt, clocks = ONE_CLOCK, hasEngineClock }: Plan) {
    this.random = new Random(seed);
    this.#startsAt = startsAt;
    this.clocks = clocks;
    this.engineClock = hasEngineClock ? new EngineClock(seed) : undefined;
  }

  /** The time of tasks by the engine's clock. */
  engineNow(): number {
    return this.engineClock?.now(this.now(), this.elapsedMs) ?? this.now();
  }

  /** The time of tasks by the clock of the API, which is also that of people. */
  now(): number {
    return this.#startsAt + Math.floor(this.elapsedMs * this.clocks.speed) + this.skewMs.clock;
  }

  /** Real time, as the service's clock shows it. */
  wallNow(): number {
    return this.rightNow() + this.skewMs.wallClock;
  }

  /** Real time, by a clock that nobody can set. */
  rightNow(): number {
    return this.#startsAt + this.clocks.apartMs + this.elapsedMs;
  }

  /** Calls `fire` after this long; the returned function cancels it. */
  after(ms: number, fire: () => void, owner = this.owner, isPoll = false): () => void {
    const timer = { at: this.elapsedMs + Math.max(0, Math.ceil(ms)), owner, isPoll, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get isSlow(): boolean {
    return this.elapsedMs < this.slowUntilMs;
  }

  immediately(fire: () => void, owner = this.owner): void {
    this.#immediates.push({ at: this.elapsedMs, owner, isPoll: false, fire });
  }

  /** Runs everything up to that moment. `onTurn` is called after each turn. */
  async runUntil(elapsedMs: number, onTurn: () => void): Promise<void> {
    for (;;) {
      await this.#finishTurn();
      onTurn();
      const next = this.#next(elapsedMs);
      if (!next) break;
      this.#moveTo(next.at);
      this.owner = next.owner;
      next.fire();
    }
    this.#moveTo(elapsedMs);
  }

  #moveTo(elapsedMs: number): void {
    if (elapsedMs <= this.elapsedMs) return;
    this.elapsedMs = elapsedMs;
    this.#turns = 0;
  }

  /** Runs a step to its end, and lets time pass if the step waits. */
  async runStep<T>(step: () => Promise<T>, onTurn: () => void): Promise<End<T>> {
    let end: End<T> | undefined;
    step().then(
      (value) => {
        end = { value };
      },
      (error: unknown) => {
        end = { error };
      },
    );
    for (;;) {
      await this.#finishTurn();
      onTurn();
      if (end) return this.#letNodeWork(end);
      const next = this.#next(Number.POSITIVE_INFINITY);
      if (!next) throw new Error('A step waits for something that never happens.');
      this.#moveTo(next.at);
      this.owner = next.owner;
      next.fire();
    }
  }

  /** Node reports an unhandled rejection, and cleans up, in a turn of the real event loop. */
  #letNodeWork<T>(then: T): Promise<T> {
    return new Promise((resolve) => nextRealTurn(() => resolve(then)));
  }

  async #finishTurn(): Promise<void> {
    // Node runs it once no promise is left to settle. A turn of the real event loop would take ten times as long.
    await new Promise<void>((resolve) => nextTick(resolve));
    this.owner = null;
    this.#turns += 1;
    if (this.#turns > MOST_TURNS) throw new Error('A moment does not end: the service does the same again and again.');
  }

  #next(limitMs: number): Timer | undefined {
    this.#immediates = this.#immediates.filter(({ owner }) => !owner?.isDead);
    const [immediate] = this.#immediates;
    const soonMs = this.isSlow ? Math.min(limitMs, this.elapsedMs + SLOW_TURN_MS) : this.elapsedMs;
    const timer = this.#nextTimer(immediate ? soonMs : limitMs);
    if (immediate && (!timer || this.random.chance(0.7))) {
      this.#immediates.shift();
      return immediate;
    }
    if (timer) this.#timers.delete(timer);
    return timer;
  }

  /** Of several at the same moment, any. */
  #nextTimer(limitMs: number): Timer | undefined {
    let first = Number.POSITIVE_INFINITY;
    let candidates: Timer[] = [];
    for (const timer of this.#timers) {
      if (timer.owner?.isDead) {
        this.#timers.delete(timer);
        continue;
      }
      const at = Math.max(timer.at, this.elapsedMs);
      if (at > limitMs || at > first || (timer.isPoll && at > Math.max(this.pollUntilMs, this.retryUntilMs))) continue;
      if (at < first) candidates = [];
      first = at;
      candidates.push(timer);
    }
    return candidates.length > 1 ? this.random.pick(candidates) : candidates[0];
  }

  #uuid(): string {
    const time = this.now().toString(16).padStart(12, '0');
    const digits = (count: number) => {
      let text = '';
      while (text.length < count) text += HEX[this.random.below(16)];
      return text;
    };
    return `${time.slice(0, 8)}-${time.slice(8)}-7${digits(3)}-8${digits(3)}-${digits(12)}`;
  }

  /** Replaces what the code under test uses for time and chance. Returns a function that undoes it. */
  install(): () => void {
    const sleep = (ms = 0, value?: unknown, options?: { signal?: AbortSignal }) =>
      new Promise((resolve, reject) => {
        const { signal } = options ?? {};
        if (signal?.aborted) return reject(signal.reason);
        const stop =
          ms === HOUSEKEEPING_MS ? () => false : this.after(ms, () => resolve(value), this.owner, ms === POLL_MS);
        signal?.addEventListener('abort', () => {
          stop();
          reject(signal.reason);
        });
      });
    const replaced = [
      [Date, { now: () => this.wallNow() }],
      [Object, { freeze: <T>(value: T) => value }],
      [Error, { stackTraceLimit: 0 }],
      [performance, { now: () => (this.#measuredMs += MEASURED_MS) }],
      [Math, { random: () => this.random.next() }],
      [AbortSignal, { timeout: (ms: number) => this.#abortAfter(ms) }],
      [globalThis, { setImmediate: (fire: () => void) => this.immediately(fire) }],
      [timers, { setTimeout: sleep, setImmediate: () => new Promise<void>((fire) => this.immediately(fire)) }],
      [
        crypto,
        {
          randomUUIDv7: () => this.#uuid(),
          randomInt: (limit: number) => this.random.below(limit),
          randomBytes: (size: number) => Buffer.from(Array.from({ length: size }, () => this.random.below(256))),
        },
      ],
    ] as const;
    // Kysely freezes every node of a query, and every aborted signal captures a stack. Neither matters here.
    const undo = replaced.map(([target, members]) => replace(target, members));
    syncBuiltinESMExports();
    return () => {
      for (const restore of undo) restore();
      syncBuiltinESMExports();
    };
  }

  #abortAfter(ms: number): AbortSignal {
    const controller = new AbortController();
    const stop = this.after(ms, () => controller.abort(new DOMException('The operation timed out.', 'TimeoutError')));
    this.#timeouts.set(controller.signal, { stop, waiting: 0 });
    return controller.signal;
  }

  /** Call the returned function when the caller no longer waits. A timeout that nobody waits for takes no turn. */
  onTimeout(signal: AbortSignal, act: () => void): () => void {
    signal.addEventListener('abort', act);
    const timeout = this.#timeouts.get(signal);
    if (timeout) timeout.waiting += 1;
    return () => {
      signal.removeEventListener('abort', act);
      if (!timeout) return;
      timeout.waiting -= 1;
      if (timeout.waiting === 0) timeout.stop();
    };
  }
}

function replace(target: object, members: Readonly<Record<string, unknown>>): () => void {
  const before = Object.fromEntries(Object.keys(members).map((name) => [name, Reflect.get(target, name)]));
  Object.assign(target, members);
  return () => void Object.assign(target, before);
}

/** Real time, for the limit of a long run. */
export const stopwatchMs = (): (() => number) => {
  const startedAt = realNow();
  return () => realNow() - startedAt;
};
