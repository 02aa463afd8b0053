/**
 * Names our PostgreSQL sessions and lists them. The session name of a service contains the id of the key
 * it seals with, so a command can see that an old key is still in use.
 */
import { sql } from 'kysely';
import type { Db } from '../schema.ts';

const PREFIX = 'crescendo';
/** Sessions that seal nothing. None of these names has the 8 characters of a key id. */
const WITHOUT_KEY = ['wake-up', 'command', 'migration'];

export const sessionName = (suffix: string | undefined): string =>
  suffix === undefined ? PREFIX : `${PREFIX} ${suffix}`;

/** Sessions of other Crescendo processes in the same database. */
export async function countOtherSessions(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like ${`${PREFIX}%`}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Each process with an engine has one session that listens for wake-ups. */
export async function countEngineSessions(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = ${sessionName('wake-up')}`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** The ids of the keys that running services seal with; an empty string for a service that does not name its key. */
export async function listKeysInUse(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and (application_name = ${PREFIX} or application_name like ${`${PREFIX} %`})
    order by 1`.execute(db);
  return rows.map(({ name }) => name.slice(PREFIX.length + 1)).filter((suffix) => !WITHOUT_KEY.includes(suffix));
}
