import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { mock, test } from 'node:test';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import pg from 'pg';
import { loadConfig } from '../../src/config.ts';
import { sendLater, sendTogether } from '../../src/db/batch.ts';
import { migrate, NewerDatabaseError } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { openDatabase } from '../../src/db/open.ts';
import { openShared } from '../../src/db/open-for-command.ts';
import { PostgresPool } from '../../src/db/postgres/postgres-pool.ts';
import { countOtherSessions, findOlderProcesses, listKeysInUse } from '../../src/db/postgres/postgres-sessions.ts';
import type { Database, Db } from '../../src/db/schema.ts';
import { SchemaWatch, TablesChangeError } from '../../src/db/schema-watch.ts';
import { RunAgain, transact, withinFirstCommit } from '../../src/db/transact.ts';
import { notifyWebApps, WakeUpListener } from '../../src/db/wake-ups.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createDatabase, type EngineName, onEveryEngine, onlyOn, runOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { startTestApp, VERSION } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

/** Tables that exist only in these tests. */
interface Shelf extends Database {
  books: { id: string; added_at: Date; lent: boolean; tags: unknown; pages: number; blurb: string | null };
}

async function startShelf(engine: EngineName) {
  const app = await startTestApp(engine);
  const db = app.db as unknown as Kysely<Shelf>;
  await db.schema
    .createTable('books')
    .addColumn('id', 'uuid', (column) => column.primaryKey())
    .addColumn('added_at', 'timestamptz', (column) => column.notNull())
    .addColumn('lent', 'boolean', (column) => column.notNull())
    .addColumn('tags', 'jsonb', (column) => column.notNull())
    .addColumn('pages', 'bigint', (column) => column.notNull())
    .addColumn('blurb', 'text')
    .execute();
  return { db, outer: app.db, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

const book = (overrides: Partial<Shelf['books']> = {}) => ({
  id: newId(),
  added_at: new Date('2026-03-02T09:00:00.123Z'),
  lent: false,
  tags: JSON.stringify(['a', { b: 1 }]),
  pages: 9_007_199_254_740_991,
  blurb: 'Grüße, 世界 🎺',
  ...overrides,
});

const inTransaction = <T>(db: Kysely<Shelf>, work: (trx: Kysely<Shelf>) => Promise<T>) =>
  transact(db as unknown as Db, (trx) => work(trx as unknown as Kysely<Shelf>));

const countBooks = async (db: Kysely<Shelf>) => {
  const { count } = await db
    .selectFrom('books')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
};

onEveryEngine((engine) => {
  test('a row is read with the types it was written with', async () => {
    await using shelf = await startShelf(engine);
    const written = book({ lent: true });
    await shelf.db.insertInto('books').values(written).execute();
    const expected = { ...written, tags: ['a', { b: 1 }] };
    assert.deepEqual(await shelf.db.selectFrom('books').selectAll().execute(), [expected]);
    const through = shelf.db
      .with('some', (cte) => cte.selectFrom('books').selectAll())
      .selectFrom('some')
      .selectAll();
    assert.deepEqual(await through.execute(), [expected]);
    const returned = await shelf.db.updateTable('books').set({ lent: false, blurb: null }).returningAll().execute();
    assert.deepEqual(returned, [{ ...expected, lent: false, blurb: null }]);
  });

  test('instants compare and sort as instants, and a count is a number', async () => {
    await using shelf = await startShelf(engine);
    const early = book({ added_at: new Date('1969-12-31T23:59:59.999Z') });
    const late = book({ added_at: new Date('2120-01-01T00:00:00Z') });
    await shelf.db.insertInto('books').values([late, early]).execute();
    const sorted = await shelf.db.selectFrom('books').select('id').orderBy('added_at').execute();
    assert.deepEqual(sorted, [{ id: early.id }, { id: late.id }]);
    const found = await shelf.db.selectFrom('books').select('id').where('added_at', '<', new Date(0)).execute();
    assert.deepEqual(found, [{ id: early.id }]);
    assert.equal(await countBooks(shelf.db), 2);
  });

  test('a transaction that throws writes nothing, and its error reaches the caller', async () => {
    await using shelf = await startShelf(engine);
    const failing = inTransaction(shelf.db, async (trx) => {
      await trx.insertInto('books').values(book()).execute();
      throw new Error('changed my mind');
    });
    await assert.rejects(failing, /changed my mind/);
    assert.equal(await countBooks(shelf.db), 0);
  });

  test('a transaction sees its own writes; others see them only after the commit', async () => {
    await using shelf = await startShelf(engine);
    const reader = Promise.withResolvers<void>();
    const seenMeanwhile = Promise.withResolvers<number>();
    const writing = inTransaction(shelf.db, async (trx) => {
      await trx.insertInto('books').values(book()).execute();
      assert.equal(await countBooks(trx), 1);
      reader.resolve();
      await seenMeanwhile.promise;
    });
    await reader.promise;
    // The writer is still open: the read neither waits for it nor sees its row.
    seenMeanwhile.resolve(await countBooks(shelf.db));
    assert.equal(await seenMeanwhile.promise, 0);
    await writing;
    assert.equal(await countBooks(shelf.db), 1);
  });

  test('using the outer database inside a transaction is refused instead of waiting for ever', async () => {
    await using shelf = await startShelf(engine);
    const writing = inTransaction(shelf.db, async () => shelf.db.insertInto('books').values(book()).execute());
    await assert.rejects(writing, /inside a transaction without going through it/);
    const reading = inTransaction(shelf.db, async () => countBooks(shelf.db));
    await assert.rejects(reading, /inside a transaction without going through it/);
    const nested = inTransaction(shelf.db, async () => inTransaction(shelf.db, async () => undefined));
    await assert.rejects(nested, /inside a transaction without going through it/);
  });

  test('a statement of a transaction that has ended is refused instead of running outside of it', async () => {
    await using shelf = await startShelf(engine);
    let ended: Kysely<Shelf> | undefined;
    const failing = inTransaction(shelf.db, async (trx) => {
      ended = trx;
      throw new Error('changed my mind');
    });
    await assert.rejects(failing, /changed my mind/);
    await assert.rejects(
      async () => ended?.insertInto('books').values(book()).execute(),
      /is over|already rolled back/,
    );
    await inTransaction(shelf.db, async (trx) => {
      ended = trx;
    });
    await assert.rejects(async () => ended?.insertInto('books').values(book()).execute(), /is over|already committed/);
    assert.equal(await countBooks(shelf.db), 0);
  });

  test('work that a transaction started may use the database after the transaction ended', async () => {
    await using shelf = await startShelf(engine);
    const over = Promise.withResolvers<void>();
    let afterwards: Promise<unknown> | undefined;
    await inTransaction(shelf.db, async (trx) => {
      await trx.insertInto('books').values(book()).execute();
      afterwards = over.promise.then(() => shelf.db.insertInto('books').values(book()).execute());
    });
    over.resolve();
    await afterwards;
    assert.equal(await countBooks(shelf.db), 2);
  });

  test('a write that is sent later is seen by what follows, and if it fails, nothing of its transaction is stored', async () => {
    await using shelf = await startShelf(engine);
    const sendBook = (trx: Kysely<Shelf>, id: string) =>
      sendLater(trx as unknown as Db, trx.insertInto('books').values(book({ id })));
    const [first, second] = [newId(), newId()];
    await inTransaction(shelf.db, async (trx) => {
      await sendBook(trx, first);
      assert.equal(await countBooks(trx), 1);
      await sendBook(trx, second);
    });
    assert.equal(await countBooks(shelf.db), 2);
    const failing = inTransaction(shelf.db, async (trx) => {
      await sendBook(trx, newId());
      await sendBook(trx, first);
      await sendBook(trx, newId());
    });
    await assert.rejects(failing, /unique/i);
    const givenUp = inTransaction(shelf.db, async (trx) => {
      await sendBook(trx, newId());
      throw new Error('changed my mind');
    });
    await assert.rejects(givenUp, /changed my mind/);
    assert.equal(await countBooks(shelf.db), 2);
  });

  test('statements that are sent together run in order, and each returns its rows', async () => {
    await using shelf = await startShelf(engine);
    const { id } = book();
    const rows = await inTransaction(shelf.db, (trx) =>
      sendTogether(
        trx as unknown as Db,
        trx.insertInto('books').values(book({ id })).returning('id'),
        trx.updateTable('books').set({ pages: 7 }).where('id', '=', id),
        trx.selectFrom('books').select('pages'),
      ),
    );
    assert.deepEqual(rows, [[{ id }], [], [{ pages: 7 }]]);
  });

  test('of many concurrent transactions, exactly those that do not fail are stored', async () => {
    await using shelf = await startShelf(engine);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) =>
        inTransaction(shelf.db, async (trx) => {
          await trx
            .insertInto('books')
            .values(book({ pages: index }))
            .execute();
          if (index % 7 === 0) throw new Error('no');
        }),
      ),
    );
    const kept = await shelf.db.selectFrom('books').select('pages').orderBy('pages').execute();
    const expected = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
    assert.deepEqual(
      kept.map(({ pages }) => pages),
      expected,
    );
    assert.equal(expected.length, 171);
  });

  test('a transaction that collides with another is retried a bounded number of times', async () => {
    await using shelf = await startShelf(engine);
    const collision = Object.assign(new Error('could not serialize access'), { code: '40001' });
    let attempts = 0;
    const result = await inTransaction(shelf.db, async () => {
      attempts += 1;
      if (attempts < 3) throw collision;
      return 'through';
    });
    assert.deepEqual([result, attempts], ['through', 3]);
    attempts = 0;
    const hopeless = inTransaction(shelf.db, async () => {
      attempts += 1;
      throw collision;
    });
    await assert.rejects(hopeless, { code: 'database_unavailable' });
    assert.equal(attempts, 6);
  });

  test('what belongs to the first commit is stored with it once, also if the transaction runs again', async () => {
    await using shelf = await startShelf(engine);
    for (const failsAt of ['write', 'commit']) {
      const [mark, stored] = [book(), book()];
      let attempts = 0;
      const failOnceAt = (place: string) => {
        if (attempts === 1 && failsAt === place) throw new RunAgain();
      };
      const work = async (trx: Kysely<Shelf>) => {
        attempts += 1;
        await trx.insertInto('books').values(stored).execute();
      };
      const write = async (trx: Db) => {
        await (trx as unknown as Kysely<Shelf>).insertInto('books').values(mark).execute();
        failOnceAt('write');
      };
      const execute = (run: (trx: Kysely<Shelf>) => Promise<unknown>) =>
        shelf.db.transaction().execute(async (trx) => {
          await run(trx);
          failOnceAt('commit');
        });
      const db = { transaction: () => ({ execute }) } as unknown as Kysely<Shelf>;
      await new Promise<void>((resolve, reject) => {
        withinFirstCommit(write, () => void inTransaction(db, work).then(resolve, reject));
      });
      const ids = (await shelf.db.selectFrom('books').select('id').execute()).map(({ id }) => id);
      assert.deepEqual([ids.includes(mark.id), ids.includes(stored.id), attempts], [true, true, 2], failsAt);
    }
  });

  test('once a newer release has changed the tables, no transaction of this one claims work', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const schema = new SchemaWatch(createLogger('silent'));
    await transact(app.db, (trx) => schema.hold(trx));
    await sql`insert into kysely_migration (name, timestamp) values ('9999-newer', '')`.execute(app.db);
    await assert.rejects(
      transact(app.db, (trx) => schema.hold(trx)),
      TablesChangeError,
    );
    assert.equal(schema.isOutdated, true);
  });

  test('migrations run once, even if many processes start at the same time', async () => {
    const database = await createDatabase(engine, 'template1');
    try {
      const location = loadConfig({ DATABASE_URL: database.url, SECRET_KEY: 'x'.repeat(32) }).DATABASE_URL;
      const lines: string[] = [];
      const logger = createLogger('info', { write: (line) => void lines.push(line) });
      const open = () => openDatabase(location, { version: VERSION, clock: new FakeClock(), logger });
      // On SQLite only one process can open the database.
      const opened = engine === 'postgres' ? await Promise.all([open(), open(), open(), open()]) : [await open()];
      const [db] = opened;
      assert.ok(db);
      assert.ok(!lines.some((line) => line.includes('upgraded')), 'a new database is no upgrade');
      await migrate(db, { version: VERSION, startedAt: new Date(1) });
      const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
      assert.deepEqual(
        rows.map(({ name }) => name),
        Object.keys(migrations),
      );
      assert.deepEqual(await db.selectFrom('releases').selectAll().execute(), [
        { version: VERSION, first_started_at: new FakeClock().now() },
      ]);
      await Promise.all(opened.map((one) => one.destroy()));
    } finally {
      await database.drop();
    }
  });

  test('a database written by a newer release is refused in one line that names that release', async () => {
    await using app = await startTestApp(engine);
    const future: Migration = {
      up: async (db) => db.schema.createTable('holograms').addColumn('id', 'uuid').execute(),
    };
    const newer = { ...migrations, '9999-holograms': future };
    await migrate(app.db, { version: '7.0.0', startedAt: new Date('2030-01-01T00:00:00Z') }, newer);
    const refused = migrate(app.db, { version: VERSION, startedAt: new Date() });
    await assert.rejects(refused, (error) => {
      assert.ok(error instanceof NewerDatabaseError);
      assert.match(
        error.message,
        /^The database schema is newer than .*9999-holograms.* last used by Crescendo 7\.0\.0\. .*$/,
      );
      return true;
    });
  });

  test('a migration that fails changes nothing and names itself', async () => {
    await using app = await startTestApp(engine);
    const broken: Migration = {
      up: async (db) => {
        await db.schema.createTable('half').addColumn('id', 'uuid').execute();
        throw new Error('out of ideas');
      },
    };
    const refused = migrate(
      app.db,
      { version: '0.2.0', startedAt: new Date() },
      { ...migrations, '9999-broken': broken },
    );
    await assert.rejects(refused, /Migration 9999-broken failed/);
    const tables = await app.db.introspection.getTables();
    assert.ok(!tables.some(({ name }) => name === 'half'));
  });
});

const options = { version: VERSION, clock: new FakeClock(), logger: createLogger('silent') };
const FOREIGN =
  /^ForeignDatabaseError: DATABASE_URL: this database belongs to another application: it has a table "albums"/;

onlyOn('sqlite', () => {
  test('a file of another application is refused and left unchanged', async () => {
    const database = await createDatabase('sqlite');
    const location = { engine: 'sqlite', file: database.url.replace('sqlite:', '') } as const;
    writeFileSync(location.file, '');
    const theirs = new DatabaseSync(location.file);
    theirs.exec('create table albums (id integer)');
    theirs.close();
    const before = readFileSync(location.file);
    const { mode } = statSync(location.file);
    await assert.rejects(openDatabase(location, options), FOREIGN);
    await assert.rejects(openShared(location, options), FOREIGN);
    assert.deepEqual([readFileSync(location.file), statSync(location.file).mode], [before, mode]);
    writeFileSync(location.file, '');
    await (await openDatabase(location, options)).destroy();
    await database.drop();
  });
});

onlyOn('postgres', () => {
  test('a schema of another application is refused and left unchanged; tables in other schemas do not matter', async () => {
    const database = await createDatabase('postgres', 'template0');
    const location = { engine: 'postgres', url: database.url } as const;
    await runOn(database.url, 'create table albums (id int)');
    await assert.rejects(openDatabase(location, options), FOREIGN);
    await assert.rejects(openShared(location, options), FOREIGN);
    await runOn(database.url, 'create table kysely_migration (name text); insert into kysely_migration values ($$a$$)');
    await assert.rejects(openDatabase(location, options), /belongs to another application/);
    await runOn(
      database.url,
      'drop table kysely_migration; create schema theirs; alter table albums set schema theirs',
    );
    await (await openDatabase(location, options)).destroy();
    await database.drop();
  });
});

onlyOn('postgres', () => {
  const holograms = (up: Migration['up']) => ({ ...migrations, '9999-holograms': { up } });

  test('a process that loses the race against a newer release names that release', async () => {
    const database = await createDatabase('postgres');
    const location = { engine: 'postgres', url: database.url } as const;
    const up = async () => {
      await runOn(database.url, `insert into kysely_migration values ('99999-newer', '2026-03-02')`);
      throw new Error('The table is there already.');
    };
    await assert.rejects(
      openDatabase(location, { ...options, migrations: holograms(up) }),
      /^NewerDatabaseError: The database schema is newer .*99999-newer/,
    );
    await database.drop();
  });

  test('a migration takes as long as it needs, whatever the server allows a statement', async () => {
    const database = await createDatabase('postgres');
    const location = { engine: 'postgres', url: database.url } as const;
    await runOn(
      database.url,
      "do $$ begin execute format('alter database %I set statement_timeout = 100', current_database()); end $$",
    );
    const up = async (db: Kysely<unknown>) => void (await sql`select pg_sleep(0.3)`.execute(db));
    await (await openDatabase(location, { ...options, migrations: holograms(up) })).destroy();
    await database.drop();
  });

  const readThrice = async (db: Kysely<Shelf>) => {
    let books: object[] = [];
    for (let time = 1; time <= 3; time += 1) books = await db.selectFrom('books').selectAll().execute();
    return books;
  };

  test('a statement that was prepared runs on after a newer release has added a column', async () => {
    await using shelf = await startShelf('postgres');
    await shelf.db.insertInto('books').values(book()).execute();
    const addColumn = (name: string) => shelf.db.schema.alterTable('books').addColumn(name, 'text').execute();
    await readThrice(shelf.db);
    await addColumn('author');
    assert.ok('author' in ((await readThrice(shelf.db))[0] ?? {}));
    await addColumn('publisher');
    const inside = await inTransaction(shelf.db, readThrice);
    assert.ok('publisher' in (inside[0] ?? {}));
  });

  test('a statement runs although its session has lost what was prepared', async () => {
    await using shelf = await startShelf('postgres');
    await shelf.db.insertInto('books').values(book()).execute();
    await readThrice(shelf.db);
    await sql`deallocate all`.execute(shelf.db);
    assert.equal((await readThrice(shelf.db)).length, 1);
    await sql`deallocate all`.execute(shelf.db);
    assert.equal((await inTransaction(shelf.db, readThrice)).length, 1);
  });

  test('reads that share a round trip each have their rows, also if their session has lost what was prepared', async () => {
    await using shelf = await startShelf('postgres');
    const books = [book(), book()];
    await shelf.db.insertInto('books').values(books).execute();
    const readBoth = async () => {
      const [all, one] = await sendTogether(
        shelf.outer,
        shelf.db.selectFrom('books').select('id').orderBy('id').compile(),
        shelf.db
          .selectFrom('books')
          .select('pages')
          .where('id', '=', books[0]?.id ?? '')
          .compile(),
      );
      assert.deepEqual([all.map(({ id }) => id), one.length], [books.map(({ id }) => id).sort(), 1]);
    };
    for (let time = 1; time <= 3; time += 1) await readBoth();
    await sql`deallocate all`.execute(shelf.db);
    await readBoth();
  });

  test('a transaction that goes on after an error is never taken for stored', async () => {
    await using shelf = await startShelf('postgres');
    const stored = book();
    const work = inTransaction(shelf.db, async (trx) => {
      await trx.insertInto('books').values(stored).execute();
      await trx
        .insertInto('books')
        .values(stored)
        .execute()
        .catch(() => undefined);
    });
    await assert.rejects(work, /rolled back by an earlier error/);
    assert.equal(await countBooks(shelf.db), 0);
  });

  test('after one connection has fallen silent, none that answered before is given out', async () => {
    const database = await createDatabase('postgres');
    const pool = new PostgresPool({ connectionString: database.url, max: 2 }, createLogger('silent'));
    try {
      const [first, silent] = [await pool.acquire(), await pool.acquire()];
      pool.release(first.client, true);
      pool.reportSilence(new Error('no answer'));
      pool.release(silent.client, false);
      const next = await pool.acquire();
      pool.release(next.client, true);
      assert.notEqual(next.client, first.client);
      const again = await pool.acquire();
      pool.release(again.client, true);
      assert.equal(again.client, next.client);
    } finally {
      await pool.close();
      await database.drop();
    }
  });

  test('a connection that answered after another fell silent is kept; one inside a transaction, or idle and dead, is not', async () => {
    const database = await createDatabase('postgres');
    const pool = new PostgresPool({ connectionString: database.url, max: 2 }, createLogger('silent'));
    const take = async () => (await pool.acquire()).client;
    try {
      const [first, now] = [await take(), performance.now.bind(performance)];
      pool.reportSilence(new Error('no answer'));
      pool.release(first, true);
      const afterSilence = await take();
      await afterSilence.query('begin');
      pool.release(afterSilence, true);
      const afterTransaction = await take();
      pool.release(afterTransaction, false);
      const afterFailure = await take();
      pool.release(afterFailure, true);
      const later = mock.method(performance, 'now', () => now() + 2_000);
      const checks = mock.method(afterFailure, 'query', async () => {
        throw new Error('the host is gone');
      });
      const afterSleep = await take().finally(() => later.mock.restore());
      pool.release(afterSleep, true);
      // Only now, because a pool with a connection that is not given back would never close.
      assert.equal(afterSilence, first);
      assert.notEqual(afterTransaction, afterSilence);
      assert.notEqual(afterFailure, afterTransaction);
      assert.deepEqual([checks.mock.callCount(), afterSleep === afterFailure], [1, false]);
      pool.sharedReads = 3;
      assert.equal(pool.waitingPerConnection, 1.5);
    } finally {
      await pool.close();
      await database.drop();
    }
  });

  test('where the server has no connection left, callers wait for one that this process has', async () => {
    const database = await createDatabase('postgres');
    const role = `few_${newId().replaceAll('-', '')}`;
    await runOn(database.url, `create role ${role} login connection limit 1`);
    const url = new URL(database.url);
    url.username = role;
    const pool = new PostgresPool({ connectionString: url.href, max: 3 }, createLogger('silent'));
    try {
      const { client } = await pool.acquire();
      const waiting = pool.acquire().then(
        (given) => given.client,
        (error: unknown) => error,
      );
      await waitUntil(() => pool.waitingCount === 1).finally(() => pool.release(client, true));
      const given = await waiting;
      if (given === client) pool.release(client, true);
      assert.equal(given, client);
    } finally {
      await pool.close();
      await runOn(database.url, `drop role ${role}`);
      await database.drop();
    }
  });

  test('the sessions of a database name the keys in use and the processes of old releases, of this database alone', async () => {
    const [database, other] = [await createDatabase('postgres'), await createDatabase('postgres')];
    const own = new pg.Pool({ connectionString: database.url, max: 1, application_name: 'crescendo command' });
    // The pool is closed before its session has ended, which dropping the database then ends.
    own.on('connect', (client) => client.on('error', () => undefined)).on('error', () => undefined);
    const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool: own }) });
    const clients: pg.Client[] = [];
    const connect = async (application_name: string, connectionString = database.url) => {
      const client = new pg.Client({ connectionString, application_name });
      clients.push(client);
      await client.connect();
    };
    try {
      for (const name of ['crescendo', 'crescendo bell', 'crescendo 87654321']) await connect(name, other.url);
      await connect('psql');
      assert.equal(Number(await countOtherSessions(db)), 0);
      for (const name of ['crescendo migration', 'crescendo 12345678 0.3.0']) await connect(name);
      assert.equal((await findOlderProcesses(db)).count, 0);
      assert.deepEqual(await listKeysInUse(db), ['12345678']);
      await connect('crescendo');
      assert.equal((await findOlderProcesses(db)).count, 1);
      assert.deepEqual((await listKeysInUse(db)).toSorted(), ['', '12345678']);
      await connect('crescendo no-key 0.3.0');
      assert.deepEqual(new Set(await listKeysInUse(db)), new Set(['', '12345678']));
      for (const name of ['crescendo bell', 'crescendo wake-up']) await connect(name);
      assert.equal((await findOlderProcesses(db)).count, 2);
      assert.equal(Number(await countOtherSessions(db)), 6);
    } finally {
      await Promise.all([db.destroy(), ...clients.map((client) => client.end())]);
      await Promise.all([database.drop(), other.drop()]);
    }
  });

  test('an engine that begins to listen looks once for what it was not told, and hears all that web apps are told', async () => {
    const database = await createDatabase('postgres');
    const clock = new FakeClock();
    const logger = createLogger('silent');
    const db = await openDatabase(loadConfig({ DATABASE_URL: database.url, SECRET_KEY: 'x'.repeat(32) }).DATABASE_URL, {
      version: VERSION,
      clock,
      logger,
    });
    let wakeUps = 0;
    const heard: string[] = [];
    const listener = new WakeUpListener(database.url, db, clock, logger, {
      onWakeUp: () => {
        wakeUps += 1;
      },
      onChanges: (payload) => void heard.push(payload),
    });
    listener.start();
    try {
      await waitUntil(() => wakeUps > 0, 10_000);
      await notifyWebApps(db, ['one', 'two']);
      await waitUntil(() => heard.length === 2, 10_000);
      assert.deepEqual(heard, ['one', 'two']);
    } finally {
      await listener.stop();
      await db.destroy();
      await database.drop();
    }
  });

  test('a connection prepares what repeats, and no more than a hundred statements', async () => {
    await using shelf = await startShelf('postgres');
    const listPrepared = async (trx: Kysely<Shelf>) =>
      (await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(trx)).rows;
    const isNumber = ({ statement }: { statement: string }) => statement.endsWith('as number');
    await inTransaction(shelf.db, async (trx) => {
      const readNumbers = async (from: number, to: number) => {
        for (let index = from; index < to; index += 1) await sql`select ${sql.lit(index)} as number`.execute(trx);
      };
      await readNumbers(0, 150);
      // The start of the service may have prepared others on the same connection.
      assert.deepEqual((await listPrepared(trx)).filter(isNumber), []);
      await readNumbers(0, 150);
      await readNumbers(140, 150);
      // The server is told with the next statement what it can forget.
      await listPrepared(trx);
      const statements = (await listPrepared(trx)).map(({ statement }) => statement);
      assert.equal(statements.length, 100);
      assert.ok(statements.includes('select 149 as number') && !statements.includes('select 0 as number'));
    });
  });
});
