import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import pg from 'pg';
import { encodeParameter, parseInstant } from './postgres-values.ts';

const { TIMESTAMPTZ } = pg.types.builtins;
const parseByPattern = pg.types.getTypeParser(TIMESTAMPTZ, 'text');

/** As PostgreSQL writes an instant in a session in UTC: without zeros at the end of the fraction. */
const written = (at: Date): string =>
  `${at.toISOString().replace('T', ' ').replace('Z', '').replace(/0+$/, '').replace(/\.$/, '')}+00`;

test('an instant is read as the same moment that pg reads, with and without a fraction', () => {
  const years = {
    min: new Date('0100-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  };
  fc.assert(
    fc.property(fc.date(years), (at) => {
      assert.deepEqual(parseInstant(written(at)), at);
      assert.deepEqual(parseInstant(written(at)), parseByPattern(written(at)));
    }),
  );
});

test('an instant in another form is read as pg reads it', () => {
  const others = [
    '2026-03-02 09:00:00+05:30',
    '2026-03-02 09:00:00.5-03',
    '12026-03-02 09:00:00+00',
    '0044-03-15 12:00:00+00 BC',
    'infinity',
    '0099-03-02 09:00:00+00',
  ];
  for (const text of others) assert.deepEqual(parseInstant(text), parseByPattern(text), text);
  // Microseconds are cut, not rounded into the next second.
  assert.deepEqual(parseInstant('2026-03-02 09:00:00.999999+00'), new Date('2026-03-02T09:00:00.999Z'));
});

test('parameters are written as PostgreSQL reads them', () => {
  const instants = '{"1970-01-01T00:00:00.000Z","1970-01-01T00:00:00.000Z","1970-01-01T00:00:00.001Z"}';
  const cases: [unknown, string | null][] = [
    [null, null],
    [undefined, null],
    ['text', 'text'],
    [1.5, '1.5'],
    [true, 'true'],
    [12n, '12'],
    [new Date('2026-03-02T09:00:00.123Z'), '2026-03-02T09:00:00.123Z'],
    [new Date('+012026-03-02T09:00:00Z'), '12026-03-02T09:00:00.000Z'],
    [new Date('0000-03-02T09:00:00Z'), '0001-03-02T09:00:00.000Z BC'],
    [new Date('-000043-03-15T12:00:00Z'), '0044-03-15T12:00:00.000Z BC'],
    [{ a: [1] }, '{"a":[1]}'],
    [['a "b" \\c', null, 7, true], '{"a \\"b\\" \\\\c",NULL,"7","true"}'],
    [[], '{}'],
    [[undefined, null, 'a', 'a', null, 'a\\', '"', 'a'], '{NULL,NULL,"a","a",NULL,"a\\\\","\\"","a"}'],
    [[new Date(0), new Date(0), new Date(1)], instants],
    [[[1, null], [1]], '{{"1",NULL},{"1"}}'],
  ];
  for (const [value, text] of cases) assert.equal(encodeParameter(value), text);
  assert.throws(() => encodeParameter(new Date(Number.NaN)), RangeError);
});
