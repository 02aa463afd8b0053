import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CODE_POINT } from '../../../test/support/code-point.ts';
import { nudgeOf, PHONE, TASK, testPushOf } from '../../../test/support/sample-pushes.ts';
import { buildMessage } from './payload.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const MAX_BYTES = 4_096;

const STAGES = [
  [-1, 'NORMAL', 'heads_up', 'Due at 10:00'],
  [0, 'HIGH', 'nudge', 'Due now'],
  [1, 'HIGH', 'urgent', 'Still open, due at 10:00'],
  [2, 'HIGH', 'alarm', 'Still open, due at 10:00'],
] as const;

for (const [stage, priority, channel, body] of STAGES) {
  test(`stage ${stage} has priority ${priority} and the channel ${channel}`, () => {
    assert.deepEqual(buildMessage(nudgeOf(PHONE, stage), NOW), {
      token: PHONE.token,
      notification: { title: TASK.title, body },
      data: { task_id: TASK.id, stage: String(stage), occurrence_due_at: '2026-03-02T09:00:00.000Z' },
      android: { priority, ttl: '3600s', notification: { tag: TASK.id, channel_id: channel } },
    });
  });
}

test('a task without a due date has an empty string, because FCM accepts only strings', () => {
  assert.equal(buildMessage(nudgeOf(PHONE, 0, { occurrenceDueAt: null }), NOW).data.occurrence_due_at, '');
});

test('a test push shows text, makes a sound, and names no task', () => {
  const { notification, data, android } = buildMessage(testPushOf(PHONE), NOW);
  assert.ok(notification.title && notification.body);
  assert.deepEqual(data, { test: 'true' });
  assert.deepEqual(android, { priority: 'HIGH', ttl: '3600s', notification: { tag: 'test', channel_id: 'nudge' } });
});

test('the time to live is a whole number of seconds between zero and four weeks', () => {
  const ttlAt = (now: string) => buildMessage(nudgeOf(PHONE), new Date(now)).android.ttl;
  assert.equal(ttlAt('2026-03-02T09:59:58.700Z'), '2s');
  assert.equal(ttlAt('2026-03-02T10:00:00Z'), '0s');
  assert.equal(ttlAt('2027-01-01T00:00:00Z'), '0s');
  assert.equal(ttlAt('2025-01-01T00:00:00Z'), '2419200s');
});

test('a message has at most 4,096 bytes for every title, and a title that fits stays whole', () => {
  const titles = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc.string({ unit: CODE_POINT, minLength: 2_000, maxLength: 4_000 }),
    fc.integer({ min: 3_000, max: 5_000 }).map((length) => 'x'.repeat(length)),
    fc.integer({ min: 500, max: 2_000 }).map((length) => '"\n\u0001'.repeat(length)),
    fc.integer({ min: 100, max: 500 }).map((length) => '👩‍👩‍👧‍👦'.repeat(length)),
  );
  fc.assert(
    fc.property(titles, fc.integer({ min: -1, max: 2 }), (title, stage) => {
      const { token: _, ...counted } = buildMessage(nudgeOf(PHONE, stage, { title }), NOW);
      assert.ok(Buffer.byteLength(JSON.stringify(counted)) <= MAX_BYTES);
      const shown = counted.notification.title;
      assert.ok(shown === title || title.startsWith(shown.slice(0, -1)));
      if (Buffer.byteLength(JSON.stringify(title)) < 3_000) assert.equal(shown, title);
    }),
    { numRuns: 60 },
  );
});

test('a title that is too long is cut no shorter than necessary', () => {
  const { token: _, ...counted } = buildMessage(nudgeOf(PHONE, 0, { title: 'x'.repeat(9_000) }), NOW);
  assert.equal(Buffer.byteLength(JSON.stringify(counted)), MAX_BYTES);
  assert.match(counted.notification.title, /x…$/);
});
