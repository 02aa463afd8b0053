import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recordedDatabase } from '../../test/support/recorded-driver.ts';
import { preparedInsert, preparedQuery, preparedUpdate } from './prepared.ts';

const { db } = recordedDatabase();
const { db: postgres } = recordedDatabase(undefined, 'postgres');

test('a query is built once for each engine, and has the values of each call', () => {
  let built = 0;
  const find = preparedQuery((own, id: string, version: string) => {
    built += 1;
    return own.selectFrom('users').select('id').where('email', '=', version).where('id', '=', id).limit(7);
  });
  assert.deepEqual(
    [find(db, 'ada', 'a').parameters, find(db, 'bob', 'b').parameters],
    [
      ['a', 'ada', 7],
      ['b', 'bob', 7],
    ],
  );
  assert.match(find(postgres, 'ada', 'a').sql, /"email" = \$1/);
  assert.equal(built, 2);
});

test('a query that leaves out a value is refused', () => {
  const lost = preparedQuery((own, id: string, _email: string) => own.selectFrom('users').where('id', '=', id));
  assert.throws(() => lost(db, 'ada', 'a@b.example'), /lost a value/);
});

test('a change sets what is given, null too, and leaves what is undefined', () => {
  const change = preparedUpdate((own, id, changes: object) =>
    own.updateTable('users').set(changes).where('id', '=', id),
  );
  const { sql, parameters } = change(db, 'ada', { email: null, plan: undefined, timezone: 'UTC' });
  assert.equal(sql, 'update "users" set "email" = ?, "timezone" = ? where "id" = ?');
  assert.deepEqual(parameters, [null, 'UTC', 'ada']);
  assert.deepEqual(change(db, 'bob', { email: 'b', timezone: 'Asia/Tokyo' }).parameters, ['b', 'Asia/Tokyo', 'bob']);
});

test('of the sets of columns that clients choose a bounded number is kept, and each changes its own', () => {
  let built = 0;
  const change = preparedUpdate((own, id, changes: object) => {
    built += 1;
    return own.updateTable('users').set(changes).where('id', '=', id);
  });
  const send = (column: number) => change(db, 'ada', { [`column_${column}`]: column });
  for (let column = 0; column < 60; column += 1) send(column);
  assert.deepEqual([built, send(0).parameters, built], [60, [0, 'ada'], 60]);
  assert.deepEqual([send(59).parameters, built], [[59, 'ada'], 61]);
});

test('an insert names the columns that it has', () => {
  const insert = preparedInsert('releases');
  const first_started_at = new Date(0);
  assert.match(insert(db, { version: '1', first_started_at }).sql, /\("version", "first_started_at"\)/);
  const turned = insert(db, { first_started_at, version: '2' });
  assert.match(turned.sql, /\("first_started_at", "version"\)/);
  assert.deepEqual(turned.parameters, [first_started_at, '2']);
});
