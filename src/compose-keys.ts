/**
 * The keys of the service, judged against the database before anything is sealed with them. A key is
 * made only for a database that names none: elsewhere it would hide that the right one is missing.
 */
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { isKeyOfData, KEY_REMEDY, missingKeyLine, otherKeyLine } from './accounts/key-judgement.ts';
import { SealingKeysService } from './accounts/sealing-keys.service.ts';
import { type Config, configuredKeys } from './config.ts';
import type { Database } from './db/schema.ts';
import type { Clock } from './lib/clock.ts';
import { readOwnKeyFile, UnusableKeyError } from './lib/key-file.ts';
import {
  FORMER_KEY_FILE,
  hasSecretKeys,
  readFormerKeys,
  readOrMakeSecretKeys,
  readSecretKeys,
  SECRET_KEY_FILE,
  type SecretKeys,
} from './lib/secret-key.ts';
import { keyIdOf, Vault } from './lib/secrets.ts';

export async function openVault(config: Config, db: Kysely<Database>, clock: Clock): Promise<Vault> {
  const sealingKeys = new SealingKeysService(db, clock);
  const { named } = await sealingKeys.list();
  const vault = new Vault(configuredKeys(config) ?? keysInFile(config.DATA_DIR, named));
  if (!isKeyOfData(named, vault.keyIds))
    throw new UnusableKeyError(otherKeyLine(placeOfKeys(config), named), remedyFor(config, named));
  await sealingKeys.note([...named, vault.keyId]);
  return vault;
}

/** Known before the database is reached, so that every connection can say it. */
export const configuredKeyId = ({ SECRET_KEY }: Config): string | undefined =>
  SECRET_KEY === undefined ? undefined : keyIdOf(SECRET_KEY);

/** Where whoever runs the service finds the keys. */
export const placeOfKeys = ({ SECRET_KEY, DATA_DIR }: Config): string =>
  SECRET_KEY === undefined ? join(DATA_DIR, SECRET_KEY_FILE) : 'SECRET_KEY';

/** A rotation for another database in the same folder may have moved the key aside. */
function remedyFor({ DATA_DIR }: Config, named: readonly string[]): string {
  const isAside = readFormerKeys(DATA_DIR).some((key) => named.includes(keyIdOf(key)));
  if (!isAside) return KEY_REMEDY;
  return `${join(DATA_DIR, FORMER_KEY_FILE)} has it: put the lines of that file at the end of ${SECRET_KEY_FILE}.`;
}

function keysInFile(folder: string, named: readonly string[]): SecretKeys {
  if (named.length === 0) return readOrMakeSecretKeys(folder);
  if (hasSecretKeys(folder)) return readSecretKeys(folder, readOwnKeyFile);
  throw new UnusableKeyError(missingKeyLine(join(folder, SECRET_KEY_FILE), named), KEY_REMEDY);
}
