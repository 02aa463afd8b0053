/** The thread in which a file is read: whatever is in it, the service goes on answering meanwhile. */
import { parentPort, workerData } from 'node:worker_threads';
import { type InputProblem, InvalidInput } from '../lib/errors.ts';
import { type Document, type DocumentEnd, readDocument } from './read-document.ts';
import type { ReadItem } from './read-item.ts';
import type { Reader } from './read-task.ts';

export interface Assignment {
  readonly document: Document;
  readonly reader: Reader;
}

export type Report =
  | { readonly items: readonly ReadItem[] }
  | { readonly problems: readonly InputProblem[] }
  | { readonly end: DocumentEnd };

/** Taking a message in is work for the thread that answers requests, so it gets it in small ones. */
const ITEMS_PER_REPORT = 200;

const report = (message: Report) => parentPort?.postMessage(message);

function readAll({ document, reader }: Assignment): void {
  const reading = readDocument(document, reader);
  let items: ReadItem[] = [];
  let step = reading.next();
  for (; !step.done; step = reading.next()) {
    items.push(step.value);
    if (items.length < ITEMS_PER_REPORT) continue;
    report({ items });
    items = [];
  }
  report({ items });
  report({ end: step.value });
}

try {
  readAll(workerData as Assignment);
} catch (error) {
  if (!(error instanceof InvalidInput)) throw error;
  report({ problems: error.problems });
}
