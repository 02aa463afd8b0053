/**
 * Gives short requests precedence over long work: pages of long answers, slices of follow-ups, calls of a batch. Long
 * work waits for its turn, which comes when no short request is under way. A request is short until it asks for a turn,
 * or is older than `SHORT_MS`. From then on it asks for a turn before each statement outside of a transaction, unless
 * its last turn has just begun: otherwise the statements between two pages would take the cores from short requests
 * that arrive meanwhile.
 */
import { stopwatch } from './clock.ts';
import { currentRequest, type RequestWork, runInRequest } from './current-request.ts';

/** A request is short for at most this long, and long work waits for its turn for at most this long. */
const SHORT_MS = 25;
/** After a turn began, statements need no further turn for this long. */
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
    // Work that outlives the request, such as a wake-up of the engine, needs no turns.
    work.isOver = true;
  };
}

/** From now on no long work waits for this request. For calls of assistants, which would all wait for each other. */
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
 * Resolves when it is the caller's turn: short requests have been served, and the event loop has run once more. Callers
 * take their turns in the order they came, so many long answers at once delay others no longer than one of them.
 */
export function nextTurn(): Promise<void> {
  const { work } = currentRequest();
  stopBeingShort();
  last = last.then(giveWay).then(() => {
    if (work) work.turnMs = stopwatch();
  });
  return last;
}

/** For the database: the turn that a statement of long work waits for. Undefined if it need not wait. */
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

/** Also drops requests that turned out not to be short, such as slow uploads and streams of the web app. */
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

/** For the simulation: a killed process shares this module with the next one and leaves a turn that never ends. */
export function forgetTurns(): void {
  last = Promise.resolve();
  shortWork.clear();
}
