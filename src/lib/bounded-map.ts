/** A map for what can be found out again: if it is full, what was set the longest ago is forgotten. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  constructor(most: number) {
    super();
    this.#most = most;
  }

  /** As the newest entry, also if it was there before. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.keys();
    if (this.size > this.#most) this.delete(oldest as Key);
    return this;
  }
}
