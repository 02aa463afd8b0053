import assert from 'node:assert/strict';
import { constants, DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { StatementCache } from './sqlite-statements.ts';

test('a statement with a limit is compiled once, however often it runs', (t) => {
  const db = new DatabaseSync(':memory:');
  t.after(() => db.close());
  db.exec('create table numbers (n integer)');
  const statements = new StatementCache(db);
  const run = (limit: number) => statements.execute('select n from numbers order by n limit ?', [limit]);
  let compiled = 0;
  // SQLite asks for permission whenever it compiles.
  db.setAuthorizer(() => {
    compiled += 1;
    return constants.SQLITE_OK;
  });
  run(1);
  const first = compiled;
  assert.ok(first > 0);
  for (const limit of [1, 2, 3]) run(limit);
  assert.equal(compiled, first);
});

test('after a schema change every statement decodes by the new types, also one that was not used lately', (t) => {
  const db = new DatabaseSync(':memory:');
  t.after(() => db.close());
  const statements = new StatementCache(db);
  const read = () => statements.execute('select at from facts', []).rows;
  db.exec('create table facts (at boolean); insert into facts values (1)');
  assert.deepEqual(read(), [{ at: true }]);
  for (let other = 0; other < 300; other += 1) statements.execute(`select ${other}`, []);
  db.exec('drop table facts; create table facts (at timestamptz); insert into facts values (1)');
  statements.clear();
  assert.deepEqual(read(), [{ at: new Date(1) }]);
});
