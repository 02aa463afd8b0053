/**
 * Turns of the event loop for long work: pages of long answers, slices of follow-ups, calls of a batch. It gives way
 * to short requests. A request is short until it asks for a turn itself, or is older than `SHORT_MS`. From then on it
 * asks for another turn before each statement outside of a transaction, unless its turn has just begun: otherwise the
 * statements between two pages would take the cores from the short requests that arrive meanwhile.
 */
import { stopwatch } from './clock.ts';
import { currentRequest, type RequestWork, runInRequest } from './current-request.ts';

/** Others give way to a request for this long, and long work waits at most this long for a turn. */
const SHORT_MS = 25;
/** For this long after a turn began, statements need no other turn. */
const TURN_MS = 2;

/** In the order in which they began. */
const shortWork = new Set<RequestWork>();
let noneIsShort = Promise.withResolvers<void>();
let last: Promise<void> = Promise.resolve();

/** Runs a request that is short for now. Returns a function to call when the request is over. */
export function beginShort(run: () => void): () => void {
  const work: RequestWork = { ageMs: stopwatch(), isOver: false };
  shortWork.add(work);
  runInRequest({ work }, run);
  return () => {
    endShort(work);
    // A request can leave work running, such as a wake-up of the engine. It does not wait for other requests.
    work.isOver = true;
  };
}

/** From now on no long work waits for the request. Calls of assistants use it: they would all wait for each other. */
export function stopBeingShort(): void {
  const { work } = currentRequest();
  if (work) endShort(work);
}

function endShort(work: RequestWork): void {
  if (!shortWork.delete(work) || shortWork.size > 0) return;
  noneIsShort.resolve();
  noneIsShort = Promise.withResolvers();
}

/**
 * Resolves in a later turn of the event loop, when short requests have been served. Callers are admitted one per turn
 * in the order they came, so many long answers at once hold the event loop no longer than one of them.
 */
export function nextTurn(): Promise<void> {
  const { work } = currentRequest();
  stopBeingShort();
  last = last.then(giveWay).then(() => {
    if (work) work.turnMs = stopwatch();
  });
  return last;
}

/** For the database: what a statement of long work waits for. Nothing if the work is short, or has just had a turn. */
export function turnForStatement(): Promise<void> | undefined {
  const { work } = currentRequest();
  if (!work?.turnMs || work.isOver || work.turnMs() < TURN_MS) return undefined;
  return nextTurn();
}

async function giveWay(): Promise<void> {
  const waitedMs = stopwatch();
  do {
    if (isAnyShort()) await noneShortWithin(Math.max(1, SHORT_MS - waitedMs()));
    await new Promise((resolve) => setImmediate(resolve));
  } while (isAnyShort() && waitedMs() < SHORT_MS);
}

/** Forgets requests that are too old to be short, such as slow uploads and streams of the web app. */
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

/** For the simulation: a killed process shares this module with the next one, and leaves a turn that never ends. */
export function forgetTurns(): void {
  last = Promise.resolve();
  shortWork.clear();
}
