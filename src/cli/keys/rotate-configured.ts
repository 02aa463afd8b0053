/**
 * Rotates keys that come from the environment: the operator changes the settings, and this command reseals the
 * values while the service runs. A process without the new key could not read them, so every process must have it.
 */
import { existsSync } from 'node:fs';
import type { Config } from '../../config.ts';
import { listKeysInUse } from '../../db/postgres/postgres-sessions.ts';
import type { Db } from '../../db/schema.ts';
import { lockFile, UnusableFileError } from '../../db/sqlite/sqlite-files.ts';
import { SealingKeysService } from '../../keys/sealing-keys.service.ts';
import type { SecretKeys } from '../../keys/secret-key-file.ts';
import { keyIdOf } from '../../keys/vault.ts';
import { getKeys, withDatabase } from '../account-admin.ts';
import { type Call, CommandError } from '../command.ts';
import { countUnreadable, type Precheck, precheck, type Rotation, reseal } from './rotation.ts';

export async function rotateConfiguredKeys(call: Call): Promise<Rotation> {
  const { SECRET_KEY_OLD: old = [] } = call.config();
  if (old.length === 0) {
    throw new CommandError(
      'SECRET_KEY_OLD is not set. To rotate, set SECRET_KEY to a new key and SECRET_KEY_OLD to the old one, ' +
        'restart every process, and run this again.',
    );
  }
  return withDatabase(call, (db) => rotate(call, db, getKeys(call.config())));
}

async function rotate(call: Call, db: Db, keys: SecretKeys): Promise<Rotation> {
  const [keyId, ...older] = keys.map(keyIdOf) as [string, ...string[]];
  const before = await precheck(call, db, keys);
  refuseUnusedKeys(before, older);
  if (await isOtherKeyInUse(call.config(), db, keyId, before))
    throw new CommandError(`Nothing was changed: ${RESTART}`);
  const sealingKeys = new SealingKeysService(db, call.clock);
  await sealingKeys.record([...before.keys.used, keyId]);
  const rotation = await reseal(call, db, keys);
  // A process may have started in between.
  const isUnfinished = rotation.isUnfinished || (await isOtherKeyInUse(call.config(), db, keyId, before));
  const needed = rotation.olderKeyUse.keyIds;
  const isOver = !isUnfinished && countUnreadable(rotation.tallies) === 0;
  if (isOver) await sealingKeys.retire(older.filter((id) => !needed.includes(id)));
  const advice = adviceFor(isOver && needed.length === 0, isUnfinished, rotation);
  return { ...rotation, keyId, isUnfinished, lost: before.lost, advice };
}

const RESTART =
  'a process still uses another key than SECRET_KEY and could not read values sealed with the new one. Restart every ' +
  'process with the new SECRET_KEY and SECRET_KEY_OLD, and run this again.';

/** If the old key was never used, it is the wrong key, or the two settings are swapped. */
function refuseUnusedKeys({ keys }: Precheck, older: readonly string[]): void {
  const ours = [...keys.used, ...keys.retired];
  if (older.some((id) => ours.includes(id))) return;
  throw new CommandError(
    `Nothing was changed: this database never used a key of SECRET_KEY_OLD. It uses ${ours.join(', ') || 'none'}. ` +
      'Are SECRET_KEY and SECRET_KEY_OLD swapped? SECRET_KEY is the new key, SECRET_KEY_OLD the old one.',
  );
}

/** On SQLite only one service can run, and it recorded its key when it started. */
async function isOtherKeyInUse({ DATABASE_URL }: Config, db: Db, keyId: string, { keys }: Precheck) {
  if (DATABASE_URL.engine === 'postgres') return (await listKeysInUse(db)).some((inUse) => inUse !== keyId);
  return !keys.used.includes(keyId) && isServiceRunning(DATABASE_URL.file);
}

function isServiceRunning(file: string): boolean {
  if (!existsSync(`${file}.lock`)) return false;
  try {
    lockFile(file).close();
    return false;
  } catch (error) {
    if (error instanceof UnusableFileError) return true;
    throw error;
  }
}

function adviceFor(
  isUnneeded: boolean,
  isUnfinished: boolean,
  { tallies, olderKeyUse }: Pick<Rotation, 'tallies' | 'olderKeyUse'>,
) {
  if (isUnneeded) return 'SECRET_KEY_OLD is no longer needed: remove it and restart every process.';
  if (isUnfinished) return 'Keep SECRET_KEY_OLD for now.';
  if (olderKeyUse.accounts > 0)
    return 'Keep SECRET_KEY_OLD until those codes are renewed, or remove it and accept that they stop working.';
  if (countUnreadable(tallies) > 0)
    return 'Keep SECRET_KEY_OLD for now: a backup may still hold the values that cannot be read.';
  return 'Keep SECRET_KEY_OLD for now and run this again in ten minutes: an emailed code may still be valid.';
}
