/**
 * Turns of the event loop for long work: pages of long answers, slices of follow-ups, calls of a batch. It gives way
 * to short requests. A request is short until it asks for a turn itself, or is older than `SHORT_MS`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { stopwatch } from './clock.ts';

/** For this long others give way to a request, and long work waits for a turn at most. */
const SHORT_MS = 25;

interface ShortWork {
  readonly ageMs: () => number;
}

const current = new AsyncLocalStorage<ShortWork>();
/** In the order in which they began. */
const shortWork = new Set<ShortWork>();
let noneIsShort = Promise.withResolvers<void>();
let last: Promise<void> = Promise.resolve();

/** Runs a request that is short for now. Returns a function to call when the request is over. */
export function beginShort(run: () => void): () => void {
  const work = { ageMs: stopwatch() };
  shortWork.add(work);
  current.run(work, run);
  return () => endShort(work);
}

function endShort(work: ShortWork): void {
  if (!shortWork.delete(work) || shortWork.size > 0) return;
  noneIsShort.resolve();
  noneIsShort = Promise.withResolvers();
}

/**
 * Resolves in a later turn of the event loop, when short requests have been served. Callers are admitted one per turn
 * in the order they came, so many long answers at once hold the event loop no longer than one of them.
 */
export function nextTurn(): Promise<void> {
  const work = current.getStore();
  if (work) endShort(work);
  last = last.then(giveWay);
  return last;
}

async function giveWay(): Promise<void> {
  const waitedMs = stopwatch();
  do {
    if (isAnyShort()) await noneShortWithin(Math.max(1, SHORT_MS - waitedMs()));
    await new Promise((resolve) => setImmediate(resolve));
  } while (isAnyShort() && waitedMs() < SHORT_MS);
}

/** Forgets those that turned out not to be short, such as slow uploads and streams of the web app. */
function isAnyShort(): boolean {
  for (const work of shortWork) {
    if (work.ageMs() < SHORT_MS) return true;
    shortWork.delete(work);
  }
  return false;
}

async function noneShortWithin(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([noneIsShort.promise, promise]);
  clearTimeout(timer);
}

/** For the simulation, whose killed processes share this module with their successors and leave a turn that never ends. */
export function forgetTurns(): void {
  last = Promise.resolve();
  shortWork.clear();
}
