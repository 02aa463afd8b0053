/**
 * Decides whether a PostgreSQL may take the copy. Either nothing is in it, or it is a half-done copy
 * of the very same rows, which is gone on with; two databases are never mixed.
 *
 *   empty ──begin──▶ marks ──batch by batch──▶ all copied ──equal──▶ no marks: the service may start
 *                      ▲  │
 *                      └──┘ interrupted, at whatever moment
 */
import type { Kysely } from 'kysely';
import { applyMigrations, refuseNewer } from '../../db/migrate.ts';
import { listTables } from '../../db/origin.ts';
import { countOtherSessions } from '../../db/postgres-sessions.ts';
import type { Database } from '../../db/schema.ts';
import { transact } from '../../db/transact.ts';
import { COPY_MARKS } from '../../db/unfinished-copy.ts';
import { CommandError } from '../command.ts';
import { createMarks, dropMarks, findMarks, type Mark } from './copy-marks.store.ts';
import { isEqualSum, type TableSum } from './table-sum.ts';
import { emptyTables, hasRows } from './target.store.ts';

/** Rows of a service that was started and never used. */
const NOTED_AT_START: ReadonlySet<string> = new Set(['releases', 'sealing_keys']);

interface Intent {
  readonly sums: readonly TableSum[];
  readonly version: string;
  readonly startOver: boolean;
}

/** Asked before the source is read through, which may take a while, and once more when the copy begins. */
export async function refuseWrongTarget(db: Kysely<Database>, tables: readonly { name: string }[]): Promise<void> {
  if (await findMarks(db)) return;
  const present = await listTables(db);
  const ours = tables.map(({ name }) => name).filter((name) => present.includes(name));
  await refuseOccupied(db, present, ours);
}

/** The marks of a copy that may go on. */
export async function prepareTarget(db: Kysely<Database>, intent: Intent): Promise<Mark[]> {
  const begun = await findMarks(db);
  const isSame = begun !== undefined && isCopyOf(begun, intent.sums);
  if (begun && !isSame && !intent.startOver) {
    throw new CommandError(
      'URL: it holds a copy that was begun from another database, or from this one before it changed. ' +
        'Add --start-over to empty it and begin anew.',
    );
  }
  if (!isSame || intent.startOver) await begin(db, intent, begun !== undefined);
  // Repeated where the interruption came before the tables were there.
  await applyMigrations(db, intent);
  await refuseSurplus(db, intent.sums);
  return (await findMarks(db)) ?? [];
}

/** Somebody has put a table of their own beside ours; nothing here could hold its rows. */
async function refuseSurplus(db: Kysely<Database>, sums: readonly TableSum[]): Promise<void> {
  const present = await listTables(db);
  const surplus = sums.find(({ name }) => !present.includes(name));
  if (surplus === undefined) return;
  throw new CommandError(
    `The embedded database has a table "${surplus.name}" that is not Crescendo's: remove it there, and repeat with ` +
      '--start-over.',
  );
}

function isCopyOf(marks: readonly Mark[], sums: readonly TableSum[]): boolean {
  const isMarked = (sum: TableSum) => marks.some((mark) => isEqualSum(mark, sum));
  return marks.length === sums.length && sums.every(isMarked);
}

async function begin(db: Kysely<Database>, { sums, version }: Intent, isBegun: boolean): Promise<void> {
  await refuseNewer(db, { version });
  await transact(db, async (trx) => {
    const present = await listTables(trx);
    const ours = sums.map(({ name }) => name).filter((name) => present.includes(name));
    if (isBegun) {
      await emptyTables(trx, ours);
      await dropMarks(trx);
    } else {
      await refuseOccupied(trx, present, ours);
      // The copy brings what a service notes at its start along.
      await emptyTables(
        trx,
        ours.filter((name) => NOTED_AT_START.has(name)),
      );
    }
    await createMarks(trx, sums);
    // After the marks: from here on no service starts, and those that have are seen.
    if ((await countOtherSessions(trx)) > 0)
      throw new CommandError('URL: a Crescendo already runs on it: stop it first.');
  });
}

async function refuseOccupied(
  trx: Kysely<Database>,
  present: readonly string[],
  ours: readonly string[],
): Promise<void> {
  const foreign = present.find((name) => !ours.includes(name) && !name.startsWith('kysely_') && name !== COPY_MARKS);
  if (foreign !== undefined)
    throw new CommandError(`URL: it has a table "${foreign}", so it is not an empty database.`);
  for (const name of ours) {
    if (!NOTED_AT_START.has(name) && (await hasRows(trx, name)))
      throw new CommandError(`URL: it already has rows in "${name}", and two databases are never mixed.`);
  }
}
