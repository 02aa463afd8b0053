/** What goes with a transaction: what it announces, and what belongs to the first commit. */
import assert from 'node:assert/strict';
import { addFact, deleteFact, findFact, raiseFact, setFact } from '../../src/db/installation.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { Db } from '../../src/db/schema.ts';
import { announce, transact, withinFirstCommit } from '../../src/db/transact.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { databaseLocation } from '../../src/lib/setting.ts';
import { createDatabase, type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { VERSION } from '../support/test-app.ts';

async function open(engine: EngineName) {
  const database = await createDatabase(engine);
  const location = databaseLocation.parse(database.url);
  assert.ok(location);
  const db = await openDatabase(location, { version: VERSION, clock: new FakeClock(), logger: createLogger('silent') });
  const told: string[][] = [];
  db.announcer = { announce: (ids) => void told.push([...ids]) };
  const close = async () => {
    await db.destroy();
    await database.drop();
  };
  return { db, told, [Symbol.asyncDispose]: close };
}

const [early, late] = ['2026-03-02T09:00:00Z', '2026-03-02T10:00:00Z'];
const now = new Date(late);
const givenUntil = async (db: Db) => (await findFact(db, 'sync_given_until'))?.value;

onEveryEngine((engine, it) => {
  it('all that a transaction announces is told together after its commit, and nothing of one that failed', async () => {
    await using opened = await open(engine);
    const { db, told } = opened;
    await transact(db, async (trx) => {
      announce(trx, ['ada', 'bob']);
      await setFact(trx, 'claim', 'x', now);
      announce(trx, ['bob', 'home']);
      assert.deepEqual(told, []);
    });
    assert.deepEqual(told, [['ada', 'bob', 'home']]);
    const failing = transact(db, async (trx) => {
      announce(trx, ['eve']);
      throw new Error('changed my mind');
    });
    await assert.rejects(failing, /changed my mind/);
    announce(db, ['ada']);
    assert.deepEqual(told.slice(1), [['ada']]);
  });

  it('what belongs to the first commit waits while parts of the work are stored', async () => {
    await using opened = await open(engine);
    const { db } = opened;
    const seen: (string | undefined)[] = [];
    const note = async () => void seen.push(await givenUntil(db));
    await new Promise<void>((resolve, reject) => {
      const work = async () => {
        await transact(db, (trx) => setFact(trx, 'claim', 'part', now), { isPart: true });
        await note();
        await transact(db, (trx) => setFact(trx, 'claim', 'whole', now));
        await note();
      };
      withinFirstCommit(
        (trx) => setFact(trx, 'sync_given_until', late, now),
        () => void work().then(resolve, reject),
      );
    });
    assert.deepEqual(seen, [undefined, late]);
  });

  it('a fact is raised and never lowered, added and never replaced, and deleted by one', async () => {
    await using opened = await open(engine);
    const { db } = opened;
    for (const value of [early, late, early]) await raiseFact(db, 'sync_given_until', value, now);
    assert.equal(await givenUntil(db), late);
    await addFact(db, 'sync_given_until', early, now);
    assert.equal(await givenUntil(db), late);
    const deleted = await Promise.all([deleteFact(db, 'sync_given_until'), deleteFact(db, 'sync_given_until')]);
    assert.deepEqual(deleted.toSorted(), [false, true]);
  });
});
