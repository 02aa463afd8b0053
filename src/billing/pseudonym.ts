/**
 * Pseudonyms replace the names of a customer whose account is deleted. A purchase may outlive the
 * account, and the provider still uses the old name when the customer returns: the pseudonym matches
 * that name without storing it.
 */
import type { Vault } from '../keys/vault.ts';

const PURPOSE = 'billing name';
const PREFIX = 'gone:';

export const pseudonymOf = (vault: Vault, name: string): string => PREFIX + vault.hash(PURPOSE, name);

/** Maps every pseudonym that a name can have, one per available key, to the name. */
export const namesByPseudonym = (vault: Vault, names: readonly string[]): ReadonlyMap<string, string> =>
  new Map(names.flatMap((name) => vault.hashes(PURPOSE, name).map((hash) => [PREFIX + hash, name] as const)));
