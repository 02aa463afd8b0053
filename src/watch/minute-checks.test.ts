import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { createLogger } from '../lib/logger.ts';
import { minuteChecks } from './minute-checks.ts';

test('after the clock was set back the next checks come after a minute', async () => {
  const clock = new FakeClock();
  let checks = 0;
  const count = async () => {
    checks += 1;
  };
  const fail = async () => {
    throw new Error('no answer');
  };
  // A check that fails keeps no other from its turn.
  const loop = minuteChecks(clock, createLogger('silent'), [fail, count]);
  const settled = async () => {
    while (!loop.isIdle()) await new Promise(setImmediate);
  };
  clock.waitFor(settled);
  loop.start();
  try {
    await clock.advance('60s');
    assert.equal(checks, 1);
    clock.set('2026-03-01T09:00:00Z');
    // The loop looks at the clock once a minute, however it was set.
    loop.wake();
    await clock.advance('59s');
    assert.equal(checks, 1);
    await clock.advance('1s');
    assert.equal(checks, 2);
  } finally {
    await loop.stop();
  }
});

test('once the service stops no further check begins', async () => {
  const clock = new FakeClock();
  const begun: string[] = [];
  const loop = minuteChecks(clock, createLogger('silent'), [
    async () => {
      begun.push('first');
      void loop.stop();
    },
    async () => void begun.push('second'),
  ]);
  loop.start();
  await clock.advance('60s');
  await loop.stop();
  assert.deepEqual(begun, ['first']);
});
