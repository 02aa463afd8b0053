/**
 * The worker thread that reads a file, so that the service keeps answering while it is read. Messages are small, and
 * each is sent when the one before was received: receiving them takes time of the thread that answers requests.
 */
import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { type InputProblem, InvalidInput } from '../lib/errors.ts';
import { type Document, type DocumentEnd, readDocument } from './read-document.ts';
import type { MoveInContents, MoveInPage } from './read-move-in.ts';
import type { ImportContext, ReadItem } from './read-task.ts';
import type { NamedFile } from './recognise-file.ts';

export interface ReadRequest {
  readonly document: Document;
  readonly context: ImportContext;
}

export interface MoveInRequest {
  readonly file: NamedFile;
  readonly context: ImportContext;
}

export type WorkerMessage<Item, End> =
  | { readonly items: readonly Item[] }
  | { readonly problems: readonly InputProblem[] }
  | { readonly end: End };

const ITEMS_PER_MESSAGE = 100;
/** A page has up to 25 tasks. */
const PAGES_PER_MESSAGE = 8;

async function send<Item, End>(reading: Generator<Item, End>, itemsPerMessage: number): Promise<void> {
  const post = (message: WorkerMessage<Item, End>) => parentPort?.postMessage(message);
  // The next items are read while those before are received.
  let received: Promise<unknown> = Promise.resolve();
  const postItems = async (items: readonly Item[]) => {
    await received;
    post({ items });
    if (parentPort) received = once(parentPort, 'message');
  };
  let items: Item[] = [];
  let step = reading.next();
  for (; !step.done; step = reading.next()) {
    items.push(step.value);
    if (items.length < itemsPerMessage) continue;
    await postItems(items);
    items = [];
  }
  await postItems(items);
  await received;
  post({ end: step.value });
}

async function readAll(request: ReadRequest | MoveInRequest): Promise<void> {
  if ('document' in request) {
    return send<ReadItem, DocumentEnd>(readDocument(request.document, request.context), ITEMS_PER_MESSAGE);
  }
  // The reader of dates in words takes a second to load, so other files do without it.
  const { readMoveIn } = await import('./read-move-in.ts');
  return send<MoveInPage, MoveInContents>(readMoveIn(request.file, request.context), PAGES_PER_MESSAGE);
}

try {
  await readAll(workerData as ReadRequest | MoveInRequest);
} catch (error) {
  if (!(error instanceof InvalidInput)) throw error;
  const message: WorkerMessage<never, never> = { problems: error.problems };
  parentPort?.postMessage(message);
}
