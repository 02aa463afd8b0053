/** The statements that begin and end a unit fail like any other one. Nothing is stored twice, by halves, or without its answer. */
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { BatchRolledBack, GroupCommit } from './group-commit.ts';

/** Fails once at a statement. SQLite gives the whole transaction up if it cannot read or write its files. */
class FailingDatabase extends DatabaseSync {
  failsAt: string | undefined;
  rollsBack = true;
  commits = 0;

  override exec(sql: string): void {
    if (sql === 'commit') this.commits += 1;
    if (sql === this.failsAt) {
      this.failsAt = undefined;
      if (this.rollsBack) super.exec('rollback');
      throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
    }
    super.exec(sql);
  }
}

function open(t: TestContext) {
  const db = new FailingDatabase(':memory:');
  t.after(() => db.close());
  db.exec('create table stored (name text)');
  const commits = new GroupCommit(
    db,
    () => new Date(0),
    () => undefined,
  );
  const store = async (name: string) => {
    const unit = await commits.begin();
    db.prepare('insert into stored values (?)').run(name);
    return { unit, end: () => commits.commit(unit) };
  };
  const read = () =>
    db
      .prepare('select name from stored order by name')
      .all()
      .map(({ name }) => name);
  return { db, commits, store, read };
}

test('if a unit cannot begin, its neighbours in the batch run again, and the next unit is stored once', async (t) => {
  const { db, commits, store, read } = open(t);
  const neighbour = (await store('neighbour')).end();
  db.failsAt = 'savepoint unit';
  await assert.rejects(commits.begin(), /disk I\/O error/);
  await assert.rejects(neighbour, BatchRolledBack);
  await (await store('next')).end();
  assert.deepEqual(read(), ['next']);
});

test('if a unit cannot end, it fails, and its neighbours run again', async (t) => {
  const { db, store, read } = open(t);
  const neighbour = (await store('neighbour')).end();
  const failing = await store('failing');
  db.failsAt = 'release unit';
  await assert.rejects(failing.end(), /disk I\/O error/);
  await assert.rejects(neighbour, BatchRolledBack);
  await (await store('next')).end();
  assert.deepEqual(read(), ['next']);
});

test('a unit that SQLite cannot undo alone is not committed with its neighbours', async (t) => {
  const { db, commits, store, read } = open(t);
  const neighbour = (await store('neighbour')).end();
  const refused = await store('refused');
  db.rollsBack = false;
  db.failsAt = 'rollback to unit; release unit';
  const refusal = commits.rollback(refused.unit);
  await assert.rejects(neighbour, BatchRolledBack);
  await assert.rejects(refusal, BatchRolledBack);
  await (await store('next')).end();
  assert.deepEqual(read(), ['next']);
});

test('a refusal comes after the commit of what it is about, and is decided again if that commit fails', async (t) => {
  const { db, commits, store } = open(t);
  const refuse = async () => {
    const neighbour = (await store('neighbour')).end();
    const refusal = commits.rollback((await store('refused')).unit).then(() => db.commits);
    const [, seen] = await Promise.allSettled([neighbour, refusal]);
    return seen;
  };
  assert.deepEqual(await refuse(), { status: 'fulfilled', value: 1 });
  db.failsAt = 'commit';
  const undone = await refuse();
  assert.ok(undone.status === 'rejected' && undone.reason instanceof BatchRolledBack);
  // Alone in its batch, it has seen nothing that could be undone.
  db.failsAt = 'commit';
  await commits.rollback((await store('alone')).unit);
  await commits.drain();
});

test('after a shared commit has failed, as many units as it had are committed alone, and those after them share again', async (t) => {
  const { db, store, read } = open(t);
  const storeAll = (names: readonly string[]) =>
    Promise.allSettled(names.map(async (name) => (await store(name)).end()));
  db.failsAt = 'commit';
  const failed = await storeAll(['a', 'b', 'c']);
  assert.deepEqual(
    failed.map((one) => one.status === 'rejected' && one.reason instanceof BatchRolledBack),
    [true, true, true],
  );
  const commits = [];
  for (const names of [
    ['a', 'b', 'c', 'd', 'e'],
    ['f', 'g', 'h'],
  ]) {
    db.commits = 0;
    const stored = await storeAll(names);
    assert.ok(stored.every(({ status }) => status === 'fulfilled'));
    commits.push(db.commits);
  }
  assert.deepEqual([commits, read().join('')], [[4, 1], 'abcdefgh']);
});
