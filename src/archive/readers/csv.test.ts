import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { InvalidInput } from '../../lib/errors.ts';
import { readCsv } from './csv.ts';

const quoted = (field: string) => `"${field.replaceAll('"', '""')}"`;
const field = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ', '😀'), maxLength: 12 });

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
