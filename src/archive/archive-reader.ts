/**
 * Has files read in a thread of their own, one at a time, with bounds on time and memory that end the
 * thread and nothing else. So no file, however it was made, can stop the service. Whoever hangs up
 * leaves the line, and a file that is being read for nobody is read no further.
 */
import { Worker } from 'node:worker_threads';
import { AppError, InvalidInput } from '../lib/errors.ts';
import type { DocumentEnd } from './read-document.ts';
import type { ReadItem } from './read-item.ts';
import type { Assignment, Report } from './reading.worker.ts';

interface ReadingLimits {
  readonly milliseconds: number;
  readonly megabytes: number;
  /** How many wait while one is read: each holds its file in memory. */
  readonly inLine: number;
}

export interface Reading extends DocumentEnd {
  readonly items: ReadItem[];
}

const LIMITS: ReadingLimits = { milliseconds: 20_000, megabytes: 384, inLine: 4 };
const RETRY_AFTER_SECONDS = 10;
const WORKER = new URL('./reading.worker.ts', import.meta.url);

interface Waiting {
  readonly begin: () => void;
}

export class ArchiveReader {
  readonly #limits: ReadingLimits;
  readonly #line = new Set<Waiting>();
  #isReading = false;

  constructor(limits: Partial<ReadingLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Throws `InvalidInput` where the file as a whole cannot be taken, and the signal's reason once it fires. */
  async read(assignment: Assignment, departed: AbortSignal): Promise<Reading> {
    departed.throwIfAborted();
    await this.#turn(departed);
    try {
      departed.throwIfAborted();
      return await this.#readAlone(assignment, departed);
    } finally {
      this.#isReading = false;
      this.#next();
    }
  }

  /** Resolves when it is this one's turn, which is then taken. */
  async #turn(departed: AbortSignal): Promise<void> {
    if (!this.#isReading) {
      this.#isReading = true;
      return;
    }
    if (this.#line.size >= this.#limits.inLine) {
      throw new AppError('overloaded', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { begin: resolve };
    const leave = () => {
      if (this.#line.delete(waiting)) reject(departed.reason);
    };
    this.#line.add(waiting);
    departed.addEventListener('abort', leave, { once: true });
    await promise.finally(() => departed.removeEventListener('abort', leave));
  }

  #next(): void {
    const [first] = this.#line;
    if (!first) return;
    this.#line.delete(first);
    this.#isReading = true;
    first.begin();
  }

  async #readAlone(assignment: Assignment, departed: AbortSignal): Promise<Reading> {
    const { milliseconds, megabytes } = this.#limits;
    const worker = new Worker(WORKER, {
      workerData: assignment,
      resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: 32 },
    });
    const finished = Promise.withResolvers<Reading>();
    const patience = setTimeout(() => finished.reject(tooCostly()), milliseconds);
    const leave = () => finished.reject(departed.reason);
    departed.addEventListener('abort', leave, { once: true });
    const items: ReadItem[] = [];
    worker.on('message', (report: Report) => {
      if ('items' in report) items.push(...report.items);
      else if ('problems' in report) finished.reject(new InvalidInput(...report.problems));
      else finished.resolve({ items, ...report.end });
    });
    worker.on('error', (error) => finished.reject(isOutOfMemory(error) ? tooCostly() : error));
    worker.on('exit', () => finished.reject(new Error('The reading thread ended without a word.')));
    return finished.promise.finally(async () => {
      clearTimeout(patience);
      departed.removeEventListener('abort', leave);
      await worker.terminate();
    });
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const tooCostly = () =>
  new InvalidInput({ type: 'too_costly', loc: ['body'], msg: 'Reading this takes too much: import it in parts' });
