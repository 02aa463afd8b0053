import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UploadGate } from './upload-gate.ts';

test('one account has one file on its way in, and all accounts together a few', () => {
  const gate = new UploadGate();
  const visits = Array.from({ length: 8 }, (_, index) => gate.enter(`user ${index}`));
  assert.throws(() => gate.enter('user 0'), { code: 'request_in_progress' });
  assert.throws(() => gate.enter('another'), { code: 'overloaded', retryAfterSeconds: 10 });
  visits[0]?.departed();
  gate.enter('another');
});

test('a sender who hangs up leaves the place taken until the work on the file is over', async () => {
  const gate = new UploadGate();
  const visit = gate.enter('ada');
  const work = Promise.withResolvers<void>();
  const over = visit.during(() => work.promise);
  visit.departed();
  assert.throws(() => gate.enter('ada'), { code: 'request_in_progress' });
  work.resolve();
  await over;
  gate.enter('ada');
  visit.departed();
  assert.throws(() => gate.enter('ada'), { code: 'request_in_progress' });
});
