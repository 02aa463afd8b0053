/** Keeps the lowest of many values, so that a page in order needs no list of all of them. */
export class Lowest<T> {
  readonly #most: number;
  readonly #compare: (one: T, other: T) => number;
  #kept: T[] = [];

  constructor(most: number, compare: (one: T, other: T) => number) {
    this.#most = most;
    this.#compare = compare;
  }

  /** False if the value, and so every higher one, is too high to be kept. */
  add(value: T): boolean {
    const last = this.#kept[this.#most - 1];
    if (last !== undefined && this.#compare(value, last) >= 0) return false;
    let [low, high] = [0, this.#kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(this.#kept[middle] as T, value) <= 0) low = middle + 1;
      else high = middle;
    }
    this.#kept.splice(low, 0, value);
    this.#kept.length = Math.min(this.#kept.length, this.#most);
    return true;
  }

  /** In ascending order; equal ones in the order in which they came. */
  get values(): readonly T[] {
    return this.#kept;
  }
}
