/**
 * Deliveries that this process has sent without having stored their results yet. If the lease of such a delivery ends
 * and it is leased again, it must not be sent twice.
 *
 * A result stored while a lease query runs can still appear in the rows of that query, so its id is forgotten only when
 * those rows are processed. At any other time it is forgotten at once: an engine that never finds work in the outbox
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

  /** Runs a lease query and the work on its rows. Calls must not overlap. */
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
