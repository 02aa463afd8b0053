/** The encryption key: whether there is one, and whether it fits the database. */
import type { Db } from '../../db/schema.ts';
import { configuredKeys, findKeyProblem, findKeys } from '../../keys/available-keys.ts';
import { UnusableKeyError } from '../../keys/key-file.ts';
import { SealingKeysService } from '../../keys/sealing-keys.service.ts';
import type { SecretKeys } from '../../keys/secret-key-file.ts';
import { type Check, type DoctorContext, type Finding, fault, fine, reasonOf } from './check.ts';
import { hasAccounts, withDatabase } from './database.ts';

const key: Check = {
  name: 'secret key',
  settings: ['SECRET_KEY', 'SECRET_KEY_OLD', 'DATA_DIR', 'DATABASE_URL'],
  run: async (context) => {
    const { config } = context;
    if (!configuredKeys(config) && config.DATABASE_URL.engine === 'postgres') return undefined;
    const used = await listUsedKeys(context);
    try {
      const keys = findKeys(config);
      const isNeeded = keys || (used ? used.length > 0 : await hasAccounts(context));
      if (!isNeeded) return fine('the first start makes one and keeps it in DATA_DIR');
      const problem = findKeyProblem(config, used, keys);
      return problem ? fault(problem.summary, problem.remedy) : describe(context, used, keys ?? ['']);
    } catch (error) {
      if (error instanceof UnusableKeyError) return fault(error.summary, error.remedy);
      return fault(reasonOf(error), "Make secret.key a file that the service's user can read.");
    }
  },
};

/** Undefined if the database cannot be read: another check reports why. */
async function listUsedKeys(context: DoctorContext): Promise<readonly string[] | undefined> {
  const list = async (db: Db) => (await new SealingKeysService(db, context.clock).list()).used;
  return withDatabase(context, list).catch(() => undefined);
}

function describe({ config }: DoctorContext, used: readonly string[] | undefined, keys: SecretKeys): Finding {
  const where = config.SECRET_KEY === undefined ? 'kept in DATA_DIR' : 'set';
  const older = keys.length - 1;
  const olderKeys = older === 0 ? '' : `, with ${older} old ${older === 1 ? 'key' : 'keys'}`;
  return fine(`${where}${olderKeys}${used?.length ? ', and the key of this database' : ''}`);
}

export const keyChecks: readonly Check[] = [key];
