/**
 * Copies table by table, in the order of the keys. Each batch and the mark that it is there are one
 * transaction: whatever ends the copy, the next one goes on behind the last batch that was committed.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../../db/schema.ts';
import { transact } from '../../db/transact.ts';
import { CommandError } from '../command.ts';
import { advanceMark, type Mark } from './copy-marks.store.ts';
import type { Key, Row, Source, Table } from './source.ts';
import { insertRows } from './target.store.ts';

const ROWS_PER_BATCH = 1_000;
/** Rows with long texts travel in smaller groups. */
const CHARACTERS_PER_BATCH = 2_000_000;

export interface Follower {
  readonly signal: AbortSignal;
  copied(table: string, rows: number): void;
}

export async function copyTable(
  db: Kysely<Database>,
  source: Source,
  table: Table,
  begun: Mark,
  { signal, copied }: Follower,
): Promise<void> {
  let mark = begun;
  for (const rows of batches(source.rows(table, keyOf(begun)))) {
    signal.throwIfAborted();
    mark = await copyBatch(db, table, mark, rows);
    copied(table.name, rows.length);
  }
}

const keyOf = ({ last_key }: Mark): Key | undefined => (last_key === null ? undefined : JSON.parse(last_key));

async function copyBatch(db: Kysely<Database>, table: Table, from: Mark, rows: readonly Row[]): Promise<Mark> {
  const last = rows.at(-1)?.key;
  const to = { ...from, copied: from.copied + rows.length, last_key: JSON.stringify(last) };
  const payload = `[${rows.map(({ form }) => form).join(',')}]`;
  await transact(db, async (trx) => {
    await insertRows(trx, table, payload).catch((error) => {
      throw located(error, table, rows);
    });
    if (!(await advanceMark(trx, from, to))) throw new CommandError('URL: another process is copying into it as well.');
  });
  return to;
}

/** SQLSTATE classes 22 and 23: a value or a row that cannot be. All else is no matter of rows. */
const IS_ABOUT_ROWS = /^2[23]/;

function located(error: unknown, { name }: Table, rows: readonly Row[]): unknown {
  const isAboutRows = error instanceof Error && 'code' in error && IS_ABOUT_ROWS.test(String(error.code));
  if (!isAboutRows) return error;
  const [first, last] = [rows[0], rows.at(-1)].map((row) => row?.key.map(String).join(', '));
  // A reference that is missing, or a row that is already there.
  const remedy = String(error.code).startsWith('23')
    ? ' If something else wrote into the copy meanwhile, repeat with --start-over.'
    : '';
  const where = `${name}, one of the rows from ${first} to ${last}`;
  return new CommandError(`${where}: PostgreSQL says: ${error.message}.${remedy}`);
}

function* batches(rows: Iterable<Row>): Generator<Row[]> {
  let batch: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    characters += row.form.length;
    if (batch.length < ROWS_PER_BATCH && characters < CHARACTERS_PER_BATCH) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
