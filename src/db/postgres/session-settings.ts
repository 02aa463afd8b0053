/**
 * The settings of our sessions with PostgreSQL. They are set after connecting, in one round trip: PgBouncer
 * refuses a connection that brings settings in its startup packet.
 */
import type pg from 'pg';
import { type ClockReading, stopwatch } from '../../lib/clock.ts';
import { CONNECT_TIMEOUT_MS } from './postgres-address.ts';
import { withTimeout } from './postgres-pool.ts';
import { SERVER_TIME, type ServerTime, toReading } from './server-clock.ts';

export type SessionSettings = Readonly<Record<string, string>>;

/** A transaction never waits for anything but the database, so a long pause means that its process is stuck or gone. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 8_000;

/** Empty without a time limit: a migration sets what it needs in its transaction. */
export function settingsWith(statementTimeoutMs: number | undefined): SessionSettings {
  if (statementTimeoutMs === undefined) return {};
  return {
    statement_timeout: `${statementTimeoutMs}`,
    idle_in_transaction_session_timeout: `${IDLE_IN_TRANSACTION_TIMEOUT_MS}`,
    TimeZone: 'UTC',
    // Every query has an index, so a plan with a sequential scan is a mistake: the planner's statistics lag behind a
    // table that has just grown. No query runs long enough for JIT compilation to pay off.
    enable_seqscan: 'off',
    random_page_cost: '1.1',
    jit: 'off',
  };
}

interface SessionFacts extends ServerTime {
  readonly pid: number;
  readonly is_standby: boolean;
}

/** Throws if the server is a standby, unless that is allowed: its data is old, and every write would fail. */
export async function prepareSession(
  client: pg.ClientBase,
  settings: SessionSettings,
  { refuseStandby }: { readonly refuseStandby: boolean },
): Promise<{ isPooled: boolean; serverTime: ClockReading }> {
  const facts = ['pg_backend_pid() as pid', 'pg_is_in_recovery() as is_standby', SERVER_TIME];
  const assignments = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  const statement = `select ${[...facts, ...assignments].join(', ')}`;
  const elapsedMs = stopwatch();
  const { rows } = await client.query<SessionFacts>(withTimeout(statement, CONNECT_TIMEOUT_MS));
  const found = rows[0] as SessionFacts;
  const serverTime = toReading(found, elapsedMs());
  if (refuseStandby && found.is_standby) throw new Error('The server is a standby, which cannot be written to.');
  // A pooler gives its clients a process id of its own, because it cancels statements for them.
  return { isPooled: found.pid !== (client as pg.ClientBase & { processID?: number }).processID, serverTime };
}
