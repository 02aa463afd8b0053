/**
 * Reads many rows in pages, and waits for a turn before each page: queries on SQLite never yield, so one large answer
 * would otherwise delay every other request. Only the ids stay in memory.
 */
import { nextTurn } from './next-turn.ts';

/** Reading and serialising this many tasks takes about 5 ms. An answer with more has several pages. */
export const ROWS_PER_PAGE = 200;
/** Later pages are smaller: a long answer has many of them, and several long answers may run at once. */
export const ROWS_PER_LATER_PAGE = 100;
/** Sorting this many ids takes about 3 ms; sorting 50,000 at once takes 65 ms. */
const IDS_PER_SORT = 4_000;

/** The first page has been read; the others are read as they are consumed. */
export interface Pages<T> {
  readonly first: T[];
  /** Absent if there is only one page. */
  readonly rest?: AsyncIterable<T[]>;
}

/** Reads one slice of ids. Rows with much text fill more than one page. */
type ReadPages<T> = (ids: readonly string[]) => Promise<Pages<T>>;

/** A page may have fewer rows than ids, because a row can disappear in the meantime. */
export async function readInPages<T>(ids: Iterable<string>, read: ReadPages<T>): Promise<Pages<T>> {
  const slices = slicesOf(ids, ROWS_PER_LATER_PAGE, ROWS_PER_PAGE);
  const [slice, second] = [slices.next().value, slices.next().value];
  // Listing more ids than one page has has taken a while already.
  if (second) await nextTurn();
  const pages = slice ? await read(slice) : { first: [] };
  return second ? { first: pages.first, rest: readRest(pages, second, slices, read) } : pages;
}

async function* readRest<T>(
  { rest }: Pages<T>,
  slice: readonly string[],
  following: Iterable<readonly string[]>,
  read: ReadPages<T>,
): AsyncGenerator<T[]> {
  if (rest) yield* rest;
  await nextTurn();
  yield* pagesIn(await read(slice));
  for (const next of following) {
    await nextTurn();
    yield* pagesIn(await read(next));
  }
}

export async function* pagesIn<T>({ first, rest }: Pages<T>): AsyncGenerator<T[]> {
  yield first;
  if (rest) yield* rest;
}

/** Reading and writing this much text takes about as long as a page of ordinary rows. */
export const BYTES_PER_PAGE = 100_000;

/** Splits the rows into groups, each with at least `BYTES_PER_PAGE` of text except the last. */
export function* groupsOfText<T extends { readonly text_bytes: number }>(
  rows: readonly T[],
): Generator<T[], undefined> {
  let [group, bytes]: [T[], number] = [[], 0];
  for (const row of rows) {
    group.push(row);
    bytes += row.text_bytes;
    if (bytes < BYTES_PER_PAGE) continue;
    yield group;
    [group, bytes] = [[], 0];
  }
  if (group.length > 0) yield group;
}

export function mapPages<T, U>({ first, rest }: Pages<T>, map: (row: T) => U): Pages<U> {
  const mapRest = async function* (pages: AsyncIterable<T[]>) {
    for await (const page of pages) yield page.map(map);
  };
  return { first: first.map(map), ...(rest && { rest: mapRest(rest) }) };
}

export function* slicesOf<T>(values: Iterable<T>, size: number, firstSize = size): Generator<T[], undefined> {
  let [slice, wanted]: [T[], number] = [[], firstSize];
  for (const value of values) {
    slice.push(value);
    if (slice.length < wanted) continue;
    yield slice;
    [slice, wanted] = [[], size];
  }
  if (slice.length > 0) yield slice;
}

/** Sorts in parts, and merges the parts as the result is consumed. Each id is in the result once. */
export async function sortInTurns(ids: readonly string[]): Promise<Iterable<string>> {
  const parts: string[][] = [];
  for (let start = 0; start < ids.length; start += IDS_PER_SORT) {
    if (ids.length > IDS_PER_SORT) await nextTurn();
    parts.push(ids.slice(start, start + IDS_PER_SORT).sort());
  }
  return merge(parts);
}

function* merge(parts: readonly (readonly string[])[]): Generator<string> {
  let open = parts.map((part) => ({ part, next: 0, head: part[0] as string }));
  let last: string | undefined;
  while (open.length > 0) {
    const least = open.reduce((one, other) => (other.head < one.head ? other : one));
    if (least.head !== last) yield least.head;
    last = least.head;
    least.next += 1;
    const head = least.part[least.next];
    if (head === undefined) open = open.filter((one) => one !== least);
    else least.head = head;
  }
}
