import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestsUnderWay } from './requests-under-way.ts';

test('a request counts from its arrival until it is over, and for about a second at most', (context) => {
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  const underWay = new RequestsUnderWay();
  const ends = [underWay.begin(), underWay.begin()];
  assert.equal(underWay.count, 2);
  ends[0]?.();
  assert.equal(underWay.count, 1);

  now = 900;
  const endLast = underWay.begin();
  assert.equal(underWay.count, 2);

  // The slow one is not counted any more, and its end takes nothing from the others.
  now = 1_300;
  assert.equal(underWay.count, 1);
  ends[1]?.();
  assert.equal(underWay.count, 1);
  endLast();
  assert.equal(underWay.count, 0);
});

test('nothing is left of requests after a long silence', (context) => {
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  const underWay = new RequestsUnderWay();
  for (let count = 0; count < 30; count += 1) underWay.begin();
  now = 3_600_000;
  assert.equal(underWay.count, 0);
});
