import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseRetryAfter } from './retry-after.ts';

const NOW = new Date('2026-03-02T09:00:00Z');

const TABLE: readonly [header: string | undefined, afterMs: number | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['0', 0],
  ['120', 120_000],
  [' 7 ', 7_000],
  ['Mon, 02 Mar 2026 09:01:30 GMT', 90_000],
  ['Monday, 02-Mar-26 09:00:10 GMT', 10_000],
  ['Mon, 02 Mar 2026 08:59:00 GMT', 0],
  ['-5', undefined],
  ['1.5', undefined],
  ['12 parsecs', undefined],
  ['Soon, maybe', undefined],
  ['99999999999999', undefined],
];

for (const [header, afterMs] of TABLE) {
  test(`Retry-After ${JSON.stringify(header)} means ${afterMs} ms`, () => {
    assert.equal(parseRetryAfter(header, NOW), afterMs);
  });
}

test('for any header the wait is undefined or a non-negative whole number of milliseconds', () => {
  const headers = fc.oneof(
    fc.string(),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  );
  fc.assert(
    fc.property(headers, (header) => {
      const afterMs = parseRetryAfter(header, NOW);
      assert.ok(afterMs === undefined || (Number.isSafeInteger(afterMs) && afterMs >= 0));
    }),
  );
});
