import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { Cooldown } from './cooldown.ts';

test('a cooldown lasts exactly its length', async () => {
  const clock = new FakeClock();
  const cooldown = new Cooldown(clock);
  assert.equal(cooldown.remainingMs(), 0);
  cooldown.start(1_000);
  await clock.advance('999ms');
  assert.equal(cooldown.remainingMs(), 1);
  await clock.advance('1ms');
  assert.equal(cooldown.remainingMs(), 0);
});

test('a clock that is set back by a day does not lengthen a cooldown by a day', () => {
  let now = new Date('2026-03-02T09:00:00Z');
  const cooldown = new Cooldown({ now: () => now, sleepUntil: () => Promise.resolve() });
  cooldown.start(1_000);
  now = new Date('2026-03-01T09:00:00Z');
  assert.equal(cooldown.remainingMs(), 0);
});
