/**
 * How many rows a batch has. On PostgreSQL a batch waits for the server and blocks no request, so it is
 * as large as pays. On SQLite it runs on the service's own thread and every request waits for it, so its
 * size adapts until a batch takes a few milliseconds.
 */
import { stopwatch } from './clock.ts';

export interface BatchSize {
  readonly size: number;
  /** How many batches may run at once. */
  readonly concurrency: number;
  /** Runs a batch, and learns from how long it took. */
  measure<T>(count: (result: T) => number, work: () => Promise<T>): Promise<T>;
}

const POSTGRES_BATCH = 500;

/** Always this many rows, one batch at a time. */
export const sliceOf = (size: number): BatchSize => ({ size, concurrency: 1, measure: async (_, work) => work() });

/** Two at once, so that the server works on one while this process plans the other. */
export const fixedBatchSize: BatchSize = { size: POSTGRES_BATCH, concurrency: 2, measure: async (_, work) => work() };

const TARGET_MS = 4;
const SMALLEST = 5;
const LARGEST = 200;

export function adaptiveBatchSize(): BatchSize {
  let size = SMALLEST * 2;
  return {
    concurrency: 1,
    get size() {
      return Math.floor(size);
    },
    async measure(count, work) {
      const elapsedMs = stopwatch();
      const result = await work();
      const rows = count(result);
      // The time of a batch that was mostly empty says little about a full one.
      if (rows >= size / 2) {
        const ideal = (rows * TARGET_MS) / Math.max(elapsedMs(), 0.1);
        size = Math.min(LARGEST, Math.max(SMALLEST, (size + Math.min(ideal, size * 2)) / 2));
      }
      return result;
    },
  };
}
