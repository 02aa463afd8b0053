/**
 * Rotates the key in DATA_DIR. The service must not run, because it reads the file only when it starts; the
 * lock ensures that. The new key is on disk before any value is sealed with it. An old key leaves the file
 * only if this database has used it and no value needs it, and even then it is kept in a second file:
 * another database may use it.
 */
import { openExclusive } from '../../db/open-for-command.ts';
import type { Db } from '../../db/schema.ts';
import { FileInUseError } from '../../db/sqlite/sqlite-files.ts';
import { findKeyProblem } from '../../keys/available-keys.ts';
import { SealingKeysService } from '../../keys/sealing-keys.service.ts';
import {
  addFormerKeys,
  FORMER_KEY_FILE,
  newSecretKey,
  replaceSecretKeys,
  type SecretKeys,
} from '../../keys/secret-key-file.ts';
import { keyIdOf } from '../../keys/vault.ts';
import { getKeys } from '../account-admin.ts';
import { type Call, CommandError } from '../command.ts';
import { countUnreadable, type Precheck, precheck, type Rotation, reseal } from './rotation.ts';

export async function rotateKeyFile(call: Call): Promise<Rotation> {
  const db = await openExclusive(call.config().DATABASE_URL, call).catch(explainLock);
  try {
    return await rotate(call, db);
  } finally {
    await db.destroy();
  }
}

async function rotate(call: Call, db: Db): Promise<Rotation> {
  const { DATA_DIR } = call.config();
  const found = getKeys(call.config());
  const before = await precheck(call, db, found);
  refuseOtherKeys(call, before, found);
  const sealingKeys = new SealingKeysService(db, call.clock);
  const keys = before.older > 0 ? found : addKey(newSecretKey(), found, DATA_DIR);
  if (before.older > 0) call.printStatus('An earlier rotation was interrupted: finishing it.');
  await sealingKeys.record([...before.keys.used, keyIdOf(keys[0])]);
  const rotation = await reseal(call, db, keys);
  const removed = countUnreadable(rotation.tallies) > 0 ? [] : unneededKeys(keys, before, rotation.olderKeyUse.keyIds);
  if (removed.length > 0) {
    addFormerKeys(DATA_DIR, removed);
    await sealingKeys.retire(removed.map(keyIdOf));
    replaceSecretKeys(DATA_DIR, without(keys, removed));
  }
  const advice = adviceFor(keys.length - 1 - removed.length, removed.length);
  return { ...rotation, keyId: keyIdOf(keys[0]), lost: before.lost, advice };
}

function addKey(key: string, found: SecretKeys, folder: string): SecretKeys {
  const keys: SecretKeys = [key, ...found];
  replaceSecretKeys(folder, keys);
  return keys;
}

function explainLock(error: unknown): never {
  if (error instanceof FileInUseError)
    throw new CommandError(`${error.message} Stop the service first: it reads its key when it starts.`);
  throw error;
}

function refuseOtherKeys(call: Call, { keys: { used } }: Precheck, found: SecretKeys): void {
  const problem = findKeyProblem(call.config(), used, found);
  if (problem) throw new CommandError(`Nothing was changed: ${problem.message}`);
}

/** A key that this database has never used belongs to another one. */
function unneededKeys([, ...older]: SecretKeys, { keys }: Precheck, needed: readonly string[]): string[] {
  const ours = [...keys.used, ...keys.retired];
  return older.filter((key) => ours.includes(keyIdOf(key)) && !needed.includes(keyIdOf(key)));
}

const without = ([newest, ...older]: SecretKeys, removed: readonly string[]): SecretKeys => [
  newest,
  ...older.filter((key) => !removed.includes(key)),
];

function adviceFor(older: number, removed: number): string {
  const still = `secret.key still holds ${older === 1 ? 'one older key' : `${older} older keys`}.`;
  const moved =
    `${removed === 1 ? 'An old key was' : `${removed} old keys were`} moved from secret.key to ${FORMER_KEY_FILE}: ` +
    'make a backup now, check that the service starts, then delete that file.';
  return [...(older > 0 ? [still] : []), removed > 0 ? moved : 'Make a backup now.'].join(' ');
}
