/**
 * A set of positions that count from the front (1, 2, …) or from the back (-1, -2, …), as days of a
 * month, ordinals of weekdays and BYSETPOS all do. A rule that never falls asks it half a million
 * times before that is known, and a table answers four times as fast as a Set.
 */
const FURTHEST = 366;

export class SignedPositions {
  readonly #marks = new Uint8Array(2 * FURTHEST + 1);

  constructor(positions: Iterable<number>) {
    for (const position of positions) this.#marks[FURTHEST + position] = 1;
  }

  /** Whether the element at `index` (from 0) of so many is meant, counted from either end. */
  includes(index: number, length: number): boolean {
    return this.#marks[FURTHEST + index + 1] === 1 || this.#marks[FURTHEST + index - length] === 1;
  }
}
