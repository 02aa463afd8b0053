/** The worker thread that reads a file, so that the service keeps answering while it is read. */
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

/** Receiving a message costs time on the thread that answers requests, so messages are small. */
const ITEMS_PER_MESSAGE = 200;

const post = (message: WorkerMessage) => parentPort?.postMessage(message);

function readAll({ document, context: reader }: ReadRequest): void {
  const reading = readDocument(document, reader);
  let items: ReadItem[] = [];
  let step = reading.next();
  for (; !step.done; step = reading.next()) {
    items.push(step.value);
    if (items.length < ITEMS_PER_MESSAGE) continue;
    post({ items });
    items = [];
  }
  post({ items });
  post({ end: step.value });
}

try {
  readAll(workerData as ReadRequest);
} catch (error) {
  if (!(error instanceof InvalidInput)) throw error;
  post({ problems: error.problems });
}
