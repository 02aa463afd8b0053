/**
 * Tells whoever waits for a signal that it has fired, with one listener per signal however many wait
 * for it: a signal compares each new listener with all it has, so a thousand pushes that share one
 * would pay a thousand comparisons each.
 */
export interface Watched {
  readonly signal: AbortSignal;
  /** Where it stands among those of the same signal; kept by the watch. */
  place: number;
}

export class AbortWatch<T extends Watched> {
  readonly #waiting = new Map<AbortSignal, T[]>();
  readonly #onFired: (watched: T) => void;

  constructor(onFired: (watched: T) => void) {
    this.#onFired = onFired;
  }

  add(watched: T): void {
    const others = this.#waiting.get(watched.signal) ?? this.#listen(watched.signal);
    watched.place = others.push(watched) - 1;
  }

  /** The last one takes the place that becomes free, so that nobody has to be searched for. */
  remove({ signal, place }: T): void {
    const others = this.#waiting.get(signal);
    const last = others?.pop();
    if (!others || !last) return;
    if (last.place !== place) {
      others[place] = last;
      last.place = place;
    }
    if (others.length === 0) this.#forget(signal);
  }

  #listen(signal: AbortSignal): T[] {
    const waiting: T[] = [];
    this.#waiting.set(signal, waiting);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    return waiting;
  }

  #forget(signal: AbortSignal): void {
    signal.removeEventListener('abort', this.#onAbort);
    this.#waiting.delete(signal);
  }

  readonly #onAbort = ({ target }: Event) => {
    for (const watched of [...(this.#waiting.get(target as AbortSignal) ?? [])]) this.#onFired(watched);
  };
}
