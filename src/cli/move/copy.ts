/**
 * Copies table by table, in key order. A batch and its progress are one transaction, so an interrupted copy
 * resumes after the last committed batch.
 */
import type { Db } from '../../db/schema.ts';
import { transact } from '../../db/transact.ts';
import { type Call, CommandError } from '../command.ts';
import type { Table } from './canonical-row.ts';
import type { Key, Row, Source } from './source.ts';
import { advanceProgress, insertRows, type TableProgress } from './target.store.ts';

const ROWS_PER_BATCH = 1_000;
/** Rows with long texts are sent in smaller batches. */
const CHARACTERS_PER_BATCH = 2_000_000;

export async function copyTables(
  { printStatus, signal }: Call,
  source: Source,
  db: Db,
  progress: readonly TableProgress[],
): Promise<void> {
  const total = progress.reduce((sum, { rows }) => sum + rows, 0);
  let done = progress.reduce((sum, { copied }) => sum + copied, 0);
  if (done > 0) printStatus(`Resuming after ${done} of ${total} rows …`);
  let printedPercent = -1;
  for (const table of source.tables) {
    let position = progress.find(({ name }) => name === table.name);
    if (!position) continue;
    for (const batch of toBatches(source.rows(table, lastKeyOf(position)))) {
      signal.throwIfAborted();
      position = await copyBatch(db, table, position, batch);
      done += batch.length;
      const percent = Math.floor((100 * done) / total);
      if (percent > printedPercent) printStatus(`${percent}% copied: ${done} of ${total} rows, now in ${table.name}`);
      printedPercent = percent;
    }
  }
}

const lastKeyOf = ({ last_key }: TableProgress): Key | undefined =>
  last_key === null ? undefined : JSON.parse(last_key);

async function copyBatch(db: Db, table: Table, from: TableProgress, rows: readonly Row[]): Promise<TableProgress> {
  const to = { ...from, copied: from.copied + rows.length, last_key: JSON.stringify(rows.at(-1)?.key) };
  const payload = `[${rows.map(({ canonical }) => canonical).join(',')}]`;
  await transact(db, async (trx) => {
    await insertRows(trx, table, payload).catch((error) => {
      throw withRowRange(error, table, rows);
    });
    if (!(await advanceProgress(trx, from, to)))
      throw new CommandError('URL: another process is copying into this database too.');
  });
  return to;
}

/** SQLSTATE class 22 is an invalid value, class 23 a violated constraint. Other errors are not about rows. */
const ROW_ERROR = /^2[23]/;

function withRowRange(error: unknown, { name }: Table, rows: readonly Row[]): unknown {
  const isRowError = error instanceof Error && 'code' in error && ROW_ERROR.test(String(error.code));
  if (!isRowError) return error;
  const [first, last] = [rows[0], rows.at(-1)].map((row) => row?.key.map(String).join(', '));
  // A missing referenced row, or a row that exists already.
  const remedy = String(error.code).startsWith('23')
    ? ' If another program wrote into the copy, run the command again with --start-over.'
    : '';
  return new CommandError(
    `${name}, one of the rows from ${first} to ${last}: PostgreSQL says: ${error.message}.${remedy}`,
  );
}

function* toBatches(rows: Iterable<Row>): Generator<Row[]> {
  let batch: Row[] = [];
  let characters = 0;
  for (const row of rows) {
    batch.push(row);
    characters += row.canonical.length;
    if (batch.length < ROWS_PER_BATCH && characters < CHARACTERS_PER_BATCH) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}
