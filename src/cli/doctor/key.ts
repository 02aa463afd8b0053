/** The key that guards what is stored. */
import { hasSecretKeys, readSecretKeys } from '../../lib/secret-key.ts';
import { type Check, type Finding, fault, fine, reasonOf } from './check.ts';
import { hasAccounts } from './database.ts';

const key: Check = {
  name: 'secret key',
  settings: ['SECRET_KEY', 'SECRET_KEY_OLD', 'DATA_DIR', 'DATABASE_URL'],
  look: async (patient) => {
    const { SECRET_KEY, SECRET_KEY_OLD = [], DATA_DIR, DATABASE_URL } = patient.config;
    if (SECRET_KEY !== undefined) return fine(SECRET_KEY_OLD.length === 0 ? 'set' : 'set, with former ones beside it');
    if (DATABASE_URL.engine === 'postgres') return undefined;
    if (hasSecretKeys(DATA_DIR)) return lookAtKeys(DATA_DIR);
    if (!(await hasAccounts(patient))) return fine('the first start makes one and keeps it in DATA_DIR');
    return fault(
      'there are accounts, and no secret.key in DATA_DIR',
      'Restore secret.key from a backup, or set DATA_DIR to where it lies. Without it no second factor can be checked.',
    );
  },
};

function lookAtKeys(path: string): Finding {
  try {
    const { length } = readSecretKeys(path);
    return fine(length === 1 ? 'kept in DATA_DIR' : `kept in DATA_DIR, with ${length - 1} former beside it`);
  } catch (error) {
    return fault(reasonOf(error), "Restore secret.key from a backup, readable for the service's user alone.");
  }
}

export const keyChecks: readonly Check[] = [key];
