/**
 * Finds out whether a pooler between the service and PostgreSQL shares sessions between its clients
 * ("transaction pooling"). The service still works correctly then, because only transactions keep a state. But session
 * settings get lost, so the server's limits and planner settings must be set for the role, and `wake-ups.ts` receives
 * nothing.
 */
import pg from 'pg';
import type { Logger } from '../../lib/logger.ts';
import { connectionOptions } from './postgres-address.ts';
import { sessionName } from './postgres-sessions.ts';
import type { SessionSettings } from './session-settings.ts';

/**
 * Whether the sessions may be shared. Logs a line if they are and the role does not have the settings, and if the
 * pooler could not be asked.
 */
export async function reportSharedSessions(url: string, settings: SessionSettings, logger: Logger): Promise<boolean> {
  try {
    const missing = await findMissingSettings(url, settings);
    if (missing !== undefined && missing.length > 0)
      logger.warn(
        { statements: missing },
        'a connection pooler shares sessions, so time limits and planner settings of the service do not hold: ' +
          'run these statements as the owner of the database, then restart the pooler (docs/scaling.md)',
      );
    return missing !== undefined;
  } catch (error) {
    logger.warn({ err: error }, 'a connection pooler was found, and whether it shares sessions could not be checked');
    return true;
  }
}

/** The statements that give the role its missing settings; undefined if each client has a session of its own. */
export async function findMissingSettings(url: string, settings: SessionSettings): Promise<string[] | undefined> {
  const [first, second] = [connectable(url), connectable(url)];
  try {
    await Promise.all([first.connect(), second.connect()]);
    if (!(await shareSessions(first, second))) return undefined;
    const { rows } = await first.query<{ name: string; reset_val: string; role: string }>(
      'select name, reset_val, quote_ident(current_user) as role from pg_settings where name = any($1)',
      [Object.keys(settings)],
    );
    // After a RESET the role's value applies, whatever another client has set in this session.
    return rows
      .filter(({ name, reset_val }) => reset_val !== settings[name])
      .map(({ name, role }) => `alter role ${role} set ${name} = '${settings[name]}'`);
  } finally {
    await Promise.allSettled([first.end(), second.end()]);
  }
}

/** Other clients may take and return the same session in between, so one attempt can miss it. */
const ATTEMPTS = 5;

/** The second client opens a transaction on the session that the first has just used, if the pooler lets it. */
async function shareSessions(first: pg.Client, second: pg.Client): Promise<boolean> {
  const backend = await backendOf(first);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    await second.query('begin');
    const later = await backendOf(first);
    await second.query('rollback');
    if (later !== backend) return true;
  }
  return false;
}

async function backendOf(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

const CHECK_TIMEOUT_MS = 5_000;

function connectable(url: string): pg.Client {
  const client = new pg.Client({ ...connectionOptions(url, sessionName('command')), query_timeout: CHECK_TIMEOUT_MS });
  // The query that was running fails with the same error.
  client.on('error', () => undefined);
  return client;
}
