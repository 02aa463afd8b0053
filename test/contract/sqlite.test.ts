import assert from 'node:assert/strict';
import {
  chownSync,
  copyFileSync,
  linkSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Kysely, sql } from 'kysely';
import { findFact, raiseFact } from '../../src/db/installation.ts';
import type { OpenDatabase } from '../../src/db/open.ts';
import { pingDatabase } from '../../src/db/ping.ts';
import { Processes } from '../../src/db/processes.ts';
import type { Database, Db } from '../../src/db/schema.ts';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { openSqlite, sqliteDialect } from '../../src/db/sqlite/sqlite.ts';
import { type Files, openServiceFiles } from '../../src/db/sqlite/sqlite-files.ts';
import { transact } from '../../src/db/transact.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { onlyOn } from '../support/engines.ts';
import { testAsSuperuser } from '../support/superuser.ts';
import { startTestApp, VERSION } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const now = () => new Date();

interface Notes extends Database {
  notes: { id: number; text: string; parent: number | null };
}

async function openNotes(openFiles = openServiceFiles) {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-test-'));
  const file = join(folder, 'crescendo.db');
  const db = await openSqlite<Notes>(sqliteDialect(file, now, { openFiles }));
  // The deferred key makes it possible to fail at commit, when every unit of the batch has already run.
  await sql`create table notes (
    id integer primary key, text text not null, parent integer references notes(id) deferrable initially deferred)`.execute(
    db,
  );
  const close = async () => {
    await db.destroy();
    rmSync(folder, { recursive: true, force: true });
  };
  return { db, file, folder, [Symbol.asyncDispose]: close };
}

const write = (db: Kysely<Notes>, id: number, text = 'x', parent: number | null = null) =>
  transact(db as unknown as Db, (trx) =>
    (trx as unknown as Kysely<Notes>).insertInto('notes').values({ id, text, parent }).execute(),
  );

const insertNote = (db: Kysely<Notes>, id: number, parent: number | null = null) =>
  db.insertInto('notes').values({ id, text: 'x', parent }).execute();

const ids = async (db: Kysely<Notes>) =>
  (await db.selectFrom('notes').select('id').orderBy('id').execute()).map(({ id }) => id);

/** Leaves room for only a few more pages, like a full disk. */
async function fillDisk(db: Kysely<Notes>, pagesLeft: number): Promise<void> {
  const { rows } = await sql<{ page_count: number }>`select page_count from pragma_page_count`.execute(db);
  await sql.raw(`pragma max_page_count = ${(rows[0]?.page_count ?? 0) + pagesLeft}`).execute(db);
}

function replaceByCopy(file: string): void {
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
}

onlyOn('sqlite', () => {
  test('statistics of an earlier state of the file do not change the plans', async () => {
    await using notes = await openNotes();
    await insertNote(notes.db, 1);
    await notes.db.destroy();
    const file = new DatabaseSync(notes.file);
    file.exec('create index notes_text on notes (text); analyze');
    const statistics = 'select tbl from sqlite_stat1';
    assert.ok(file.prepare(statistics).all().length > 0);
    file.close();
    const db = new Kysely<Notes>({ dialect: sqliteDialect(notes.file, now) });
    assert.deepEqual((await sql.raw(statistics).execute(db)).rows, []);
    assert.deepEqual(await ids(db), [1]);
    await db.destroy();
  });

  test('on a full disk only the unit that does not fit is refused; the others of its batch are stored', async () => {
    await using notes = await openNotes();
    await fillDisk(notes.db, 2);
    const outcomes = await Promise.allSettled([
      write(notes.db, 1),
      write(notes.db, 2),
      write(notes.db, 3, 'far too much '.repeat(10_000)),
      write(notes.db, 4),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    );
    const refused = outcomes[2] as PromiseRejectedResult;
    assert.equal(refused.reason.code, 'database_unavailable');
    assert.deepEqual(await ids(notes.db), [1, 2, 4]);
    await fillDisk(notes.db, 1_000);
    await write(notes.db, 5, 'far too much '.repeat(10_000));
    assert.deepEqual(await ids(notes.db), [1, 2, 4, 5]);
  });

  test('after a full disk rolled back a unit, its later statements do not run on their own', async () => {
    await using notes = await openNotes();
    await fillDisk(notes.db, 2);
    const unit = transact(notes.db as unknown as Db, async (trx) => {
      const inside = trx as unknown as Kysely<Notes>;
      const tooMuch = inside
        .insertInto('notes')
        .values({ id: 1, text: 'y'.repeat(100_000), parent: null })
        .execute();
      await assert.rejects(tooMuch);
      await inside.insertInto('notes').values({ id: 2, text: 'small', parent: null }).execute();
    });
    await assert.rejects(unit, /already rolled back/);
    assert.deepEqual(await ids(notes.db), []);
  });

  const batches: [name: string, work: (db: Kysely<Notes>) => Promise<unknown>[], stored: number[]][] = [
    ['of transactions', (db) => [write(db, 1), write(db, 2, 'orphan', 99), write(db, 3)], [1, 3]],
    [
      'of single writes and transactions',
      (db) => [insertNote(db, 1), write(db, 2, 'orphan', 99), insertNote(db, 1), insertNote(db, 3)],
      [1, 3],
    ],
    // They are retried at once, and would share a batch again every time if they were not committed one by one.
    ['of single writes', (db) => [1, 2, 3, 4].map((id) => insertNote(db, id, id === 2 ? 99 : null)), [1, 3, 4]],
  ];
  for (const [name, work, stored] of batches) {
    test(`a batch ${name} that fails at its commit fails only for what caused it`, async () => {
      await using notes = await openNotes();
      const outcomes = await Promise.allSettled(work(notes.db));
      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, stored.length);
      assert.deepEqual(await ids(notes.db), stored);
    });
  }

  test('while a command holds the writer, a write waits for it, inside and outside of a transaction', async () => {
    await using notes = await openNotes();
    for (const [id, attempt] of [() => write(notes.db, 1), () => insertNote(notes.db, 2)].entries()) {
      const command = new DatabaseSync(notes.file);
      command.exec('begin immediate');
      const writing = attempt();
      // By now the first attempt has timed out.
      setImmediate(() => command.exec('commit'));
      await writing;
      command.close();
      assert.equal((await ids(notes.db)).length, id + 1);
    }
  });

  test('a read that meets a locked file longer than SQLite waits is told as an outage', async () => {
    let files: Files | undefined;
    await using notes = await openNotes((file) => {
      files = openServiceFiles(file);
      return files;
    });
    // Another process that recovers or closes the file holds this lock, for a moment that no test can choose.
    Object.assign(files?.reader ?? {}, {
      prepare: () => {
        throw Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR', errcode: 5 });
      },
    });
    await assert.rejects(ids(notes.db), { code: 'database_unavailable' });
    const inConnection = notes.db.connection().execute((db) => ids(db));
    await assert.rejects(inConnection, { code: 'database_unavailable' });
  });

  for (const [harm, fault] of [
    ['deleted', (file: string) => unlinkSync(file)],
    ['replaced by a copy', replaceByCopy],
    ['truncated', (file: string) => truncateSync(file, 0)],
    ['given a second name', (file: string) => linkSync(file, `${file}.second`)],
    ['stripped of its write-ahead log', (file: string) => unlinkSync(`${file}-wal`)],
    ['stripped of its lock', (file: string) => unlinkSync(`${file}.lock`)],
  ] as const) {
    test(`when the open file was ${harm}, no write is acknowledged and the health check fails`, async () => {
      await using notes = await openNotes();
      const ping = () => pingDatabase(notes.db as unknown as OpenDatabase);
      await write(notes.db, 1);
      await ping();
      fault(notes.file);
      await assert.rejects(write(notes.db, 2), { code: 'database_unavailable' });
      await assert.rejects(insertNote(notes.db, 3), { code: 'database_unavailable' });
      await assert.rejects(ping, { code: 'database_unavailable' });
    });
  }

  test('after a failed write the health check fails until writing works again, although nobody else writes', async () => {
    let files: Files | undefined;
    await using notes = await openNotes((file) => {
      files = openServiceFiles(file);
      return files;
    });
    await sql`create table releases (version text)`.execute(notes.db);
    await sql`insert into releases values ('1')`.execute(notes.db);
    const ping = () => pingDatabase(notes.db as unknown as OpenDatabase);
    files?.writer.exec('pragma query_only = on');
    await assert.rejects(write(notes.db, 1), { code: 'database_unavailable' });
    await assert.rejects(ping, { code: 'database_unavailable' });
    files?.writer.exec('pragma query_only = off');
    await ping();
    await write(notes.db, 1);
  });

  test('a unit resolves only when another connection can read its write', async () => {
    await using notes = await openNotes();
    const observer = new DatabaseSync(notes.file, { readOnly: true });
    const seen = observer.prepare('select count(*) as count from notes where id = ?');
    await Promise.all(
      Array.from({ length: 50 }, async (_, id) => {
        await write(notes.db, id);
        assert.deepEqual(seen.get(id)?.count, 1);
      }),
    );
    observer.close();
  });

  test('concurrent units share commits', async () => {
    await using notes = await openNotes();
    const before = statSync(`${notes.file}-wal`).size;
    await Promise.all(Array.from({ length: 100 }, (_, id) => write(notes.db, id)));
    const pagesWritten = (statSync(`${notes.file}-wal`).size - before) / 4_096;
    // A commit per unit would have written at least one page each.
    assert.ok(pagesWritten < 20, `${pagesWritten} pages`);
  });

  test('closing waits for units in progress', async () => {
    await using notes = await openNotes();
    const writing = Promise.all([write(notes.db, 1), write(notes.db, 2)]);
    await notes.db.selectFrom('notes').selectAll().execute();
    await notes.db.destroy();
    await writing;
    const reopened = new DatabaseSync(notes.file);
    assert.equal(reopened.prepare('select count(*) as count from notes').get()?.count, 2);
    reopened.close();
  });

  test('a read after a schema change has the types of the new columns', async () => {
    await using app = await startTestApp('sqlite');
    const read = async () => (await sql<{ at: unknown }>`select at from changed`.execute(app.db)).rows[0]?.at;
    await sql`create table changed (at integer)`.execute(app.db);
    await sql`insert into changed values (5)`.execute(app.db);
    assert.equal(await read(), 5);
    await sql`drop table changed`.execute(app.db);
    await sql`create table changed (at timestamptz)`.execute(app.db);
    await sql`insert into changed values (5)`.execute(app.db);
    assert.deepEqual(await read(), new Date(5));
  });

  test('a second process on the same file is refused, and the file is free again after closing', async () => {
    await using notes = await openNotes();
    const second = new Kysely<Database>({ dialect: sqliteDialect(notes.file, now) });
    await assert.rejects(sql`select 1`.execute(second), /another process already has .*crescendo\.db open/);
    await notes.db.destroy();
    const third = new Kysely<Database>({ dialect: sqliteDialect(notes.file, now) });
    await sql`select 1`.execute(third);
    await third.destroy();
  });

  test('a link counts as the file it leads to: a second process is refused, even before the file exists', async () => {
    await using notes = await openNotes();
    const [link, early] = [join(notes.folder, 'link.db'), join(notes.folder, 'early.db')];
    symlinkSync(notes.file, link);
    const second = new Kysely<Database>({ dialect: sqliteDialect(link, now) });
    await assert.rejects(sql`select 1`.execute(second), /another process already has .*crescendo\.db open/);
    symlinkSync(join(notes.folder, 'new', 'later.db'), early);
    const first = new Kysely<Database>({ dialect: sqliteDialect(early, now) });
    await sql`select 1`.execute(first);
    const same = new Kysely<Database>({ dialect: sqliteDialect(join(notes.folder, 'new/later.db'), now) });
    await assert.rejects(sql`select 1`.execute(same), /another process already has .*new.later\.db open/);
    await first.destroy();
  });

  test('a lock that fails for another reason is not reported as another process', async () => {
    await using notes = await openNotes();
    const file = join(notes.folder, 'other.db');
    writeFileSync(`${file}.lock`, 'dear diary, '.repeat(1_000));
    const db = new Kysely<Database>({ dialect: sqliteDialect(file, now) });
    await assert.rejects(sql`select 1`.execute(db), /other\.db\.lock cannot be locked: file is not a database/);
  });

  testAsSuperuser('files that the superuser creates in the folder of another user belong to that user', async () => {
    await using notes = await openNotes();
    chownSync(notes.folder, 65_534, 65_534);
    const file = join(notes.folder, 'below/other.db');
    const db = new Kysely<Database>({ dialect: sqliteDialect(file, now) });
    await sql`create table notes (id integer)`.execute(db);
    const owners = ['', '.lock', '-wal', '-shm'].map((side) => statSync(file + side).uid);
    assert.deepEqual([statSync(join(notes.folder, 'below')).uid, ...owners], Array(5).fill(65_534));
    await db.destroy();
  });

  test('only the owner can read the files', async () => {
    await using notes = await openNotes();
    await write(notes.db, 1);
    const modes = ['', '-wal', '-shm', '.lock'].map((suffix) => statSync(notes.file + suffix).mode & 0o777);
    assert.deepEqual(modes, [0o600, 0o600, 0o600, 0o600]);
  });

  test('the pragmas for durability are set', async () => {
    await using notes = await openNotes();
    const read = async (name: string) =>
      Object.values((await sql.raw(`pragma ${name}`).execute(notes.db)).rows[0] ?? {})[0];
    assert.equal(await read('journal_mode'), 'wal');
    assert.equal(await read('synchronous'), 2);
    assert.equal(await read('foreign_keys'), 1);
  });

  test('a value that SQLite cannot store is refused, never stored as another value', async () => {
    await using notes = await openNotes();
    for (const text of [undefined, { a: 1 }, [1], new Date(Number.NaN)] as unknown[]) {
      const writing = sql`insert into notes (id, text) values (1, ${text})`.execute(notes.db);
      await assert.rejects(writing, /A query parameter is/);
    }
    const stored = await sql<{ value: unknown }>`select ${new Date(5)} as value`.execute(notes.db);
    assert.deepEqual(stored.rows, [{ value: 5 }]);
  });

  test('of two processes that came past the lock each sees the other until it stops, and none that was killed before', async () => {
    await using app = await startTestApp('sqlite');
    const { db, clock } = app;
    const logger = createLogger('silent');
    const start = async () => {
      const schema = new SchemaWatch(logger);
      const processes = new Processes({ db, release: VERSION, kind: 'all', schema, clock, logger, everyMs: 5 });
      await processes.start();
      return processes;
    };
    const count = async () => (await db.selectFrom('processes').select('id').execute()).length;
    const one = await start();
    assert.equal(await count(), 1, 'the process of the app counts as killed');
    const two = await start();
    await waitUntil(() => one.older === 1 && two.older === 1);
    await two.stop();
    await waitUntil(() => one.older === 0);
    await one.stop();
    assert.equal(await count(), 0);
  });

  test('the moment up to which sync has answered never goes back, whichever of its readers stores it last', async () => {
    await using app = await startTestApp('sqlite');
    const moments = ['2026-03-02T09:00:05.000Z', '2026-03-02T09:00:09.000Z', '2026-03-02T09:00:07.000Z'];
    for (const moment of moments) await raiseFact(app.db, 'sync_given_until', moment, app.clock.now());
    assert.equal((await findFact(app.db, 'sync_given_until'))?.value, moments[1]);
  });
});
