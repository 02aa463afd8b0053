/**
 * Who is waiting for which feed to be written. A feed is written once at a time, however many ask for
 * it, and no longer than anybody waits: an impatient calendar that asks again costs nothing.
 */
interface Writing {
  readonly tag: string;
  readonly text: Promise<string>;
  readonly stop: AbortController;
  readers: number;
}

type Write = (signal: AbortSignal) => Promise<string>;

export class FeedWritings {
  readonly #current = new Map<string, Writing>();

  /** The feed in the state that the tag names, written for this reader or with others. */
  async read(feed: string, tag: string, write: Write, departed: AbortSignal): Promise<string> {
    for (;;) {
      departed.throwIfAborted();
      const current = this.#current.get(feed);
      if (!current || current.stop.signal.aborted) return this.#join(this.#begin(feed, tag, write, current), departed);
      if (current.tag === tag) return this.#join(current, departed);
      await this.#join(current, departed).catch(() => undefined);
    }
  }

  #begin(feed: string, tag: string, write: Write, before: Writing | undefined): Writing {
    const stop = new AbortController();
    // One that was given up is at its last task; it is over before the next begins.
    const text = Promise.resolve(before?.text)
      .catch(() => undefined)
      .then(() => write(stop.signal))
      .finally(() => {
        if (this.#current.get(feed) === writing) this.#current.delete(feed);
      });
    const writing = { tag, text, stop, readers: 0 };
    this.#current.set(feed, writing);
    return writing;
  }

  async #join(writing: Writing, departed: AbortSignal): Promise<string> {
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(departed.reason);
    departed.addEventListener('abort', leave, { once: true });
    writing.readers += 1;
    try {
      return await Promise.race([writing.text, left.promise]);
    } finally {
      departed.removeEventListener('abort', leave);
      writing.readers -= 1;
      if (writing.readers === 0) writing.stop.abort();
    }
  }
}
