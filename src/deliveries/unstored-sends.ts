/**
 * The deliveries that this process has sent and whose result is not stored yet. If such a delivery is leased again,
 * because its lease is over, it must not be sent twice.
 *
 * A result stored while a lease query runs can still appear in the rows of that query, so its id is forgotten when the
 * query's rows are dealt with. At any other time it is forgotten at once: an engine that never finds work in the outbox
 * would otherwise remember every push for as long as it runs.
 */
export class UnstoredSends {
  readonly #ids = new Set<string>();
  readonly #storedMeanwhile: string[] = [];
  #isLeasing = false;

  add(id: string): void {
    this.#ids.add(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  stored(id: string): void {
    if (this.#isLeasing) this.#storedMeanwhile.push(id);
    else this.#ids.delete(id);
  }

  /** Runs a lease query and what is done with its rows. One at a time. */
  async whileLeasing<T>(work: () => Promise<T>): Promise<T> {
    this.#isLeasing = true;
    try {
      return await work();
    } finally {
      this.#isLeasing = false;
      for (const id of this.#storedMeanwhile.splice(0)) this.#ids.delete(id);
    }
  }
}
