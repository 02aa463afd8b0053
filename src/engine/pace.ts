/**
 * How many rows a batch takes. On PostgreSQL a batch waits for the server and holds nobody up, so it
 * is as large as pays. On SQLite it runs on the service's own thread, and every request waits for
 * it: there it grows and shrinks until it takes a few milliseconds.
 */
import { stopwatch } from '../lib/clock.ts';

export interface Pace {
  readonly size: number;
  /** How many batches may be under way at once. */
  readonly abreast: number;
  /** Runs the batch, and learns from how long it held the thread. */
  measure<T>(count: (result: T) => number, work: () => Promise<T>): Promise<T>;
}

const POSTGRES_BATCH = 500;

/** Two, so that the server has one to work on while the other is being planned here. */
export const steadyPace: Pace = { size: POSTGRES_BATCH, abreast: 2, measure: async (_, work) => work() };

const SLICE_MS = 4;
const SMALLEST = 5;
const LARGEST = 200;

export function slicedPace(): Pace {
  let size = SMALLEST * 2;
  return {
    abreast: 1,
    get size() {
      return Math.floor(size);
    },
    async measure(count, work) {
      const elapsedMs = stopwatch();
      const result = await work();
      const rows = count(result);
      // A batch that was not full says little about how long a full one takes.
      if (rows >= size / 2) {
        const ideal = (rows * SLICE_MS) / Math.max(elapsedMs(), 0.1);
        size = Math.min(LARGEST, Math.max(SMALLEST, (size + Math.min(ideal, size * 2)) / 2));
      }
      return result;
    },
  };
}
