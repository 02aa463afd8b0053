/**
 * Lets accounts take turns. In a round an account may use a share. Once it has, claims leave it out until one
 * comes back short, because then no other account has anything left that is due; a new round starts. So what
 * another account has due is claimed after one share at most, however much the first one has waiting.
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

  /** What is left of an account's share in this round; zero or less if it has used all of it. */
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

  /** To be called after each claim. Returns whether accounts that were left out may be claimed again. */
  claimed(count: number, limit: number): boolean {
    return count < limit && this.startRound();
  }

  /** The same, for a claim that was short in another way. */
  startRound(): boolean {
    this.#used.clear();
    this.#spentBefore = this.#spent;
    this.#spent = new Set();
    return this.#spentBefore.size > 0;
  }
}
