/**
 * Rotates the key that lies in a file of ours. The lock keeps the service out: it reads the file once,
 * when it starts. The new key is on disk before anything is sealed with it. An old one leaves the file
 * only when this database has named it and nothing here needs it, and is kept beside it even then:
 * another database may have been sealed with it.
 */
import type { Kysely } from 'kysely';
import { isKeyOfData, KEY_REMEDY, otherKeyLine } from '../accounts/key-judgement.ts';
import { SealingKeysService } from '../accounts/sealing-keys.service.ts';
import { placeOfKeys } from '../compose-keys.ts';
import { openAlone } from '../db/open-beside.ts';
import type { Database } from '../db/schema.ts';
import { UnusableFileError } from '../db/sqlite-files.ts';
import {
  FORMER_KEY_FILE,
  keepFormerKeys,
  newSecretKey,
  replaceSecretKeys,
  type SecretKeys,
} from '../lib/secret-key.ts';
import { keyIdOf } from '../lib/secrets.ts';
import { type Call, CommandError } from './command.ts';
import { keysOf } from './desk.ts';
import { countUnreadable, type Findings, lookBeforehand, type Rotation, reseal } from './key-rotation.ts';

export async function rotateKeyFile(call: Call): Promise<Rotation> {
  const db = await openAlone(call.config().DATABASE_URL, call).catch(explainLock);
  try {
    return await rotate(call, db);
  } finally {
    await db.destroy();
  }
}

async function rotate(call: Call, db: Kysely<Database>): Promise<Rotation> {
  const { DATA_DIR } = call.config();
  const found = keysOf(call.config());
  const before = await lookBeforehand(call, db, found);
  refuseForeignKeys(call, before, found);
  const sealingKeys = new SealingKeysService(db, call.clock);
  const keys = before.older > 0 ? found : leadBy(newSecretKey(), found, DATA_DIR);
  if (before.older > 0) call.tell('An earlier rotation was interrupted: finishing it.');
  await sealingKeys.note([...before.keys.named, keyIdOf(keys[0])]);
  const rotation = await reseal(call, db, keys);
  const given = countUnreadable(rotation.tallies) > 0 ? [] : dispensable(keys, before, rotation.dependence.keyIds);
  if (given.length > 0) {
    keepFormerKeys(DATA_DIR, given);
    await sealingKeys.retire(given.map(keyIdOf));
    replaceSecretKeys(DATA_DIR, without(keys, given));
  }
  const advice = adviceFor(keys.length - 1 - given.length, given.length);
  return { ...rotation, keyId: keyIdOf(keys[0]), forgotten: before.forgotten, advice };
}

function leadBy(key: string, found: SecretKeys, folder: string): SecretKeys {
  const keys: SecretKeys = [key, ...found];
  replaceSecretKeys(folder, keys);
  return keys;
}

function explainLock(error: unknown): never {
  if (error instanceof UnusableFileError && /already has/.test(error.message))
    throw new CommandError(`${error.message} Stop the service first: it reads its key when it starts.`);
  throw error;
}

function refuseForeignKeys(call: Call, { keys: { named } }: Findings, found: SecretKeys): void {
  if (isKeyOfData(named, found.map(keyIdOf))) return;
  throw new CommandError(`Nothing was changed: ${otherKeyLine(placeOfKeys(call.config()), named)}. ${KEY_REMEDY}`);
}

/** A key that this database has never named guards something else. */
function dispensable([, ...older]: SecretKeys, { keys }: Findings, needed: readonly string[]): string[] {
  const ours = [...keys.named, ...keys.retired];
  return older.filter((key) => ours.includes(keyIdOf(key)) && !needed.includes(keyIdOf(key)));
}

const without = ([newest, ...older]: SecretKeys, given: readonly string[]): SecretKeys => [
  newest,
  ...older.filter((key) => !given.includes(key)),
];

function adviceFor(older: number, given: number): string {
  const still = `secret.key still holds ${older === 1 ? 'one older key' : `${older} older keys`}.`;
  const moved =
    `${given === 1 ? 'An old key was' : `${given} old keys were`} moved from secret.key to ${FORMER_KEY_FILE}: ` +
    'make a backup now, see that the service starts, then delete that file.';
  return [...(older > 0 ? [still] : []), given > 0 ? moved : 'Make a backup now.'].join(' ');
}
