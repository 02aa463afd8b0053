import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseDateTime } from './date-time.ts';

test('every instant with a four-digit year survives formatting and parsing', () => {
  const range = {
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  };
  fc.assert(
    fc.property(fc.date(range), (instant) => {
      const written = parseDateTime(instant.toISOString());
      assert.ok(written);
      assert.equal(written.offset, 'Z');
      assert.equal(written.wall.toZonedDateTime('UTC').epochMilliseconds, instant.getTime());
    }),
  );
});

const ACCEPTED: [string, string, string | null][] = [
  ['2026-02-28T09:30', '2026-02-28T09:30:00', null],
  ['2026-02-28T09:30:15', '2026-02-28T09:30:15', null],
  ['2024-02-29t23:59:59.999z', '2024-02-29T23:59:59.999', 'Z'],
  ['2026-11-01T01:30:00+05:45', '2026-11-01T01:30:00', '+05:45'],
  ['2026-11-01T01:30:00-0330', '2026-11-01T01:30:00', '-03:30'],
  ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59', 'Z'],
  ['2026-11-01T01:30:00-23:59', '2026-11-01T01:30:00', '-23:59'],
];
for (const [text, wall, offset] of ACCEPTED) {
  test(`${text} is read as written`, () => {
    const written = parseDateTime(text);
    assert.ok(written);
    assert.equal(written.wall.toString(), wall);
    assert.equal(written.offset, offset);
  });
}

const REFUSED = [
  '2026-02-30T09:00:00Z',
  '2025-02-29T09:00:00Z',
  '2026-13-01T09:00:00Z',
  '2026-00-10T09:00:00Z',
  '2026-04-31T09:00:00Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T23:60:00Z',
  '2026-01-01T23:59:60Z',
  '2026-01-01T09:00:00+24:00',
  '2026-01-01T09:00:00+02:60',
  '2026-01-01T09:00:00+02',
  '2026-01-01T09:00:00+02000',
  '2026-01-01T09:00:00+2400',
  '2026-01-01 09:00:00Z',
  '2026-01-01',
  '09:00',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-00:01',
  '0001-01-01T00:00:00+00:01',
  '9999-12-31T12:00:00',
  '+012026-01-01T00:00:00Z',
  '2026-01-01T09:00:00Z[Europe/Paris]',
  '2026-01-01T09:00:00Z\n',
  '1767225600',
  '',
];
for (const text of REFUSED) {
  test(`${JSON.stringify(text)} is not a date-time`, () => assert.equal(parseDateTime(text), undefined));
}
