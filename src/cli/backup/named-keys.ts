/** Which keys an embedded database was sealed with, read without the service's own means: a backup may be of any release. */
import type { DatabaseSync } from 'node:sqlite';
import { sealedWith } from '../../lib/secrets.ts';

const LOOK_AT = 500;

export function namedKeysIn(db: DatabaseSync): string[] {
  const noted = hasTable(db, 'sealing_keys') ? db.prepare('select key_id, retired_at from sealing_keys').all() : [];
  if (noted.length === 0) return seenKeysIn(db);
  return noted.filter(({ retired_at }) => retired_at === null).map(({ key_id }) => String(key_id));
}

/** As long as no service has noted its key, what is sealed says it. */
function seenKeysIn(db: DatabaseSync): string[] {
  if (!hasTable(db, 'users')) return [];
  const sealed = db.prepare('select totp_secret from users where totp_secret is not null limit ?').all(LOOK_AT);
  return [...new Set(sealed.flatMap(({ totp_secret }) => sealedWith(String(totp_secret)) ?? []))];
}

const hasTable = (db: DatabaseSync, name: string) =>
  db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined;
