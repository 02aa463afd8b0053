/**
 * Reads imported files in a worker thread, one at a time. Limits on time and memory end the worker and
 * nothing else, so no file can stop the service. A caller that hangs up leaves the queue, and reading
 * its file stops.
 */
import { Worker } from 'node:worker_threads';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { QueueFull, Semaphore } from '../lib/semaphore.ts';
import type { DocumentEnd } from './read-document.ts';
import type { ReadItem } from './read-task.ts';
import type { ReadRequest, WorkerMessage } from './reading.worker.ts';

interface ReadingLimits {
  readonly milliseconds: number;
  readonly megabytes: number;
  /** How many uploads may wait while one is read: each stays in memory. */
  readonly maxWaiting: number;
}

export interface Reading extends DocumentEnd {
  readonly items: ReadItem[];
}

const LIMITS: ReadingLimits = { milliseconds: 20_000, megabytes: 384, maxWaiting: 4 };
const RETRY_AFTER_SECONDS = 10;
const WORKER = new URL('./reading.worker.ts', import.meta.url);

export class ArchiveReader {
  readonly #limits: ReadingLimits;
  readonly #turns: Semaphore;

  constructor(limits: Partial<ReadingLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
    this.#turns = new Semaphore({ capacity: 1, maxWaiting: this.#limits.maxWaiting });
  }

  /** Throws `InvalidInput` if the file as a whole is not valid, and the signal's reason when it fires. */
  async read(request: ReadRequest, callerLeft: AbortSignal): Promise<Reading> {
    const release = await this.#turns.acquire(callerLeft).catch((error: unknown) => {
      throw error instanceof QueueFull ? new AppError('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS }) : error;
    });
    try {
      callerLeft.throwIfAborted();
      return await this.#readAlone(request, callerLeft);
    } finally {
      release();
    }
  }

  async #readAlone(request: ReadRequest, callerLeft: AbortSignal): Promise<Reading> {
    const { milliseconds, megabytes } = this.#limits;
    const worker = new Worker(WORKER, {
      workerData: request,
      resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: 32 },
    });
    const finished = Promise.withResolvers<Reading>();
    const timer = setTimeout(() => finished.reject(tooCostly()), milliseconds);
    const leave = () => finished.reject(callerLeft.reason);
    callerLeft.addEventListener('abort', leave, { once: true });
    const items: ReadItem[] = [];
    worker.on('message', (report: WorkerMessage) => {
      if ('items' in report) {
        items.push(...report.items);
        void nextTurn().then(() => worker.postMessage('continue'));
      } else if ('problems' in report) finished.reject(new InvalidInput(...report.problems));
      else finished.resolve({ items, ...report.end });
    });
    worker.on('error', (error) => finished.reject(isOutOfMemory(error) ? tooCostly() : error));
    worker.on('exit', () => finished.reject(new Error('The reading thread ended without a result.')));
    return finished.promise.finally(async () => {
      clearTimeout(timer);
      callerLeft.removeEventListener('abort', leave);
      await worker.terminate();
    });
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const tooCostly = () =>
  new InvalidInput({ type: 'too_costly', loc: ['body'], msg: 'Reading this takes too much: import it in parts' });
