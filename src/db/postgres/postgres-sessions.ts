/**
 * Names our PostgreSQL sessions and lists them. The session name of a service contains the id of the key it seals with,
 * so a command can see that an old key is still in use, and the release. A name without a release belongs to a release
 * before 0.3.0, which does not notice that the tables have changed and goes on sending.
 */
import { sql } from 'kysely';
import packageJson from '../../../package.json' with { type: 'json' };
import type { Db } from '../schema.ts';

const PREFIX = 'crescendo';
/** Sessions that seal nothing. None of these names has the 8 characters of a key id. */
const WITHOUT_KEY = ['wake-up', 'command', 'migration', 'bell'];
const UNKNOWN_KEY = 'no-key';
/** What listens for wake-ups is called so, in 0.1.0 `bell`: one session for each process with an engine. */
const LISTENERS = ['wake-up', 'bell'];
/** Commands of an older release send no nudges. */
const SHORT_LIVED = ['command', 'migration'];

export const sessionName = (purpose: string = UNKNOWN_KEY): string => `${PREFIX} ${purpose} ${packageJson.version}`;

/** Sessions of other Crescendo processes in the same database. */
export async function countOtherSessions(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name like ${`${PREFIX}%`}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

export interface OlderProcesses {
  /** At least so many: a process without an engine of its own may have several sessions. */
  readonly count: number;
  /** Where they connect from; empty if this user may not see it. */
  readonly addresses: readonly string[];
}

/** Running processes of releases before 0.3.0. */
export async function findOlderProcesses(db: Db): Promise<OlderProcesses> {
  const { rows } = await sql<{ name: string; address: string | null }>`
    select application_name as name, host(client_addr) as address from pg_stat_activity
    where datname = current_database() and (application_name = ${PREFIX}
      or (application_name like ${`${PREFIX} %`} and application_name not like ${`${PREFIX} % %`}))`.execute(db);
  const running = rows.filter(({ name }) => !SHORT_LIVED.includes(name.slice(PREFIX.length + 1)));
  const addresses = new Set(running.flatMap(({ address }) => address ?? []));
  const listeners = running.filter(({ name }) => LISTENERS.includes(name.slice(PREFIX.length + 1)));
  const count = running.length === 0 ? 0 : Math.max(1, addresses.size, listeners.length);
  return { count, addresses: [...addresses].toSorted() };
}

/** The ids of the keys that running services seal with; an empty string for a service that does not name its key. */
export async function listKeysInUse(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and (application_name = ${PREFIX} or application_name like ${`${PREFIX} %`})
    order by 1`.execute(db);
  const purposes = new Set(rows.map(({ name }) => name.split(' ')[1] ?? ''));
  return [...purposes].filter((purpose) => !WITHOUT_KEY.includes(purpose)).map((id) => (id === UNKNOWN_KEY ? '' : id));
}
