import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { AccountRateLimit } from './account-rate-limit.ts';

test('an account is refused beyond its requests of a minute, and a clock that is set back refuses nobody for longer', () => {
  const clock = new FakeClock('2026-03-02T12:00:00Z');
  const limit = new AccountRateLimit(2, clock);
  const count = () => limit.countRequest('ada');
  const refused = { code: 'too_many_requests', retryAfterSeconds: 60 };
  for (let times = 0; times < 2; times += 1) count();
  assert.throws(count, refused);
  limit.countRequest('grace');
  clock.set('2026-03-02T09:00:00Z');
  for (let times = 0; times < 2; times += 1) count();
  assert.throws(count, refused);
  clock.set('2026-03-02T09:01:00Z');
  count();
});
