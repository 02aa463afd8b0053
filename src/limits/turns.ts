/**
 * Lets accounts take turns. In a round an account may use up to a share. Then claims leave it out until a claim comes
 * back short: no other account has anything due, and a new round starts. So an account waits for one share of another
 * at most, however much the other has waiting.
 *
 * Each process counts by itself. Two engines give an account two shares, and they work at twice the speed.
 */
export class Turns {
  readonly #share: () => number;
  readonly #used = new Map<string, number>();
  #spent = new Set<string>();
  #spentBefore = new Set<string>();

  constructor(share: () => number) {
    this.#share = share;
  }

  /** The accounts that claims leave out. */
  get spent(): readonly string[] {
    return [...this.#spent];
  }

  /** The rest of an account's share in this round; zero or less if it has used all of it. */
  left(ownerId: string): number {
    return this.#share() - (this.#used.get(ownerId) ?? 0);
  }

  use(ownerId: string, cost: number): void {
    this.#used.set(ownerId, (this.#used.get(ownerId) ?? 0) + cost);
    if (this.left(ownerId) <= 0) this.#spent.add(ownerId);
  }

  /** Whether the account has had to wait for its turn, in this round or the last one. */
  hasWaited(ownerId: string): boolean {
    return this.#spent.has(ownerId) || this.#spentBefore.has(ownerId);
  }

  /** Call this after each claim. Returns whether accounts that were left out may be claimed again. */
  claimed(count: number, limit: number): boolean {
    return count < limit && this.startRound();
  }

  /** Call this instead when a claim came back short for another reason than its count. */
  startRound(): boolean {
    this.#used.clear();
    this.#spentBefore = this.#spent;
    this.#spent = new Set();
    return this.#spentBefore.size > 0;
  }
}
