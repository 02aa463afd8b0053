import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UploadSlots } from './upload-slots.ts';

test('an account has one upload at a time, and all accounts together a few', () => {
  const slots = new UploadSlots();
  const taken = Array.from({ length: 8 }, (_, index) => slots.take(`user ${index}`));
  assert.throws(() => slots.take('user 0'), { code: 'request_in_progress' });
  assert.throws(() => slots.take('another'), { code: 'overloaded', retryAfterSeconds: 10 });
  taken[0]?.callerLeft();
  slots.take('another');
});

test('a slot stays taken until the work on the file is over, even if the caller hangs up', async () => {
  const slots = new UploadSlots();
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
