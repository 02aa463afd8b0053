/** Checksums of every table in either database, computed row by row so that memory use stays flat. */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Db } from '../../db/schema.ts';
import { transact } from '../../db/transact.ts';
import { rowFromPostgres, type Table, type TableChecksum } from './canonical-row.ts';
import type { Source } from './source.ts';
import { readRows } from './target.store.ts';

class ChecksumBuilder {
  readonly #hash = createHash('sha256');
  rows = 0;

  add(canonicalRow: string): void {
    // A canonical row is JSON, which never contains a raw newline.
    this.#hash.update(`${canonicalRow}\n`);
    this.rows += 1;
  }

  finish(name: string): TableChecksum {
    return { name, rows: this.rows, checksum: this.#hash.digest('hex') };
  }
}

const ROWS_PER_TURN = 5_000;

export async function checksumSource(source: Source, signal: AbortSignal): Promise<TableChecksum[]> {
  const checksums: TableChecksum[] = [];
  for (const table of source.tables) {
    const builder = new ChecksumBuilder();
    for (const { canonical } of source.rows(table)) {
      builder.add(canonical);
      // SQLite reads are synchronous: without this pause the process would not notice a signal.
      if (builder.rows % ROWS_PER_TURN === 0) await nextTurn();
      signal.throwIfAborted();
    }
    checksums.push(builder.finish(table.name));
  }
  return checksums;
}

export async function checksumTarget(db: Db, tables: readonly Table[], signal: AbortSignal): Promise<TableChecksum[]> {
  const checksums: TableChecksum[] = [];
  for (const table of tables) {
    const checksum = await transact(db, async (trx) => {
      const builder = new ChecksumBuilder();
      for await (const row of readRows(trx, table)) {
        signal.throwIfAborted();
        builder.add(rowFromPostgres(table.columns, row));
      }
      return builder.finish(table.name);
    });
    checksums.push(checksum);
  }
  return checksums;
}
