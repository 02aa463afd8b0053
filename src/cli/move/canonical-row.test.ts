import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CODE_POINT } from '../../../test/support/code-point.ts';
import { rowFromPostgres, rowFromSqlite, type SqliteValue, UnmovableValue } from './canonical-row.ts';

const convert = (type: string, value: SqliteValue) => rowFromSqlite([{ name: 'c', type }], [value]);
const ID = '0198c5b2-0000-7000-8000-000000000001';

test('a row has the same canonical form in both databases', () => {
  const instant = fc.date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('+010000-12-31T23:59:59.999Z') });
  const rows = fc.record({
    id: fc.uuid(),
    note: fc.option(fc.string({ unit: CODE_POINT }).filter((text) => !text.includes('\0'))),
    at: fc.option(instant.filter((date) => !Number.isNaN(date.getTime()))),
    is: fc.boolean(),
    step: fc.integer(),
    key: fc.maxSafeInteger(),
    tags: fc.jsonValue(),
  });
  const columns = ['uuid', 'text', 'timestamptz', 'boolean', 'integer', 'bigint', 'jsonb'].map((type, index) => ({
    name: ['id', 'note', 'at', 'is', 'step', 'key', 'tags'][index] ?? '',
    type,
  }));
  fc.assert(
    fc.property(rows, (row) => {
      const { id, note, at, is, step, key, tags } = row;
      const stored = [id, note, at?.getTime() ?? null, Number(is), step, key, JSON.stringify(tags)];
      assert.equal(
        rowFromSqlite(columns, stored),
        rowFromPostgres(columns, { ...row, tags: JSON.parse(JSON.stringify(tags)) }),
      );
    }),
  );
});

test('the order of keys in JSON does not matter, the order of array elements does', () => {
  assert.equal(convert('jsonb', '{"b":[{"d":1,"c":2}],"a":0}'), convert('jsonb', '{"a":0,"b":[{"c":2,"d":1}]}'));
  assert.notEqual(convert('jsonb', '[1,2]'), convert('jsonb', '[2,1]'));
});

test('a value that PostgreSQL would reject or change is refused, and the error names its column', () => {
  const refused: [string, SqliteValue][] = [
    ['text', 'a\0b'],
    ['text', 5],
    ['text', new Uint8Array(2)],
    ['uuid', ID.slice(1)],
    ['uuid', 'ABCDEF00-0000-7000-8000-000000000001'],
    ['integer', 2 ** 31],
    ['integer', 1.5],
    ['integer', 'one'],
    ['bigint', 2 ** 53],
    ['boolean', 2],
    ['timestamptz', 'yesterday'],
    ['timestamptz', Date.UTC(100_000, 0, 1)],
    ['jsonb', '{'],
    ['money', 1],
  ];
  for (const [type, value] of refused) {
    assert.throws(
      () => convert(type, value),
      (error) => error instanceof UnmovableValue && /^c /.test(error.message),
    );
  }
});

test('null stays null for every type', () => {
  assert.equal(convert('timestamptz', null), '[null]');
});
