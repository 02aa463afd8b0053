/**
 * The worker thread that reads a file, so that the service keeps answering while it is read. Messages are small, and
 * each is sent when the one before was received: receiving them takes time of the thread that answers requests.
 */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { type InputProblem, InvalidInput } from '../lib/errors.ts';
import { type Document, type DocumentEnd, readDocument } from './read-document.ts';
import type { ImportContext, ReadItem } from './read-task.ts';

export interface ReadRequest {
  readonly document: Document;
  readonly context: ImportContext;
}

export type WorkerMessage =
  | { readonly items: readonly ReadItem[] }
  | { readonly problems: readonly InputProblem[] }
  | { readonly end: DocumentEnd };

const ITEMS_PER_MESSAGE = 100;

const post = (message: WorkerMessage) => parentPort?.postMessage(message);

async function readAll({ document, context: reader }: ReadRequest): Promise<void> {
  const reading = readDocument(document, reader);
  let items: ReadItem[] = [];
  let step = reading.next();
  for (; !step.done; step = reading.next()) {
    items.push(step.value);
    if (items.length < ITEMS_PER_MESSAGE) continue;
    post({ items });
    if (parentPort) await once(parentPort, 'message');
    items = [];
  }
  post({ items });
  post({ end: step.value });
}

try {
  await readAll(workerData as ReadRequest);
} catch (error) {
  if (!(error instanceof InvalidInput)) throw error;
  post({ problems: error.problems });
}
