let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a later turn of the event loop, after others were served. Callers are admitted one per turn in the
 * order they came, so many long answers at once hold the event loop no longer than one of them.
 */
export function nextTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}

/**
 * Admits no further caller until the work is done. For a transaction that has the one writer of SQLite for several
 * turns: every other writer waits for it, so its turns must be short and follow each other. The work itself must not
 * call `nextTurn`.
 */
export async function holdTurns<T>(work: () => Promise<T>): Promise<T> {
  const done = Promise.withResolvers<void>();
  last = last.then(() => done.promise);
  try {
    return await work();
  } finally {
    done.resolve();
  }
}
