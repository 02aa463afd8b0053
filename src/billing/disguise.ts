/**
 * What stands for a customer's name once the account is gone. A purchase may outlive the account, and
 * who comes back is known by the same name again: the name itself is forgotten, but recognised.
 */
import type { Vault } from '../lib/secrets.ts';

const PURPOSE = 'billing name';
const PREFIX = 'gone:';

export class Disguise {
  readonly #vault: Vault;

  constructor(vault: Vault) {
    this.#vault = vault;
  }

  of(name: string): string {
    return PREFIX + this.#vault.hash(PURPOSE, name);
  }

  /** Under every key that is known, by what it would be called. */
  all(names: readonly string[]): ReadonlyMap<string, string> {
    return new Map(
      names.flatMap((name) => this.#vault.hashes(PURPOSE, name).map((hash) => [PREFIX + hash, name] as const)),
    );
  }
}
