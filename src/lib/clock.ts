/**
 * The only source of time. Code that schedules, plans or stamps uses an injected `Clock`, so that a test can
 * move time and a demo can speed it up.
 *
 * A running service has two clocks: the service clock, which `CLOCK_SPEED` can speed up, and a plain one for
 * everything that protects a secret or that other systems read. A fast clock must never shorten the life of a
 * sign-in code.
 */
import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  now(): Date;
  /** Resolves once `now()` has reached `at`; rejects with an AbortError when the signal fires first. */
  sleepUntil(at: Date, signal?: AbortSignal): Promise<void>;
}

/** Timers of Node overflow past 2^31-1 ms, so a long sleep is split. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A clock that starts at the present moment and runs `speed` times as fast as the wall clock. */
export function systemClock(speed = 1): Clock {
  const origin = Date.now();
  const now = () => new Date(origin + (Date.now() - origin) * speed);

  async function sleepUntil(at: Date, signal?: AbortSignal): Promise<void> {
    for (;;) {
      const remainingMs = (at.getTime() - now().getTime()) / speed;
      if (remainingMs <= 0) return;
      const partMs = Math.min(Math.ceil(remainingMs), LONGEST_TIMER_MS);
      await delay(partMs, undefined, signal ? { signal } : {});
    }
  }

  return { now, sleepUntil };
}

/** Returns the milliseconds since the call. It is monotonic: setting the clock does not affect it. */
export function stopwatch(): () => number {
  const startedAt = performance.now();
  return () => performance.now() - startedAt;
}

/** An instant that has passed by any clock, even one that was set back. */
export const DUE_NOW = new Date(0);
