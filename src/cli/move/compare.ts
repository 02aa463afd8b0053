/** Sums up both sides row by row, so that memory stays flat however many rows there are. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '../../db/schema.ts';
import { transact } from '../../db/transact.ts';
import type { Source, Table } from './source.ts';
import { Summing } from './summing.ts';
import type { TableSum } from './table-sum.ts';
import { readForms } from './target.store.ts';

const ROWS_PER_TURN = 5_000;

/** Reading SQLite never lets go of the thread by itself; a signal is only heard where somebody waits. */
export async function sumSource(source: Source, signal: AbortSignal): Promise<TableSum[]> {
  const sums: TableSum[] = [];
  for (const table of source.tables) {
    const summing = new Summing();
    for (const { form } of source.rows(table)) {
      if (summing.add(form) % ROWS_PER_TURN === 0) await nextTurn();
      signal.throwIfAborted();
    }
    sums.push(summing.done(table.name));
  }
  return sums;
}

export async function sumTarget(
  db: Kysely<Database>,
  tables: readonly Table[],
  signal: AbortSignal,
): Promise<TableSum[]> {
  const sums: TableSum[] = [];
  for (const table of tables) {
    const sum = await transact(db, async (trx) => {
      const summing = new Summing();
      for await (const form of readForms(trx, table)) {
        signal.throwIfAborted();
        summing.add(form);
      }
      return summing.done(table.name);
    });
    sums.push(sum);
  }
  return sums;
}
