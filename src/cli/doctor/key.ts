/** The key that guards what is stored, and whether it is the one that does. */
import { join } from 'node:path';
import { isKeyOfData, KEY_REMEDY, missingKeyLine, otherKeyLine } from '../../accounts/key-judgement.ts';
import { SealingKeysService } from '../../accounts/sealing-keys.service.ts';
import { placeOfKeys } from '../../compose-keys.ts';
import { configuredKeys } from '../../config.ts';
import { openToLook } from '../../db/open-beside.ts';
import { UnusableKeyError } from '../../lib/key-file.ts';
import { hasSecretKeys, readSecretKeys, SECRET_KEY_FILE, type SecretKeys } from '../../lib/secret-key.ts';
import { keyIdOf } from '../../lib/secrets.ts';
import { type Check, type Finding, fault, fine, type Patient, reasonOf } from './check.ts';
import { hasAccounts } from './database.ts';

const key: Check = {
  name: 'secret key',
  settings: ['SECRET_KEY', 'SECRET_KEY_OLD', 'DATA_DIR', 'DATABASE_URL'],
  look: async (patient) => {
    const { config } = patient;
    const configured = configuredKeys(config);
    if (!configured && config.DATABASE_URL.engine === 'postgres') return undefined;
    const named = await listNamedKeys(patient);
    if (configured) return judge(patient, named, configured);
    if (hasSecretKeys(config.DATA_DIR)) return lookAtFile(patient, named);
    const isNeeded = named ? named.length > 0 : await hasAccounts(patient);
    if (!isNeeded) return fine('the first start makes one and keeps it in DATA_DIR');
    return fault(missingKeyLine(join(config.DATA_DIR, SECRET_KEY_FILE), named), KEY_REMEDY);
  },
};

/** Undefined where the database cannot be asked, or not yet: why it cannot is for another check to say. */
async function listNamedKeys(patient: Patient): Promise<readonly string[] | undefined> {
  const db = openToLook(patient.config.DATABASE_URL, patient);
  try {
    return (await new SealingKeysService(db, patient.clock).list()).named;
  } catch {
    return undefined;
  } finally {
    await db.destroy();
  }
}

function lookAtFile(patient: Patient, named: readonly string[] | undefined): Finding {
  try {
    return judge(patient, named, readSecretKeys(patient.config.DATA_DIR));
  } catch (error) {
    if (error instanceof UnusableKeyError) return fault(error.says, error.remedy);
    return fault(reasonOf(error), "Make secret.key a file that the service's user can read.");
  }
}

function judge({ config }: Patient, named: readonly string[] | undefined, keys: SecretKeys): Finding {
  if (named && !isKeyOfData(named, keys.map(keyIdOf)))
    return fault(otherKeyLine(placeOfKeys(config), named), KEY_REMEDY);
  const where = config.SECRET_KEY === undefined ? 'kept in DATA_DIR' : 'set';
  const older = keys.length - 1;
  return fine(
    `${where}${older === 0 ? '' : `, with ${older} former beside it`}${named?.length ? ', and the key of this database' : ''}`,
  );
}

export const keyChecks: readonly Check[] = [key];
