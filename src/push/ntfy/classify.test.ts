import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushResult } from '../gateway.ts';
import { classify, classifyHeld, classifyRetraction, hasSequence } from './classify.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const answer = (status: number, body: object | string = '') => ({
  status,
  headers: { 'retry-after': '7' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const waits = (afterMs: number): PushResult => ({ kind: 'retry', reason: 'http_429', isAnswered: true, afterMs });

test('a server that takes no more is asked again in five seconds, and in a quarter of an hour if its day is used up', () => {
  assert.deepEqual(classify(answer(429), NOW), waits(5_000));
  assert.deepEqual(classify(answer(429, { code: 42901 }), NOW), waits(5_000));
  assert.deepEqual(classify(answer(429, { code: 42908 }), NOW), waits(900_000));
  assert.deepEqual(classify(answer(429, { code: 42909 }), NOW), waits(900_000), 'locked out');
  assert.deepEqual(classify(answer(503, { code: 42908 }), NOW), { ...waits(7_000), reason: 'http_503' });
  assert.deepEqual(classify(answer(200), NOW, 'ref'), { kind: 'accepted', ref: 'ref' });
});

test('a server that cannot delete messages is not asked again', () => {
  for (const status of [200, 404, 405])
    assert.deepEqual(classifyRetraction(answer(status), NOW), { kind: 'accepted' }, String(status));
  assert.equal(classifyRetraction(answer(400), NOW).kind, 'rejected');
  assert.deepEqual(classifyRetraction(answer(429), NOW), waits(5_000));
});

test('a server can replace messages if it repeats the id', () => {
  assert.equal(hasSequence(answer(200, { sequence_id: 'a' }), 'a'), true);
  for (const body of [{ sequence_id: 'b' }, {}, 'x']) assert.equal(hasSequence(answer(200, body), 'a'), false);
});

test('a moment that the server does not hold a message for is refused for good, and says on which side', () => {
  const held = (status: number, code: number) => classifyHeld(answer(status, { code }), NOW, 'ref');
  assert.deepEqual(held(400, 40005), { kind: 'rejected', reason: 'too_soon' });
  assert.deepEqual(held(400, 40006), { kind: 'rejected', reason: 'too_far' });
  assert.deepEqual(held(400, 40007), { kind: 'rejected', reason: 'http_400' });
  assert.deepEqual(held(200, 0), { kind: 'accepted', ref: 'ref' });
});
