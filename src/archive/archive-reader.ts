/**
 * Has files read in a thread of their own, one at a time, with bounds on time and memory that end the
 * thread and nothing else. So no file, however it was made, can stop the service.
 */
import { Worker } from 'node:worker_threads';
import { InvalidInput } from '../lib/errors.ts';
import type { ReadItem } from './read-document.ts';
import type { Assignment, Report } from './reading.worker.ts';

interface ReadingLimits {
  readonly milliseconds: number;
  readonly megabytes: number;
}

const LIMITS: ReadingLimits = { milliseconds: 20_000, megabytes: 384 };
const WORKER = new URL('./reading.worker.ts', import.meta.url);

export class ArchiveReader {
  readonly #limits: ReadingLimits;
  #lastInLine: Promise<unknown> = Promise.resolve();

  constructor(limits: Partial<ReadingLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Throws `InvalidInput` where the file as a whole cannot be taken. */
  async read(assignment: Assignment): Promise<ReadItem[]> {
    const turn = this.#lastInLine.then(() => this.#readAlone(assignment));
    this.#lastInLine = turn.catch(() => undefined);
    return turn;
  }

  async #readAlone(assignment: Assignment): Promise<ReadItem[]> {
    const { milliseconds, megabytes } = this.#limits;
    const worker = new Worker(WORKER, {
      workerData: assignment,
      resourceLimits: { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: 32 },
    });
    const finished = Promise.withResolvers<ReadItem[]>();
    const patience = setTimeout(() => finished.reject(tooCostly()), milliseconds);
    const items: ReadItem[] = [];
    worker.on('message', (report: Report) => {
      if ('items' in report) items.push(...report.items);
      else if ('problems' in report) finished.reject(new InvalidInput(...report.problems));
      else finished.resolve(items);
    });
    worker.on('error', (error) => finished.reject(isOutOfMemory(error) ? tooCostly() : error));
    worker.on('exit', () => finished.reject(new Error('The reading thread ended without a word.')));
    return finished.promise.finally(async () => {
      clearTimeout(patience);
      await worker.terminate();
    });
  }
}

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const tooCostly = () =>
  new InvalidInput({ type: 'too_costly', loc: ['body'], msg: 'Reading this takes too much: import it in parts' });
