import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushResult } from '../gateway.ts';
import { classify } from './classify.ts';

const NOW = new Date('2026-03-02T09:00:00Z');

const TABLE: readonly [status: number, retryAfter: string | undefined, expected: PushResult][] = [
  [199, undefined, { kind: 'rejected', reason: 'http_199' }],
  [200, undefined, { kind: 'accepted' }],
  [201, undefined, { kind: 'accepted' }],
  [202, undefined, { kind: 'accepted' }],
  [299, undefined, { kind: 'accepted' }],
  [300, undefined, { kind: 'rejected', reason: 'http_300' }],
  [301, undefined, { kind: 'rejected', reason: 'http_301' }],
  [307, undefined, { kind: 'rejected', reason: 'http_307' }],
  [400, undefined, { kind: 'rejected', reason: 'http_400' }],
  [401, undefined, { kind: 'misconfigured', reason: 'http_401' }],
  [403, undefined, { kind: 'misconfigured', reason: 'http_403' }],
  [404, undefined, { kind: 'gone', reason: 'http_404' }],
  [406, '60', { kind: 'retry', reason: 'http_406', isAnswered: true, afterMs: 60_000 }],
  [408, undefined, { kind: 'retry', reason: 'http_408', isAnswered: true }],
  [410, undefined, { kind: 'gone', reason: 'http_410' }],
  [413, undefined, { kind: 'rejected', reason: 'http_413' }],
  [429, undefined, { kind: 'retry', reason: 'http_429', isAnswered: true }],
  [429, '15', { kind: 'retry', reason: 'http_429', isAnswered: true, afterMs: 15_000 }],
  [500, undefined, { kind: 'retry', reason: 'http_500', isAnswered: true }],
  [503, 'Mon, 02 Mar 2026 09:01:00 GMT', { kind: 'retry', reason: 'http_503', isAnswered: true, afterMs: 60_000 }],
  [503, 'later', { kind: 'retry', reason: 'http_503', isAnswered: true }],
];

for (const [status, retryAfter, expected] of TABLE) {
  test(`${status} with Retry-After ${retryAfter} is ${expected.kind}`, () => {
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    assert.deepEqual(classify({ status, headers, body: '' }, NOW), expected);
  });
}

test('an endpoint that the push service calls malformed is gone, and no other bad request is', () => {
  const body = '<HTML><HEAD><TITLE>InvalidTokenFormat</TITLE></HEAD></HTML>';
  assert.deepEqual(classify({ status: 400, headers: {}, body }, NOW), { kind: 'gone', reason: 'InvalidTokenFormat' });
  for (const [status, text] of [
    [400, 'UnauthorizedRegistration'],
    [400, '{"reason":"BadJwtToken"}'],
    [413, body],
    [500, body],
  ] as const) {
    assert.notEqual(classify({ status, headers: {}, body: text }, NOW).kind, 'gone', `${status} ${text}`);
  }
});
