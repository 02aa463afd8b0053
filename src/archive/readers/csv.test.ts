import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { InvalidInput } from '../../lib/errors.ts';
import { CsvHeader, isEmptyRow, readCsv } from './csv.ts';

const quoted = (field: string) => `"${field.replaceAll('"', '""')}"`;
const field = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ', '😀'), maxLength: 12 });
const saying = (words: string) => (error: unknown) =>
  error instanceof InvalidInput && error.problems[0]?.msg.endsWith(words) === true;

test('rows that are written by RFC 4180 are read back, whatever they contain', () => {
  const rows = fc.array(fc.array(field, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(rows, fc.constantFrom('\n', '\r\n'), fc.boolean(), (written, lineBreak, hasMark) => {
      const text = (hasMark ? '\uFEFF' : '') + written.map((row) => row.map(quoted).join(',')).join(lineBreak);
      const read = [...readCsv(text)].map(({ fields }) => fields);
      assert.deepEqual(read, written);
    }),
  );
});

test('any text is read or refused with its row, and line numbers count the lines of the file', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', '"', ',', '\n'), maxLength: 60 }), (text) => {
      try {
        const lines = [...readCsv(text)].map(({ line }) => line);
        assert.deepEqual(
          lines,
          lines.toSorted((a, b) => a - b),
        );
        assert.ok(lines.every((line) => line <= text.split('\n').length));
      } catch (error) {
        assert.ok(error instanceof InvalidInput);
        assert.match(error.problems[0]?.msg ?? '', /never closed \(row \d+\)$/);
      }
    }),
  );
  assert.deepEqual(
    [...readCsv('a\n"b\nc",d\ne')].map(({ line }) => line),
    [1, 2, 4],
  );
});

test('rows end as the program that wrote them ends them, and text behind a closing mark belongs to its field', () => {
  for (const lineBreak of ['\n', '\r\n', '\r']) {
    const text = ['a,b', `"c${lineBreak}d"e,"f"`, '', '"g'].join(lineBreak);
    const rows: unknown[] = [];
    assert.throws(() => rows.push(...readCsv(text)), saying('never closed (row 5)'));
    for (const { line, fields } of readCsv(text.slice(0, -2))) rows.push([line, ...fields]);
    assert.deepEqual(rows, [
      [1, 'a', 'b'],
      [2, `c${lineBreak}de`, 'f'],
      [4, ''],
    ]);
  }
  assert.throws(() => [...readCsv('a\n"b\nc","d')], saying('never closed (row 3)'));
});

test('no row has more columns than any export, and one that has as many is read', () => {
  const wide = 'x,'.repeat(199);
  assert.equal([...readCsv(`${wide}x`)][0]?.fields.length, 200);
  assert.throws(() => [...readCsv(`\n${wide}x,x`)], saying('more columns than any export (row 2)'));
});

test('columns are found by their names in any case, and spaces around names and values count for nothing', () => {
  const [head, row, empty] = [...readCsv('Type, Content \n task , Milk\n ,')];
  assert.ok(head && row && empty);
  const header = new CsvHeader(head);
  assert.deepEqual([header.has('TYPE', 'CONTENT'), header.has('TYPE', 'DATE')], [true, false]);
  assert.deepEqual(
    [header.field(row, 'TYPE'), header.field(row, 'CONTENT'), header.field(row, 'DATE')],
    ['task', 'Milk', ''],
  );
  assert.deepEqual([isEmptyRow(row), isEmptyRow(empty)], [false, true]);
});
