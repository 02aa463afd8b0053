/**
 * The only source of time. Everything that schedules, plans or stamps asks the
 * `Clock` it was handed, so that a test can move time and a demo can speed it up.
 *
 * Two clocks exist in a running service: the service clock, which `CLOCK_SPEED`
 * may make run fast, and a plain one for what guards a secret or is read by an
 * outside protocol; a fast clock must never shorten the life of a sign-in code.
 */
import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  now(): Date;
  /** Resolves once `now()` has reached `at`; rejects with an AbortError when the signal fires first. */
  sleepUntil(at: Date, signal?: AbortSignal): Promise<void>;
}

/** Timers of Node overflow past 2^31-1 ms, so a long sleep is taken in pieces. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A clock that starts at the present moment and runs `speed` times as fast as the wall clock. */
export function systemClock(speed = 1): Clock {
  const origin = Date.now();
  const now = () => new Date(origin + (Date.now() - origin) * speed);

  async function sleepUntil(at: Date, signal?: AbortSignal): Promise<void> {
    for (;;) {
      const remainingMs = (at.getTime() - now().getTime()) / speed;
      if (remainingMs <= 0) return;
      const pieceMs = Math.min(Math.ceil(remainingMs), LONGEST_TIMER_MS);
      await delay(pieceMs, undefined, signal ? { signal } : {});
    }
  }

  return { now, sleepUntil };
}

/** Measures how long something takes; unlike the clock it cannot be set back. */
export function stopwatch(): () => number {
  const startedAt = performance.now();
  return () => performance.now() - startedAt;
}

/** Due by any clock, even by one that is set back. */
export const AT_ONCE = new Date(0);
