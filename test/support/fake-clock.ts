import type { Clock } from '../../src/lib/clock.ts';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses "30m", "2h" or "1d". */
function durationMs(text: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) throw new Error(`"${text}" is not a duration.`);
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

/** A clock that moves only when the test advances or sets it. */
export class FakeClock implements Clock {
  #now: number;
  #sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  readonly #settledChecks = new Set<() => Promise<void>>();

  constructor(startsAt = '2026-03-02T09:00:00Z') {
    this.#now = Date.parse(startsAt);
  }

  now(): Date {
    return new Date(this.#now);
  }

  async sleepUntil(at: Date, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    if (at.getTime() <= this.#now) return;
    const sleep = Promise.withResolvers<void>();
    const sleeper = { at: at.getTime(), wake: sleep.resolve };
    const abort = () => sleep.reject(signal?.reason);
    this.#sleepers.push(sleeper);
    signal?.addEventListener('abort', abort, { once: true });
    await sleep.promise.finally(() => {
      signal?.removeEventListener('abort', abort);
      this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
    });
  }

  /** The clock calls `settled` and waits for it before it moves. Returns a function that removes it. */
  waitFor(settled: () => Promise<void>): () => void {
    this.#settledChecks.add(settled);
    return () => this.#settledChecks.delete(settled);
  }

  /** Moves the clock forward and wakes each sleeper at its own time, in order. */
  async advance(duration: string): Promise<void> {
    const target = this.#now + durationMs(duration);
    await this.#settle();
    for (let next = this.#nextSleeper(target); next; next = this.#nextSleeper(target)) {
      this.#now = Math.max(this.#now, next.at);
      // Wakes all sleepers of that moment, because settling waits for each of them.
      for (const { at, wake } of this.#sleepers) if (at <= this.#now) wake();
      // An event-loop turn, so that the woken sleepers can act and sleep again before the clock moves.
      await new Promise(setImmediate);
      await this.#settle();
    }
    this.#now = target;
    await this.#settle();
  }

  /** Sets the clock, as an administrator or NTP would, without waking sleepers. */
  set(moment: string): void {
    this.#now = Date.parse(moment);
  }

  async #settle(): Promise<void> {
    for (const settled of this.#settledChecks) await settled();
  }

  #nextSleeper(target: number) {
    return this.#sleepers.filter(({ at }) => at <= target).sort((a, b) => a.at - b.at)[0];
  }
}
