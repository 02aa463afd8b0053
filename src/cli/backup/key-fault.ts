/** A backup without the right key is better than none, and must not pass for a whole one. */
import { DatabaseSync } from 'node:sqlite';
import { isKeyOfData, KEY_REMEDY, missingKeyLine, otherKeyLine } from '../../accounts/key-judgement.ts';
import { placeOfKeys } from '../../compose-keys.ts';
import type { Config } from '../../config.ts';
import type { Report } from '../command.ts';
import { secretKeyIds } from './contents.ts';
import { namedKeysIn } from './named-keys.ts';

/** Undefined where the keys at hand are those of the database in the file. */
export function findKeyFault(file: string, config: Config): string | undefined {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const [named, known] = [namedKeysIn(db), secretKeyIds(config)];
    if (isKeyOfData(named, known)) return undefined;
    const place = placeOfKeys(config);
    return `${known.length === 0 ? missingKeyLine(place, named) : otherKeyLine(place, named)}. ${KEY_REMEDY}`;
  } finally {
    db.close();
  }
}

export function withKeyFault(report: Report, fault: string | undefined): Report {
  if (fault === undefined) return { ...report, data: { ...report.data, key_fault: null } };
  const text = `${report.text}\nIt is no whole backup, since the key is not in it: ${fault}`;
  return { data: { ...report.data, key_fault: fault }, text, failed: true };
}
