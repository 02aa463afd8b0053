/**
 * Requests that wait to begin, in one queue per caller. Callers take turns, so one that sends a hundred requests at
 * once delays each of the others by one.
 */
export class WaitingRequests<T> {
  readonly #queues = new Map<string, T[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(caller: string, request: T): void {
    const queue = this.#queues.get(caller);
    if (queue) queue.push(request);
    else this.#queues.set(caller, [request]);
    this.#size += 1;
  }

  /** The request that `take` returns next. */
  get next(): T | undefined {
    return this.#queues.values().next().value?.[0];
  }

  /** Removes the oldest request of the caller with the next turn. */
  take(): T | undefined {
    const caller = this.#queues.keys().next().value;
    return caller === undefined ? undefined : this.#takeOldestOf(caller);
  }

  /** Removes the oldest request of the caller with the most; among equals, of the caller with the next turn. */
  takeFromLongest(): T | undefined {
    let [longest, length]: [string, number] = ['', 0];
    for (const [caller, queue] of this.#queues) if (queue.length > length) [longest, length] = [caller, queue.length];
    return this.#takeOldestOf(longest);
  }

  /** Moves the caller to the end of the round, whether its request was served or refused. */
  #takeOldestOf(caller: string): T | undefined {
    const queue = this.#queues.get(caller);
    if (!queue) return undefined;
    const request = queue.shift();
    this.#queues.delete(caller);
    if (queue.length > 0) this.#queues.set(caller, queue);
    this.#size -= 1;
    return request;
  }
}
