import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { UploadSlots } from './upload-slots.ts';

test('an account has one upload at a time, and all accounts together a few', () => {
  const slots = new UploadSlots(new FakeClock());
  const taken = Array.from({ length: 8 }, (_, index) => slots.take(`user ${index}`));
  assert.throws(() => slots.take('user 0'), { code: 'request_in_progress' });
  assert.throws(() => slots.take('another'), { code: 'overloaded', retryAfterSeconds: 5 });
  taken[0]?.callerLeft();
  slots.take('another');
});

test('a new upload displaces the one that has been arriving for longest, but none that is being imported', async () => {
  const clock = new FakeClock();
  const slots = new UploadSlots(clock);
  const [first, second, ...others] = Array.from({ length: 8 }, (_, index) => slots.take(`user ${index}`));
  const work = Promise.withResolvers<void>();
  const importing = first?.use(() => work.promise);
  await clock.advance('5s');
  slots.take('another');
  assert.deepEqual([first?.displaced.aborted, second?.displaced.aborted], [false, true]);
  assert.equal(second?.displaced.reason.code, 'overloaded');
  for (const other of others) void other.use(() => work.promise);
  assert.throws(() => slots.take('one more'), { code: 'overloaded' });
  work.resolve();
  await importing;
});

test('a slot stays taken until the work on the file is over, even if the caller hangs up', async () => {
  const slots = new UploadSlots(new FakeClock());
  const slot = slots.take('ada');
  const work = Promise.withResolvers<void>();
  const over = slot.use(() => work.promise);
  slot.callerLeft();
  assert.throws(() => slots.take('ada'), { code: 'request_in_progress' });
  work.resolve();
  await over;
  slots.take('ada');
  slot.callerLeft();
  assert.throws(() => slots.take('ada'), { code: 'request_in_progress' });
});
