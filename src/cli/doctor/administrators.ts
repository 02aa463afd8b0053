/** Says how many people administer the installation, and why. Shows nobody's address. */
import { type AdminReason, findAdminReason } from '../../admin/administrators.ts';
import { countPeople, listAdminCandidates } from '../../admin/people.store.ts';
import { adminRulesOf } from '../../compose/admin-rules.ts';
import type { Config } from '../../config.ts';
import type { Db } from '../../db/schema.ts';
import { type Check, fine, warning } from './check.ts';
import { withDatabase } from './database.ts';

const SOURCES: Readonly<Record<AdminReason, string>> = {
  setting: 'by ADMINS',
  provider: "by the identity provider's groups",
  command_line: 'by "crescendo user admin" or the word of the terminal',
  first_account: 'as the first account of a private service, before a word was needed',
};

export const administrators: Check = {
  name: 'administrators',
  settings: ['ADMINS', 'BASE_URL', 'HOST', 'TRUST_PROXY', 'DATABASE_URL', 'DATA_DIR'],
  run: async (context) => {
    // The check of the database says why it cannot be read.
    const sources = await withDatabase(context, (db) => listSources(db, context.config)).catch(() => undefined);
    if (sources === undefined) return undefined;
    if (sources.length > 0) return fine(sources.join(', '));
    return warning(
      'nobody administers this installation',
      'Enter the word that "crescendo claim" shows in the app, or run: crescendo user admin YOUR_ADDRESS',
    );
  },
};

/** Undefined if there is no account yet. */
async function listSources(db: Db, config: Config): Promise<string[] | undefined> {
  if ((await countPeople(db)) === 0) return undefined;
  const rules = adminRulesOf(config);
  const candidates = await listAdminCandidates(db, rules.admins);
  const reasons = candidates.map((person) => findAdminReason(person, rules));
  return (Object.keys(SOURCES) as AdminReason[]).flatMap((reason) => {
    const count = reasons.filter((found) => found === reason).length;
    return count === 0 ? [] : [`${count} ${SOURCES[reason]}`];
  });
}
