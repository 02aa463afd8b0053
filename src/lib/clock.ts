/**
 * The only source of time. Code that schedules, plans or stamps uses an injected `Clock`, so that a test can
 * move time and a demo can speed it up.
 *
 * A running service has two clocks: the service clock, which `CLOCK_SPEED` can speed up, and a plain one for
 * everything that protects a secret or that other systems read. A fast clock must never shorten the life of a
 * sign-in code. On PostgreSQL both follow the database's clock, so that all processes agree (ADR 34).
 */
import { setTimeout as delay } from 'node:timers/promises';

export interface Clock {
  now(): Date;
  /** Resolves once `now()` has reached `at`; rejects with an AbortError when the signal fires first. */
  sleepUntil(at: Date, signal?: AbortSignal): Promise<void>;
  /** Puts the clock in step with another one. To be called as soon as that one has answered. Clocks of tests have no such method. */
  follow?(reading: ClockReading): Followed;
}

/** What another clock answered. */
export interface ClockReading {
  readonly at: Date;
  /** The time between the request and the answer. */
  readonly tookMs: number;
}

interface Followed {
  /** By how much the machine's own clock is ahead of the other one. */
  readonly machineAheadMs: number;
}

/** Timers of Node overflow past 2^31-1 ms, so a long sleep is split. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A clock that is ahead by less stands still until it is right. One that is ahead by more was set, and goes back. */
const STANDS_STILL_MS = 1_000;

/** The machine's clock. Once it follows another clock, it runs by a timer that setting the machine's clock does not affect. */
export function systemClock(): Clock {
  /** What the clock shows, minus what the timer shows. Undefined while it shows the machine's time. */
  let offsetMs: number | undefined;
  let latestMs = Number.NEGATIVE_INFINITY;

  const now = () => {
    if (offsetMs === undefined) return new Date(Date.now());
    latestMs = Math.max(latestMs, offsetMs + performance.now());
    return new Date(latestMs);
  };

  const follow = ({ at, tookMs }: ClockReading): Followed => {
    const [machineMs, timerMs] = [Date.now(), performance.now()];
    offsetMs ??= machineMs - timerMs;
    const ahead = aheadMs(at.getTime(), offsetMs + timerMs - tookMs, offsetMs + timerMs);
    offsetMs -= ahead;
    if (ahead > STANDS_STILL_MS) latestMs = Number.NEGATIVE_INFINITY;
    return { machineAheadMs: aheadMs(at.getTime(), machineMs - tookMs, machineMs) };
  };

  return { now, follow, sleepUntil: (at, signal) => sleep(now, at, signal) };
}

/** Runs `speed` times as fast as the clock, from the time that the clock shows at the first reading. */
export function fastClock(clock: Clock, speed: number): Clock {
  if (speed === 1) return clock;
  let originMs: number | undefined;
  const now = () => {
    const readMs = clock.now().getTime();
    originMs ??= readMs;
    return new Date(originMs + (readMs - originMs) * speed);
  };
  return { now, sleepUntil: (at, signal) => sleep(now, at, signal, speed) };
}

async function sleep(now: () => Date, at: Date, signal?: AbortSignal, speed = 1): Promise<void> {
  for (;;) {
    const remainingMs = (at.getTime() - now().getTime()) / speed;
    if (remainingMs <= 0) return;
    const partMs = Math.min(Math.ceil(remainingMs), LONGEST_TIMER_MS);
    await delay(partMs, undefined, signal ? { signal } : {});
  }
}

/**
 * By how much our clock is ahead of another one. That one was read at an unknown moment between our request and its
 * answer, so only the part outside that interval counts. Where it follows, a slow answer corrects nothing wrongly, and the
 * quickest answers decide how exact it is.
 */
export function aheadMs(theirsMs: number, askedAtMs: number, answeredAtMs: number): number {
  return Math.max(0, askedAtMs - theirsMs) + Math.min(0, answeredAtMs - theirsMs);
}

/** Returns the milliseconds since the call. It is monotonic: setting the clock does not affect it. */
export function stopwatch(): () => number {
  const startedAt = performance.now();
  return () => performance.now() - startedAt;
}

/** An instant that has passed by any clock, even one that was set back. */
export const DUE_NOW = new Date(0);
