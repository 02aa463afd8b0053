import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { DailyNotices } from './daily-notices.ts';

test('what strangers choose is noticed once a day each, and ten times a day in all', async () => {
  const clock = new FakeClock('2026-03-02T23:00:00Z');
  const notices = new DailyNotices(clock);
  const subjects = Array.from({ length: 12 }, (_, index) => `host ${index}`);
  const countDue = () => subjects.filter((subject) => notices.isDue(subject)).length;
  assert.deepEqual([countDue(), countDue()], [10, 0]);
  await clock.advance('1h');
  assert.deepEqual([countDue(), countDue()], [10, 0], 'the next day');
});
