/** Opens the vault at the start of the service. A key is made only for a database that uses none yet. */
import { join } from 'node:path';
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import { findKeyProblem, findKeys, type KeySettings } from './available-keys.ts';
import { readOwnKeyFile, UnusableKeyError } from './key-file.ts';
import { SealingKeysService } from './sealing-keys.service.ts';
import { FORMER_KEY_FILE, readFormerKeys, readOrMakeSecretKeys, SECRET_KEY_FILE } from './secret-key-file.ts';
import { keyIdOf, Vault } from './vault.ts';

export async function openVault(settings: KeySettings, db: Db, clock: Clock): Promise<Vault> {
  const sealingKeys = new SealingKeysService(db, clock);
  const { used } = await sealingKeys.list();
  const found = findKeys(settings, readOwnKeyFile);
  const keys = found ?? (used.length === 0 ? readOrMakeSecretKeys(settings.DATA_DIR) : undefined);
  const problem = findKeyProblem(settings, used, keys);
  if (problem) throw withFormerKeyHint(problem, settings, used);
  if (!keys) throw new Error('A vault needs a key.');
  const vault = new Vault(keys);
  await sealingKeys.record([...used, vault.keyId]);
  return vault;
}

/** The id of SECRET_KEY; undefined if the keys are in DATA_DIR, which is read only after the database is open. */
export const configuredKeyId = ({ SECRET_KEY }: KeySettings): string | undefined =>
  SECRET_KEY === undefined ? undefined : keyIdOf(SECRET_KEY);

/** A rotation for another database with the same DATA_DIR may have moved the key to the file of former keys. */
function withFormerKeyHint(problem: UnusableKeyError, { DATA_DIR }: KeySettings, used: readonly string[]) {
  if (!readFormerKeys(DATA_DIR).some((key) => used.includes(keyIdOf(key)))) return problem;
  const former = join(DATA_DIR, FORMER_KEY_FILE);
  return new UnusableKeyError(
    problem.summary,
    `${former} has it: put the lines of that file at the end of ${SECRET_KEY_FILE}.`,
  );
}
