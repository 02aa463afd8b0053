/**
 * Decides whether a PostgreSQL database may receive the copy: it must be empty, or hold an unfinished copy of
 * exactly the same rows, which is resumed. Rows of two databases are never mixed.
 *
 *   empty ─start─▶ progress table ─batch by batch─▶ all copied ─equal─▶ table dropped: a service may start
 *                       ▲  │
 *                       └──┘ interrupted at any moment
 */
import { applyMigrations, refuseNewerSchema } from '../../db/migrate.ts';
import { countOtherSessions } from '../../db/postgres/postgres-sessions.ts';
import type { Db } from '../../db/schema.ts';
import { transact } from '../../db/transact.ts';
import { COPY_PROGRESS_TABLE, listTables } from '../../db/unusable-database.ts';
import type { Clock } from '../../lib/clock.ts';
import { CommandError } from '../command.ts';
import { isEqualChecksum, type TableChecksum } from './canonical-row.ts';
import {
  createProgress,
  dropProgress,
  findProgress,
  hasRows,
  readTime,
  type TableProgress,
  truncateTables,
} from './target.store.ts';

/** A service that was started and never used has rows in these tables only. */
const FILLED_AT_START: ReadonlySet<string> = new Set(['releases', 'sealing_keys']);

interface CopyRequest {
  readonly checksums: readonly TableChecksum[];
  readonly version: string;
  readonly startOver: boolean;
}

/** Called before the source is read, which may take minutes, and again when the copy starts. */
export async function refuseOccupiedTarget(db: Db, tables: readonly { name: string }[]): Promise<void> {
  if (await findProgress(db)) return;
  const { present, ours } = await listPresent(db, tables);
  await refuseOccupied(db, present, ours);
}

/** Returns the progress from which the copy continues. */
export async function prepareTarget(db: Db, request: CopyRequest): Promise<TableProgress[]> {
  const unfinished = await findProgress(db);
  const isSame = unfinished !== undefined && isCopyOf(unfinished, request.checksums);
  if (unfinished && !isSame && !request.startOver) {
    throw new CommandError(
      'URL: the database holds an unfinished copy of another database, or of this one before it changed. ' +
        'Add --start-over to empty it and copy again.',
    );
  }
  if (!isSame || request.startOver) await startCopy(db, request, unfinished !== undefined);
  // Also when resuming: the interruption may have come before the tables were created.
  await applyMigrations(db, request);
  await refuseExtraTables(db, request.checksums);
  return (await findProgress(db)) ?? [];
}

/** A table that the operator added to the SQLite database has no counterpart in PostgreSQL. */
async function refuseExtraTables(db: Db, checksums: readonly TableChecksum[]): Promise<void> {
  const present = await listTables(db);
  const extra = checksums.find(({ name }) => !present.includes(name));
  if (extra === undefined) return;
  throw new CommandError(
    `The SQLite database has a table "${extra.name}" that is not Crescendo's. Remove it, then run the command again ` +
      'with --start-over.',
  );
}

function isCopyOf(progress: readonly TableProgress[], checksums: readonly TableChecksum[]): boolean {
  const isCopied = (checksum: TableChecksum) => progress.some((table) => isEqualChecksum(table, checksum));
  return progress.length === checksums.length && checksums.every(isCopied);
}

async function startCopy(db: Db, { checksums, version }: CopyRequest, isStarted: boolean): Promise<void> {
  await refuseNewerSchema(db, { version });
  await transact(db, async (trx) => {
    const { present, ours } = await listPresent(trx, checksums);
    if (isStarted) {
      await truncateTables(trx, ours);
      await dropProgress(trx);
    } else {
      await refuseOccupied(trx, present, ours);
      // The copy replaces the rows that a service writes when it starts.
      await truncateTables(
        trx,
        ours.filter((name) => FILLED_AT_START.has(name)),
      );
    }
    await createProgress(trx, checksums);
    // Counted after the progress table exists: no service can start from here on, so none is missed.
    if ((await countOtherSessions(trx)) > 0)
      throw new CommandError('URL: a Crescendo service is using this database. Stop it first.');
  });
}

async function listPresent(db: Db, tables: readonly { name: string }[]) {
  const present = await listTables(db);
  return { present, ours: tables.map(({ name }) => name).filter((name) => present.includes(name)) };
}

async function refuseOccupied(db: Db, present: readonly string[], ours: readonly string[]): Promise<void> {
  const foreign = present.find(
    (name) => !ours.includes(name) && !name.startsWith('kysely_') && name !== COPY_PROGRESS_TABLE,
  );
  if (foreign !== undefined)
    throw new CommandError(`URL: the database already has a table "${foreign}". Use an empty database.`);
  for (const name of ours) {
    if (!FILLED_AT_START.has(name) && (await hasRows(db, name)))
      throw new CommandError(`URL: the database already has rows in "${name}". Use an empty database.`);
  }
}

/** A clock this far behind is set wrong and not worth waiting for. */
const MAX_BEHIND_MS = 60_000;

export async function refuseSlowClock(db: Db, stoppedAt: Date): Promise<void> {
  const behindMs = await clockLagMs(db, stoppedAt);
  if (behindMs <= MAX_BEHIND_MS) return;
  throw new CommandError(
    `PostgreSQL's clock is ${Math.round(behindMs / 1_000)} s behind this machine's clock. Correct one of them first.`,
  );
}

/**
 * Waits until PostgreSQL's clock has passed the moment at which the old service was stopped. Sync cursors are
 * database time, and clients hold cursors from the old clock: a change that PostgreSQL stamps with an earlier
 * time would never be synced to them.
 */
export async function waitForClock(db: Db, stoppedAt: Date, clock: Clock, signal: AbortSignal): Promise<void> {
  const behindMs = await clockLagMs(db, stoppedAt);
  if (behindMs >= 0) await clock.sleepUntil(new Date(clock.now().getTime() + behindMs + 1), signal);
}

const clockLagMs = async (db: Db, at: Date) => at.getTime() - (await readTime(db)).getTime();
