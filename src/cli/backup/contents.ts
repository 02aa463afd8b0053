/**
 * What a backup holds beside the database: a table that names it as one of ours, and the key files
 * of DATA_DIR, without which second factors cannot be opened and browsers no longer be reached.
 * Keys that come from the environment stay there; of those only what tells them apart is written.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { type Config, configuredKeys } from '../../config.ts';
import { BACKUP_CONTENTS as TABLE } from '../../db/origin.ts';
import { readKeyFile } from '../../lib/key-file.ts';
import { findSecretKeys, SECRET_KEY_FILE } from '../../lib/secret-key.ts';
import { keyIdOf } from '../../lib/secrets.ts';
import { findPublicKey, VAPID_KEY_FILE } from '../../push/web-push/vapid-keys.ts';

const FORMAT = '1';

export interface Keys {
  /** As they lie in DATA_DIR, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** What is sealed in the database names its key like this; null where there is none. */
  readonly secretKeyId: string | null;
  readonly vapidPublicKey: string | null;
}

export interface Contents extends Keys {
  readonly version: string;
  readonly madeAt: string;
}

/** The keys that a service with these settings works with. */
export function readKeys(config: Config): Keys {
  const { SECRET_KEY, VAPID_PUBLIC_KEY, DATA_DIR } = config;
  const secretKeys = SECRET_KEY === undefined ? readIfThere(DATA_DIR, SECRET_KEY_FILE) : undefined;
  const vapidKey = VAPID_PUBLIC_KEY === undefined ? readIfThere(DATA_DIR, VAPID_KEY_FILE) : undefined;
  const [secretKeyId = null] = secretKeyIds(config);
  return {
    files: {
      ...(secretKeys !== undefined && { [SECRET_KEY_FILE]: secretKeys }),
      ...(vapidKey !== undefined && { [VAPID_KEY_FILE]: vapidKey }),
    },
    secretKeyId,
    vapidPublicKey: VAPID_PUBLIC_KEY ?? (vapidKey && findPublicKey(vapidKey.trim())) ?? null,
  };
}

/** Of all keys that a service with these settings could open something with, the one it seals with first. */
export function secretKeyIds(config: Config): string[] {
  return configuredKeys(config)?.map(keyIdOf) ?? keyIdsIn(readIfThere(config.DATA_DIR, SECRET_KEY_FILE) ?? '');
}

/** By the text of a secret.key; none where it holds no key. */
export const keyIdsIn = (text: string): string[] => (findSecretKeys(text) ?? []).map(keyIdOf);

function readIfThere(folder: string, name: string): string | undefined {
  const file = join(folder, name);
  return existsSync(file) ? readKeyFile(file) : undefined;
}

export function writeContents(db: DatabaseSync, { files, ...rest }: Contents): void {
  db.exec(`create table ${TABLE} (name text primary key, content text) strict`);
  const insert = db.prepare(`insert into ${TABLE} values (?, ?)`);
  for (const [name, content] of Object.entries({ format: FORMAT, ...rest })) insert.run(name, content);
  for (const [name, content] of Object.entries(files)) insert.run(`file ${name}`, content);
}

/** Undefined where this is no backup of ours, or one in a form that only a later release knows. */
export function findContents(db: DatabaseSync): Contents | undefined {
  const has = db.prepare('select 1 from sqlite_schema where name = ?');
  if (!has.get(TABLE) || !has.get('kysely_migration')) return undefined;
  const rows = db.prepare(`select name, content from ${TABLE}`).all();
  const all = new Map(rows.map(({ name, content }) => [String(name), content === null ? null : String(content)]));
  if (all.get('format') !== FORMAT) return undefined;
  const files = [SECRET_KEY_FILE, VAPID_KEY_FILE].flatMap((name) => {
    const content = all.get(`file ${name}`);
    return content ? [[name, content]] : [];
  });
  return {
    files: Object.fromEntries(files),
    secretKeyId: all.get('secretKeyId') ?? null,
    vapidPublicKey: all.get('vapidPublicKey') ?? null,
    version: all.get('version') ?? '',
    madeAt: all.get('madeAt') ?? '',
  };
}

/** Overwrites what it takes out, since the keys must not lie in the pages of the database they protect. */
export function removeContents(db: DatabaseSync): void {
  db.exec(`pragma secure_delete = on; drop table ${TABLE}`);
}
