/**
 * The clocks of the service. In most worlds there is one. In some, the clock of tasks runs faster than real time, the two
 * start apart, and each is set without the other. In others the engine has a clock of its own, as on another machine: both
 * follow the clock of a database with small errors, and one of them follows it later when it was set.
 */
import { DAY_MS } from './model/zone.ts';
import { Random } from './random.ts';

export interface TwoClocks {
  /** How much faster than real time the clock of tasks runs. */
  readonly speed: number;
  /** How far the clock of real time is ahead at the start. */
  readonly apartMs: number;
}

export const ONE_CLOCK: TwoClocks = { speed: 1, apartMs: 0 };

export type ClockName = 'clock' | 'wallClock';

/** In one of so many worlds the clocks are two. It shares no factor with the other kinds of worlds, so that each kind has some. */
const APART_EVERY = 7;
const MINUTE_MS = 60_000;
const APART_MS = [-3 * DAY_MS, -90 * MINUTE_MS, -7 * MINUTE_MS, 7 * MINUTE_MS, 90 * MINUTE_MS, 3 * DAY_MS];
const SPEEDS = [1, 1, 1.5, 4, 20];
/** What is held is bounded in real time and in the time of tasks. At higher speeds the bounds leave nothing to promise. */
const SPEEDS_WITH_HELD = [1, 1.5];

/** How far the clocks of two processes differ at most, while both follow the same clock. */
export const ERROR_MS = 1_000;
/** They follow a clock that was set within this. */
export const FOLLOWED_WITHIN_MS = 60_000;
const READ_EVERY_MS = 60_000;

/** What is held sounds by the engine's clock, in real time: one clock is enough for that. */
export const hasEngineClock = (seed: number, isHolding: boolean): boolean => seed % APART_EVERY === 5 && !isHolding;

/**
 * The engine's clock, where it has one of its own. Every minute it is read anew, with another error. It never goes back by
 * less than the largest error: it stands still instead. A larger step is followed at once.
 */
export class EngineClock {
  readonly #errors: Random;
  #errorMs = 0;
  #readMs = Number.NEGATIVE_INFINITY;
  #latest = Number.NEGATIVE_INFINITY;
  /** It shows a clock that was set, and the other process does not yet; or the other way round. */
  aheadMs = 0;

  constructor(seed: number) {
    this.#errors = new Random(seed);
  }

  /** The time by a clock without error is given. */
  now(right: number, elapsedMs: number): number {
    if (elapsedMs - this.#readMs >= READ_EVERY_MS) {
      this.#readMs = elapsedMs;
      this.#errorMs = this.#errors.between(-ERROR_MS, ERROR_MS);
    }
    const now = right + this.aheadMs + this.#errorMs;
    this.#latest = this.#latest - now > ERROR_MS ? now : Math.max(this.#latest, now);
    return this.#latest;
  }
}

/** Drawn from the seed alone, so that the other worlds stay as they are. */
export function drawClocks(seed: number, isHolding: boolean): TwoClocks | undefined {
  if (seed % APART_EVERY !== 3) return undefined;
  const random = new Random(seed);
  return { speed: random.pick(isHolding ? SPEEDS_WITH_HELD : SPEEDS), apartMs: random.pick(APART_MS) };
}
