/**
 * Sends long answers page by page, as fast as the client reads them. A page or two of each is in memory, and
 * between two pages the event loop serves other requests. One account has a few such answers at once, and an
 * answer whose reader takes nothing for a while is cut, so unread answers cannot fill the memory.
 *
 * A failure after the headers cuts the connection: half an answer never looks complete. So does the end of the permission:
 * before each next page the token is asked about again, because a reader can take an hour.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { type Pages, pagesIn } from '../lib/pages.ts';
import { KeyedSemaphore, QueueFull } from '../lib/semaphore.ts';
import { callerOf, isStillAuthenticated } from './authentication.ts';
import { extendHandlerTime } from './handler-timeout.ts';
import { chargeRows, chargeRowsOfOthers } from './limit-costs.ts';

declare module 'fastify' {
  interface FastifyInstance {
    streamedAnswers: { readonly places: KeyedSemaphore; readonly readerTimeoutMs: number };
  }
}

const MOST_PER_ACCOUNT = 3;
const RETRY_AFTER_SECONDS = 10;
/** Enough for a large answer over a slow connection. */
const LONGEST_MS = 3_600_000;

export function limitStreamedAnswers(app: FastifyInstance, readerTimeoutMs: number): void {
  const places = new KeyedSemaphore({ capacity: MOST_PER_ACCOUNT, maxWaiting: 0 });
  app.decorate('streamedAnswers', { places, readerTimeoutMs });
}

/** Sends the chunks, each of which is read only when the client has taken those before it. */
export async function sendStream(
  request: FastifyRequest,
  reply: FastifyReply,
  chunks: AsyncIterable<string>,
  type = 'application/json; charset=utf-8',
): Promise<FastifyReply> {
  reply.type(type);
  // Fastify would read the whole stream to answer HEAD.
  if (request.method === 'HEAD') return reply.send(Readable.from([]));
  const { places } = request.server.streamedAnswers;
  const release = await places.acquire(callerOf(request).userId).catch((error: unknown) => {
    throw error instanceof QueueFull ? tooManyStreams() : error;
  });
  reply.raw.once('close', release);
  if (reply.raw.destroyed) release();
  return sendWhile(reply, chunks, () => isStillAuthenticated(request));
}

/** Longer texts are sent in chunks of this size. The buffers of a connection hold more. */
const CHUNK_BYTES = 16_384;

/** Sends a text that was written at once, for as long as `isAllowed` says so. */
export function sendText(reply: FastifyReply, text: string, isAllowed: IsAllowed): FastifyReply {
  const bytes = Buffer.from(text);
  if (bytes.length <= CHUNK_BYTES || reply.request.method === 'HEAD') return reply.send(bytes);
  return sendWhile(reply.header('content-length', bytes.length), chunksOf(bytes), isAllowed);
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
}

type IsAllowed = () => Promise<boolean>;

function sendWhile(reply: FastifyReply, chunks: AsyncIterable<string | Buffer>, isAllowed: IsAllowed): FastifyReply {
  extendHandlerTime(reply, LONGEST_MS);
  reply.raw.setTimeout(reply.server.streamedAnswers.readerTimeoutMs, () => reply.raw.destroy());
  return reply.send(Readable.from(takeWhile(chunks, isAllowed), { objectMode: false, highWaterMark: 1 }));
}

/** Asks when the client wants the next chunk, and before that chunk is read. */
async function* takeWhile<T>(chunks: AsyncIterable<T>, isAllowed: IsAllowed): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    yield chunk;
    if (!(await isAllowed())) throw new AppError('unauthenticated');
  }
}

const tooManyStreams = () =>
  new AppError('too_many_requests', {
    sentence: `${MOST_PER_ACCOUNT} long answers to this account are still being read. Finish reading one first.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });

export interface PagedList<T> {
  readonly pages: Pages<T>;
  /** The schema of a page. It must be a constant: it is compiled once per object. */
  readonly schema: object;
}

/**
 * Answers with lists of any length, and charges their rows. `answerWith` builds the answer from the rows of each
 * list. If every list has one page, that answer is sent as it is.
 */
export async function sendPaged<R extends unknown[], A>(
  request: FastifyRequest,
  reply: FastifyReply,
  lists: readonly [...{ [K in keyof R]: PagedList<R[K]> }],
  answerWith: (...rows: { [K in keyof R]: R[K][] }) => A,
): Promise<A> {
  const all: readonly PagedList<unknown>[] = lists;
  const build = answerWith as (...rows: unknown[][]) => A;
  for (const { pages } of all) charge(request, pages.first);
  if (all.every(({ pages }) => pages.rest === undefined)) return build(...all.map(({ pages }) => pages.first));
  const frame = String(reply.serialize(build(...all.map(() => []))));
  return (await sendStream(request, reply, writeLists(request, reply, all, frame))) as never;
}

/** Writes the lists into the first empty arrays of the frame, in order. */
async function* writeLists(
  request: FastifyRequest,
  reply: FastifyReply,
  lists: readonly PagedList<unknown>[],
  frame: string,
): AsyncGenerator<string> {
  let rest = frame;
  for (const { pages, schema } of lists) {
    const end = rest.indexOf('[]') + 1;
    yield rest.slice(0, end);
    rest = rest.slice(end);
    const serialise = reply.compileSerializationSchema(schema as Record<string, unknown>);
    let separator = '';
    for await (const rows of pagesIn(pages)) {
      if (rows !== pages.first) charge(request, rows);
      if (rows.length > 0) yield `${separator}${serialise(rows as never).slice(1, -1)}`;
      if (rows.length > 0) separator = ',';
    }
  }
  yield rest;
}

/** A row with more text than this costs as much as several, one for each `CHARACTERS_PER_ROW`. */
const USUAL_CHARACTERS = 1_000;
const CHARACTERS_PER_ROW = 500;

/** Rows without an owner are the caller's. */
function charge(request: FastifyRequest, rows: readonly unknown[]): void {
  const { userId } = callerOf(request);
  const isOwn = (row: unknown) => ((row as Row).owner_id ?? userId) === userId;
  const own = rows.filter(isOwn);
  chargeRows(request, costOf(own));
  if (own.length < rows.length) chargeRowsOfOthers(request, costOf(rows.filter((row) => !isOwn(row))));
}

/** How many rows of usual length these are. */
export function costOf(rows: readonly unknown[]): number {
  let cost = rows.length;
  for (const row of rows) cost += Math.max(0, textOf(row as Row) - USUAL_CHARACTERS) / CHARACTERS_PER_ROW;
  return cost;
}

type Row = Readonly<Record<string, unknown>>;

/** A loop over the names, because a list of 50 tasks has 1,300 values, and copying them costs as much as reading them. */
function textOf(row: Row): number {
  let length = 0;
  for (const name in row) {
    const value = row[name];
    if (typeof value === 'string') length += value.length;
    // A recurrence.
    else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
      length += JSON.stringify(value).length;
    }
  }
  return length;
}
