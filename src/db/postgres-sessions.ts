/**
 * Who else is connected to the same PostgreSQL. Every connection says in its name that it is ours,
 * and those of a service with which key it seals: so it can be seen that an old key is still in use.
 */
import { type Kysely, sql } from 'kysely';
import type { Database } from './schema.ts';

const OURS = 'crescendo';
/** None of these seals anything. Names of keys are longer or shorter than each of them. */
const OTHERS = ['bell', 'command', 'migration'];

export const sessionName = (what: string | undefined): string => (what === undefined ? OURS : `${OURS} ${what}`);

/** Other processes of ours that are connected to the same database. */
export async function countOtherSessions(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like ${`${OURS}%`}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** The names of the keys that services seal with just now; empty text for a service that does not say it. */
export async function listKeysInUse(db: Kysely<Database>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and (application_name = ${OURS} or application_name like ${`${OURS} %`})
    order by 1`.execute(db);
  return rows.map(({ name }) => name.slice(OURS.length + 1)).filter((what) => !OTHERS.includes(what));
}
