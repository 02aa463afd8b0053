/**
 * Rotates keys that are settings, which are not ours to write: everything is sealed anew beside the
 * services. One that does not know the new key could not read the result, so it must be gone before.
 */
import { existsSync } from 'node:fs';
import type { Kysely } from 'kysely';
import { SealingKeysService } from '../accounts/sealing-keys.service.ts';
import type { Config } from '../config.ts';
import { listKeysInUse } from '../db/postgres-sessions.ts';
import type { Database } from '../db/schema.ts';
import { lockFile, UnusableFileError } from '../db/sqlite-files.ts';
import type { SecretKeys } from '../lib/secret-key.ts';
import { keyIdOf } from '../lib/secrets.ts';
import { type Call, CommandError } from './command.ts';
import { keysOf, withDatabase } from './desk.ts';
import { countUnreadable, type Findings, lookBeforehand, type Rotation, reseal } from './key-rotation.ts';

export async function rotateConfiguredKeys(call: Call): Promise<Rotation> {
  const { SECRET_KEY_OLD: old = [] } = call.config();
  if (old.length === 0) {
    throw new CommandError(
      'SECRET_KEY_OLD is not set. To rotate, set SECRET_KEY to a new key and SECRET_KEY_OLD to the former one, ' +
        'restart every process, and run this again.',
    );
  }
  return withDatabase(call, (db) => rotate(call, db, keysOf(call.config())));
}

async function rotate(call: Call, db: Kysely<Database>, keys: SecretKeys): Promise<Rotation> {
  const [keyId, ...older] = keys.map(keyIdOf) as [string, ...string[]];
  const before = await lookBeforehand(call, db, keys);
  refuseNeverUsed(before, older);
  if (await isOtherKeyInUse(call.config(), db, keyId, before))
    throw new CommandError(`Nothing was changed: ${RESTART}`);
  const sealingKeys = new SealingKeysService(db, call.clock);
  await sealingKeys.note([...before.keys.named, keyId]);
  const rotation = await reseal(call, db, keys);
  // Whoever was started meanwhile counts as well.
  const isUnfinished = rotation.isUnfinished || (await isOtherKeyInUse(call.config(), db, keyId, before));
  const needed = rotation.dependence.keyIds;
  const isOver = !isUnfinished && countUnreadable(rotation.tallies) === 0;
  if (isOver) await sealingKeys.retire(older.filter((id) => !needed.includes(id)));
  const advice = adviceFor(isOver && needed.length === 0, isUnfinished, rotation);
  return { ...rotation, keyId, isUnfinished, forgotten: before.forgotten, advice };
}

const RESTART =
  'a process still seals with another key than SECRET_KEY, and could not read what this one seals. Restart every ' +
  'process with the new SECRET_KEY and SECRET_KEY_OLD, and run this again.';

/** Where nothing was ever sealed with the former key, either it is not the former one, or the two were exchanged. */
function refuseNeverUsed({ keys }: Findings, older: readonly string[]): void {
  const ours = [...keys.named, ...keys.retired];
  if (older.some((id) => ours.includes(id))) return;
  throw new CommandError(
    `Nothing was changed: no key of SECRET_KEY_OLD was ever used here; this database names ${ours.join(', ') || 'none'}. ` +
      'Are SECRET_KEY and SECRET_KEY_OLD exchanged? SECRET_KEY is the new key, SECRET_KEY_OLD the former one.',
  );
}

/** On SQLite the one service that may run has noted its key when it started. */
async function isOtherKeyInUse({ DATABASE_URL }: Config, db: Kysely<Database>, keyId: string, { keys }: Findings) {
  if (DATABASE_URL.engine === 'postgres') return (await listKeysInUse(db)).some((inUse) => inUse !== keyId);
  return !keys.named.includes(keyId) && isServed(DATABASE_URL.file);
}

function isServed(file: string): boolean {
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
  isDispensable: boolean,
  isUnfinished: boolean,
  { tallies, dependence }: Pick<Rotation, 'tallies' | 'dependence'>,
) {
  if (isDispensable) return 'Nothing needs SECRET_KEY_OLD any more: remove it and restart every process.';
  if (isUnfinished) return 'Keep SECRET_KEY_OLD for now.';
  if (dependence.accounts > 0)
    return 'Keep SECRET_KEY_OLD until those codes are renewed, or remove it and accept that they stop working.';
  if (countUnreadable(tallies) > 0)
    return 'Keep SECRET_KEY_OLD for now: what cannot be read may come back with a backup.';
  return 'Keep SECRET_KEY_OLD for now, and run this again in ten minutes: a code may be in a mail.';
}
