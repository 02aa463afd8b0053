/**
 * The keys of a backup: which ones the service has, which ones the database in the backup uses, and whether
 * they fit together. A backup is read with plain SQL, because it may be of any release.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Config } from '../../config.ts';
import { findKeyProblem, findKeys, fitsDatabase } from '../../keys/available-keys.ts';
import { readKeyFile } from '../../keys/key-file.ts';
import { findSecretKeys, SECRET_KEY_FILE } from '../../keys/secret-key-file.ts';
import { findPublicKey, VAPID_KEY_FILE } from '../../keys/vapid-keys.ts';
import { keyIdOf, sealedWith } from '../../keys/vault.ts';
import type { Report } from '../command.ts';

export interface BackupKeys {
  /** The key files of DATA_DIR, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** The id of the key that the service seals with; null if it has none. */
  readonly secretKeyId: string | null;
  readonly vapidPublicKey: string | null;
}

/** The keys of a service with these settings. */
export function readKeys(config: Config): BackupKeys {
  const { SECRET_KEY, VAPID_PUBLIC_KEY, DATA_DIR } = config;
  const secretKeys = SECRET_KEY === undefined ? readIfThere(DATA_DIR, SECRET_KEY_FILE) : undefined;
  const vapidKey = VAPID_PUBLIC_KEY === undefined ? readIfThere(DATA_DIR, VAPID_KEY_FILE) : undefined;
  const [secretKeyId = null] = SECRET_KEY === undefined ? keyIdsIn(secretKeys ?? '') : [keyIdOf(SECRET_KEY)];
  return {
    files: {
      ...(secretKeys !== undefined && { [SECRET_KEY_FILE]: secretKeys }),
      ...(vapidKey !== undefined && { [VAPID_KEY_FILE]: vapidKey }),
    },
    secretKeyId,
    vapidPublicKey: VAPID_PUBLIC_KEY ?? (vapidKey && findPublicKey(vapidKey.trim())) ?? null,
  };
}

const keyIdsIn = (text: string): string[] => (findSecretKeys(text) ?? []).map(keyIdOf);

function readIfThere(folder: string, name: string): string | undefined {
  const file = join(folder, name);
  return existsSync(file) ? readKeyFile(file) : undefined;
}

/** Rows to read if the database has no record of its keys yet. */
const SAMPLE = 500;

export function usedKeyIds(db: DatabaseSync): string[] {
  const recorded = hasTable(db, 'sealing_keys') ? db.prepare('select key_id, retired_at from sealing_keys').all() : [];
  if (recorded.length > 0)
    return recorded.filter(({ retired_at }) => retired_at === null).map(({ key_id }) => String(key_id));
  if (!hasTable(db, 'users')) return [];
  const sealed = db.prepare('select totp_secret from users where totp_secret is not null limit ?').all(SAMPLE);
  return [...new Set(sealed.flatMap(({ totp_secret }) => sealedWith(String(totp_secret)) ?? []))];
}

const hasTable = (db: DatabaseSync, name: string) =>
  db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(name) !== undefined;

/** Undefined if the keys of the service fit the database in the file. */
export function findKeyFault(file: string, config: Config): string | undefined {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const used = usedKeyIds(db);
    return used.length === 0 ? undefined : findKeyProblem(config, used, findKeys(config))?.message;
  } finally {
    db.close();
  }
}

/** A backup without the right key is better than none, but it is incomplete and reported as such. */
export function withKeyFault(report: Report, fault: string | undefined): Report {
  if (fault === undefined) return { ...report, data: { ...report.data, key_fault: null } };
  const text = `${report.text}\nThe backup is incomplete, because the right key is not in it: ${fault}`;
  return { data: { ...report.data, key_fault: fault }, text, failed: true };
}

interface RestoredKeys extends BackupKeys {
  readonly usedKeyIds: readonly string[];
}

/** Why a service with these settings could not read the backup, as one sentence; undefined if it could. */
export const findOtherKey = (config: Config, backup: RestoredKeys): string | undefined =>
  findOtherSecretKey(config, backup) ?? findOtherVapidKey(config, backup);

/**
 * The service will use the key file of the backup, unless the environment has a key: that comes first. The
 * keys that the database uses count more than the key that was in use when the backup was made.
 */
function findOtherSecretKey(config: Config, backup: RestoredKeys): string | undefined {
  const file = backup.files[SECRET_KEY_FILE];
  const isFromBackup = config.SECRET_KEY === undefined && file !== undefined;
  const available = isFromBackup ? keyIdsIn(file) : (findKeys(config) ?? []).map(keyIdOf);
  if (isFromBackup && available.length === 0)
    return `The ${SECRET_KEY_FILE} in this backup holds no key: use another backup.`;
  const recorded = backup.secretKeyId === null ? [] : [backup.secretKeyId];
  if (fitsDatabase(backup.usedKeyIds.length > 0 ? backup.usedKeyIds : recorded, available)) return undefined;
  if (isFromBackup)
    return `The ${SECRET_KEY_FILE} in this backup is not the key of the database in it, so no second factor would work.`;
  const remedy = remedyFor(file !== undefined);
  return `SECRET_KEY is not the key this backup was made with, so no second factor would work: ${remedy}.`;
}

function findOtherVapidKey(config: Config, { files, vapidPublicKey }: RestoredKeys): string | undefined {
  const file = files[VAPID_KEY_FILE];
  const isFromBackup = config.VAPID_PUBLIC_KEY === undefined && file !== undefined;
  if (isFromBackup)
    return findPublicKey(file.trim()) === undefined
      ? `The ${VAPID_KEY_FILE} in this backup holds no key: use another backup.`
      : undefined;
  if (vapidPublicKey === null || readKeys(config).vapidPublicKey === vapidPublicKey) return undefined;
  const remedy = remedyFor(file !== undefined);
  return `VAPID_PRIVATE_KEY is not the key this backup was made with, so no browser would be reached: ${remedy}.`;
}

const remedyFor = (isInBackup: boolean) =>
  isInBackup ? 'leave it unset, since the backup contains its own' : 'set it to the value it had then';
