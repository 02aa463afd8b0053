/**
 * Durable writes on SQLite: transactions that share a commit, compared with one commit per transaction, in
 * one run on one machine. Both wait for the disk (`synchronous=FULL`) before they answer.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import type { Database } from '../src/db/schema.ts';
import { sqliteDialect } from '../src/db/sqlite/sqlite.ts';
import { transact } from '../src/db/transact.ts';

const WRITES = 8_000;
const ROUNDS = 3;

export async function benchGroupCommit(): Promise<void> {
  console.log('Durable writes per second on SQLite (two statements each)');
  console.log('clients   commit each   shared commit   ratio');
  for (const clients of [1, 16, 64]) {
    const separate = await best(() => commitEach(clients));
    const shared = await best(() => shareCommits(clients));
    const cells = [String(clients).padStart(7), separate.toFixed(0).padStart(13), shared.toFixed(0).padStart(15)];
    console.log(`${cells.join(' ')}   ${(shared / separate).toFixed(2)}`);
  }
}

async function best(measure: () => Promise<number>): Promise<number> {
  let fastest = 0;
  for (let round = 0; round < ROUNDS; round += 1) fastest = Math.max(fastest, await measure());
  return fastest;
}

const TABLE = 'create table writes (id integer primary key, at integer not null, body text not null)';
const INSERT = 'insert into writes (at, body) values (?, ?)';
const UPDATE = 'update writes set at = ? where id = ?';

/** One transaction after another on one connection, each with its own fsync. */
async function commitEach(clients: number): Promise<number> {
  return withTemporaryFile(async (file) => {
    const db = new DatabaseSync(file);
    db.exec('pragma journal_mode = wal; pragma synchronous = full');
    db.exec(TABLE);
    const insert = db.prepare(INSERT);
    const update = db.prepare(UPDATE);
    const rate = await ratePerSecond(clients, async () => {
      db.exec('begin immediate');
      const { lastInsertRowid } = insert.run(1, 'a task that matters');
      update.run(2, lastInsertRowid);
      db.exec('commit');
    });
    db.close();
    return rate;
  });
}

async function shareCommits(clients: number): Promise<number> {
  return withTemporaryFile(async (file) => {
    const db = new Kysely<Database>({ dialect: sqliteDialect(file, () => new Date()) });
    await sql.raw(TABLE).execute(db);
    const rate = await ratePerSecond(clients, async () => {
      await transact(db, async (trx) => {
        await sql`insert into writes (at, body) values (${1}, ${'a task that matters'})`.execute(trx);
        await sql`update writes set at = ${2} where id = last_insert_rowid()`.execute(trx);
      });
    });
    await db.destroy();
    return rate;
  });
}

async function ratePerSecond(clients: number, write: () => Promise<void>): Promise<number> {
  let left = WRITES;
  const client = async () => {
    while (left > 0) {
      left -= 1;
      await write();
      // The next request of a real client arrives through the event loop, not in the same turn.
      await new Promise(setImmediate);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return WRITES / ((performance.now() - startedAt) / 1_000);
}

async function withTemporaryFile(measure: (file: string) => Promise<number>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  try {
    return await measure(join(folder, 'bench.db'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
