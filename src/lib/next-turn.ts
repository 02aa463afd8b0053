let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a later turn of the event loop, after others were served. Callers are admitted one per turn in the
 * order they came, so many long answers at once hold the event loop no longer than one of them.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
