/**
 * Calls back for every item when its signal fires, with one listener per signal. A signal compares each new
 * listener with all existing ones, so with a listener per push a thousand pushes that share a signal would
 * cost a thousand comparisons each.
 */
export interface AbortTarget {
  readonly signal: AbortSignal;
  /** The position among the items of the same signal; set by the listener. */
  index: number;
}

export class SharedAbortListener<T extends AbortTarget> {
  readonly #itemsBySignal = new Map<AbortSignal, T[]>();
  readonly #onAbort: (item: T) => void;

  constructor(onAbort: (item: T) => void) {
    this.#onAbort = onAbort;
  }

  add(item: T): void {
    const items = this.#itemsBySignal.get(item.signal) ?? this.#listen(item.signal);
    item.index = items.push(item) - 1;
  }

  /** Moves the last item to the index that becomes free, so that no search is needed. */
  remove({ signal, index }: T): void {
    const items = this.#itemsBySignal.get(signal);
    const last = items?.pop();
    if (!items || !last) return;
    if (last.index !== index) {
      items[index] = last;
      last.index = index;
    }
    if (items.length === 0) this.#unlisten(signal);
  }

  #listen(signal: AbortSignal): T[] {
    const items: T[] = [];
    this.#itemsBySignal.set(signal, items);
    signal.addEventListener('abort', this.#onSignal, { once: true });
    return items;
  }

  #unlisten(signal: AbortSignal): void {
    signal.removeEventListener('abort', this.#onSignal);
    this.#itemsBySignal.delete(signal);
  }

  readonly #onSignal = ({ target }: Event) => {
    for (const item of [...(this.#itemsBySignal.get(target as AbortSignal) ?? [])]) this.#onAbort(item);
  };
}
