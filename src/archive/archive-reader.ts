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
import type { MoveInContents, MoveInPage } from './read-move-in.ts';
import type { ReadItem } from './read-task.ts';
import type { MoveInRequest, ReadRequest, WorkerMessage } from './reading.worker.ts';

interface ReadingLimits {
  readonly milliseconds: number;
  /** For a move, whose pages are stored meanwhile. Below the 30 s of a request, so that the answer says what is wrong. */
  readonly moveInMilliseconds: number;
  readonly megabytes: number;
  /** How many uploads may wait while one is read: each stays in memory. */
  readonly maxWaiting: number;
}

export interface Reading extends DocumentEnd {
  readonly items: ReadItem[];
}

const LIMITS: ReadingLimits = { milliseconds: 20_000, moveInMilliseconds: 27_000, megabytes: 384, maxWaiting: 4 };
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
    const items: ReadItem[] = [];
    const end = await this.#inTurn<ReadItem, DocumentEnd>(request, callerLeft, async (some) => {
      items.push(...some);
    });
    return { items, ...end };
  }

  /** `take` gets the pages of the file, in order. The thread waits for it before it reads on. */
  async readMoveIn(
    request: MoveInRequest,
    callerLeft: AbortSignal,
    take: (pages: readonly MoveInPage[]) => Promise<void>,
  ): Promise<MoveInContents> {
    return this.#inTurn<MoveInPage, MoveInContents>(request, callerLeft, take);
  }

  async #inTurn<Item, End>(
    request: ReadRequest | MoveInRequest,
    callerLeft: AbortSignal,
    take: (items: readonly Item[]) => Promise<void>,
  ): Promise<End> {
    const release = await this.#turns.acquire(callerLeft).catch((error: unknown) => {
      throw error instanceof QueueFull ? new AppError('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS }) : error;
    });
    try {
      callerLeft.throwIfAborted();
      return await this.#readAlone(request, callerLeft, take);
    } finally {
      release();
    }
  }

  async #readAlone<Item, End>(
    request: ReadRequest | MoveInRequest,
    callerLeft: AbortSignal,
    take: (items: readonly Item[]) => Promise<void>,
  ): Promise<End> {
    const { moveInMilliseconds, megabytes } = this.#limits;
    const milliseconds = 'file' in request ? moveInMilliseconds : this.#limits.milliseconds;
    const worker = new Worker(WORKER, {
      workerData: request,
      resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: 32 },
    });
    const finished = Promise.withResolvers<End>();
    const timer = setTimeout(() => finished.reject(tooCostly()), milliseconds);
    const leave = () => finished.reject(callerLeft.reason);
    callerLeft.addEventListener('abort', leave, { once: true });
    let taking: Promise<void> = Promise.resolve();
    worker.on('message', (report: WorkerMessage<Item, End>) => {
      if ('items' in report) {
        taking = take(report.items)
          .then(() => nextTurn())
          .then(() => worker.postMessage('continue'));
        taking.catch((error: unknown) => finished.reject(error));
      } else if ('problems' in report) finished.reject(new InvalidInput(...report.problems));
      else finished.resolve(report.end);
    });
    worker.on('error', (error) => finished.reject(isOutOfMemory(error) ? tooCostly() : error));
    worker.on('exit', () => finished.reject(new Error('The reading thread ended without a result.')));
    return finished.promise.finally(async () => {
      clearTimeout(timer);
      callerLeft.removeEventListener('abort', leave);
      await worker.terminate();
      // What is being stored of the file must be over before the caller removes it.
      await taking.catch(() => undefined);
    });
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const tooCostly = () =>
  new InvalidInput({ type: 'too_costly', loc: ['body'], msg: 'Reading this takes too much: import it in parts' });
