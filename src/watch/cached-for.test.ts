import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { cachedFor } from './cached-for.ts';

test('a figure is read again after its time, after the clock was set back, and after it could not be read', async () => {
  const clock = new FakeClock();
  let reads = 0;
  const read = cachedFor(clock, 10_000, async () => {
    reads += 1;
    if (reads === 3) throw new Error('the database does not answer');
    return reads;
  });
  assert.deepEqual(await Promise.all([read(), read()]), [1, 1]);
  await clock.advance('9s');
  assert.equal(await read(), 1);
  await clock.advance('1s');
  assert.equal(await read(), 2);
  clock.set('2026-03-01T09:00:00Z');
  assert.equal(await read(), undefined);
  await clock.advance('10s');
  assert.equal(await read(), 4);
});
