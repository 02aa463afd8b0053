/** How commands open the SQLite database of a service. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { sql } from 'kysely';
import { setFact } from '../../src/db/installation.ts';
import { openExclusive, openShared } from '../../src/db/open-for-command.ts';
import type { Db } from '../../src/db/schema.ts';
import { BACKUP_TABLE, MOVED_TABLE } from '../../src/db/unusable-database.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createDatabase, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { VERSION } from '../support/test-app.ts';

const clock = new FakeClock();
const options = { version: VERSION, clock, logger: createLogger('silent') };

async function createFile() {
  const { url, drop } = await createDatabase('sqlite');
  const file = url.replace('sqlite:', '');
  return { file, location: { engine: 'sqlite', file } as const, [Symbol.asyncDispose]: drop };
}

async function using<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  return work(db).finally(() => db.destroy());
}

onlyOn('sqlite', () => {
  test('what a command writes is durable, refers to rows that are there, and leaves nothing of what it deletes', async () => {
    await using files = await createFile();
    for (const open of [openShared, openExclusive]) {
      const pragmas = await using(await open(files.location, options), (db) =>
        Promise.all(
          ['synchronous', 'foreign_keys', 'secure_delete'].map(async (name) => {
            const [row] = (await sql.raw(`pragma ${name}`).execute(db)).rows;
            return Object.values(row ?? {})[0];
          }),
        ),
      );
      assert.deepEqual(pragmas, [2, 1, 1], open.name);
    }
  });

  test('the changes of a command come after every moment that sync has given out', async () => {
    await using files = await createFile();
    const given = new Date(clock.now().getTime() + 3_600_000);
    const stamp = async (db: Db) => {
      const { rows } = await sql<{ at: number }>`select crescendo_now() as at`.execute(db);
      return rows[0]?.at ?? 0;
    };
    const before = await using(await openShared(files.location, options), async (db) => {
      const first = await stamp(db);
      await setFact(db, 'sync_given_until', given.toISOString(), clock.now());
      return first;
    });
    // A service beside it gives out moments by the same clock, and sees no transaction of the command.
    assert.equal(before, clock.now().getTime() + 10_000);
    assert.equal(await using(await openShared(files.location, options), stamp), given.getTime());
  });

  test('a database that was moved away, a backup and a path without a database are refused, and no file is made', async () => {
    for (const [table, says] of [
      [MOVED_TABLE, /was moved to PostgreSQL/],
      [BACKUP_TABLE, /is a backup that was copied into place/],
    ] as const) {
      await using files = await createFile();
      const file = new DatabaseSync(files.file);
      file.exec(`create table ${table} (id integer)`);
      file.close();
      for (const open of [openShared, openExclusive]) await assert.rejects(open(files.location, options), says);
    }
    await using files = await createFile();
    const missing = { engine: 'sqlite', file: `${files.file}.other` } as const;
    for (const open of [openShared, openExclusive])
      await assert.rejects(open(missing, options), /there is no database at/);
    assert.equal(existsSync(missing.file), false);
  });
});
