/** Limits log lines about things that strangers choose: one line per subject and day, and a few lines per day at most. */
import type { Clock } from './clock.ts';

const DAY_MS = 86_400_000;
const MOST_PER_DAY = 10;

export class DailyNotices {
  readonly #clock: Clock;
  readonly #noticed = new Set<string>();
  #day = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether to log a line about it now. */
  isDue(subject: string): boolean {
    const today = Math.floor(this.#clock.now().getTime() / DAY_MS);
    if (today !== this.#day) this.#noticed.clear();
    this.#day = today;
    if (this.#noticed.has(subject) || this.#noticed.size >= MOST_PER_DAY) return false;
    this.#noticed.add(subject);
    return true;
  }
}
