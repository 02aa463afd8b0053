/** The report of a finished move: the checksum of each table, and the settings to use from now on. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { SECRET_KEY_FILE } from '../../keys/secret-key-file.ts';
import { findPublicKey, VAPID_KEY_FILE } from '../../keys/vapid-keys.ts';
import type { Report } from '../command.ts';
import { formatTable } from '../table.ts';
import type { TableChecksum } from './copy.ts';

export function reportMove(tables: readonly TableChecksum[], config: Config): Report {
  const settings = settingsToUse(config);
  return { data: { tables, settings }, text: describeMove(tables, settings) };
}

function describeMove(tables: readonly TableChecksum[], settings: readonly SettingToUse[]): string {
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  const copied = tables.map(({ name, rows, checksum }) => [name, String(rows).padStart(10), checksum.slice(0, 16)]);
  return [
    `${total} rows are in PostgreSQL and equal to the SQLite database:`,
    formatTable(copied, '  '),
    'Set these for every process, then start the service:',
    formatTable(
      settings.map(({ name, value }) => [name, value]),
      '  ',
    ),
  ].join('\n');
}

/** The value is a description where the setting is secret. */
interface SettingToUse {
  readonly name: string;
  readonly value: string;
}

const UNCHANGED = 'as it is set now';

function settingsToUse(config: Config): SettingToUse[] {
  return [{ name: 'DATABASE_URL', value: 'the URL that you gave' }, ...secretKeys(config), ...vapidKeys(config)];
}

function secretKeys({ SECRET_KEY, DATA_DIR }: Config): SettingToUse[] {
  if (SECRET_KEY !== undefined) return [{ name: 'SECRET_KEY', value: UNCHANGED }];
  const file = join(DATA_DIR, SECRET_KEY_FILE);
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const keys = text.split('\n').filter((line) => line.trim());
  const older = { name: 'SECRET_KEY_OLD', value: `the other lines of ${file}, separated by commas` };
  return [{ name: 'SECRET_KEY', value: `the first line of ${file}` }, ...(keys.length > 1 ? [older] : [])];
}

function vapidKeys({ VAPID_PUBLIC_KEY, DATA_DIR }: Config): SettingToUse[] {
  const file = join(DATA_DIR, VAPID_KEY_FILE);
  const publicKey = existsSync(file) ? findPublicKey(readFileSync(file, 'utf8').trim()) : undefined;
  if (VAPID_PUBLIC_KEY === undefined && publicKey === undefined) return [];
  const isSet = VAPID_PUBLIC_KEY !== undefined;
  return [
    { name: 'VAPID_PUBLIC_KEY', value: isSet ? UNCHANGED : (publicKey ?? '') },
    { name: 'VAPID_PRIVATE_KEY', value: isSet ? UNCHANGED : `the content of ${file}` },
  ];
}
