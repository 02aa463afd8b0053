import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { DailyNotices } from './daily-notices.ts';

test('a subject is noticed once a day, and ten subjects at most', async () => {
  const clock = new FakeClock();
  const notices = new DailyNotices(clock);
  const subjects = Array.from({ length: 12 }, (_, index) => `subject ${index}`);
  const noticed = () => subjects.filter((subject) => notices.isDue(subject) && !notices.isDue(subject));
  assert.deepEqual(noticed(), subjects.slice(0, 10));
  assert.deepEqual(noticed(), []);
  await clock.advance('24h');
  assert.deepEqual(noticed(), subjects.slice(0, 10));
});
