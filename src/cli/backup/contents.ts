/**
 * The table that a backup has in addition to the database: it identifies the file as a backup, and contains the
 * key files of DATA_DIR, without which second factors cannot be read and browsers cannot be reached. Keys
 * from the environment are not stored, only what identifies them.
 */
import type { DatabaseSync } from 'node:sqlite';
import { BACKUP_TABLE as TABLE } from '../../db/unusable-database.ts';
import { SECRET_KEY_FILE } from '../../keys/secret-key-file.ts';
import { VAPID_KEY_FILE } from '../../keys/vapid-keys.ts';
import type { BackupKeys } from './backup-keys.ts';

const FORMAT = '1';

export interface Contents extends BackupKeys {
  readonly version: string;
  readonly madeAt: string;
}

export function writeContents(db: DatabaseSync, { files, ...rest }: Contents): void {
  db.exec(`create table ${TABLE} (name text primary key, content text) strict`);
  const insert = db.prepare(`insert into ${TABLE} values (?, ?)`);
  for (const [name, content] of Object.entries({ format: FORMAT, ...rest })) insert.run(name, content);
  for (const [name, content] of Object.entries(files)) insert.run(`file ${name}`, content);
}

/** Undefined if this is not a backup of Crescendo, or one in a format of a later release. */
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

/** Overwrites the deleted pages: the keys must not remain in the database they protect. */
export function removeContents(db: DatabaseSync): void {
  db.exec(`pragma secure_delete = on; drop table ${TABLE}`);
  // The original may still run elsewhere. The next start gives the copy an id of its own. It also was no outage that
  // nobody served the copy since it was made.
  const hasFacts = db.prepare("select 1 from sqlite_schema where name = 'installation'").get() !== undefined;
  if (hasFacts) db.exec("delete from installation where name in ('instance', 'sign_of_life')");
}
