/** Copies table by table, in key order, and compares: the checksum of what was read with that of what PostgreSQL holds. */
import { createHash } from 'node:crypto';
import type { Db } from '../../db/schema.ts';
import { type Call, CommandError } from '../command.ts';
import { rowFromPostgres, type Table } from './canonical-row.ts';
import type { Row, Source } from './source.ts';
import { insertRows, readRows } from './target.store.ts';

export interface TableChecksum {
  readonly name: string;
  readonly rows: number;
  /** Over all rows in canonical form, in key order. */
  readonly checksum: string;
}

/** Row by row, so that memory use stays flat. */
class ChecksumBuilder {
  readonly #hash = createHash('sha256');
  #rows = 0;

  add(canonicalRow: string): void {
    // A canonical row is JSON, which never contains a raw newline.
    this.#hash.update(`${canonicalRow}\n`);
    this.#rows += 1;
  }

  finish(name: string): TableChecksum {
    return { name, rows: this.#rows, checksum: this.#hash.digest('hex') };
  }
}

const ROWS_PER_BATCH = 1_000;
/** Rows with long texts are sent in smaller batches. */
const CHARACTERS_PER_BATCH = 2_000_000;

export async function copyTables({ printStatus, signal }: Call, source: Source, trx: Db): Promise<TableChecksum[]> {
  const total = source.tables.reduce((sum, table) => sum + source.countRows(table), 0);
  const checksums: TableChecksum[] = [];
  let done = 0;
  let printedPercent = -1;
  for (const table of source.tables) {
    const builder = new ChecksumBuilder();
    for (const batch of toBatches(source.rows(table))) {
      signal.throwIfAborted();
      for (const { canonical } of batch) builder.add(canonical);
      await copyBatch(trx, table, batch);
      done += batch.length;
      const percent = Math.floor((100 * done) / total);
      if (percent > printedPercent) printStatus(`${percent}% copied: ${done} of ${total} rows, now in ${table.name}`);
      printedPercent = percent;
    }
    checksums.push(builder.finish(table.name));
  }
  return checksums;
}

async function copyBatch(trx: Db, table: Table, rows: readonly Row[]): Promise<void> {
  const payload = `[${rows.map(({ canonical }) => canonical).join(',')}]`;
  await insertRows(trx, table, payload).catch((error) => {
    throw withRowRange(error, table, rows);
  });
}

/** SQLSTATE class 22 is an invalid value, class 23 a violated constraint. Other errors are not about rows. */
const ROW_ERROR = /^2[23]/;

function withRowRange(error: unknown, { name }: Table, rows: readonly Row[]): unknown {
  const isRowError = error instanceof Error && 'code' in error && ROW_ERROR.test(String(error.code));
  if (!isRowError) return error;
  const [first, last] = [rows[0], rows.at(-1)].map((row) => row?.key.map(String).join(', '));
  return new CommandError(`${name}, one of the rows from ${first} to ${last}: PostgreSQL says: ${error.message}.`);
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

export async function refuseDifference(
  trx: Db,
  tables: readonly Table[],
  expected: readonly TableChecksum[],
  signal: AbortSignal,
): Promise<void> {
  const different: string[] = [];
  for (const [index, table] of tables.entries()) {
    const builder = new ChecksumBuilder();
    for await (const row of readRows(trx, table)) {
      signal.throwIfAborted();
      builder.add(rowFromPostgres(table.columns, row));
    }
    if (builder.finish(table.name).checksum !== expected[index]?.checksum) different.push(table.name);
  }
  if (different.length === 0) return;
  throw new CommandError(
    `The copy differs in ${different.join(', ')}, so it was not stored. Something in PostgreSQL changes rows, such as a ` +
      'trigger. Use an empty database.',
  );
}
