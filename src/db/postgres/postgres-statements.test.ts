import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PreparedStatements } from './postgres-statements.ts';

test('what is prepared anew leaves nothing behind on the server', () => {
  const statements = new PreparedStatements();
  for (const text of ['select 1', 'select 2']) statements.add(text, { name: `name of ${text}`, decode: undefined });
  statements.clear();
  assert.equal(statements.find('select 1'), undefined);
  assert.deepEqual(statements.takeEvicted(), ['name of select 1', 'name of select 2']);
  assert.deepEqual(statements.takeEvicted(), []);
});
