import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyAnswer, fieldsOf } from './channel-answer.ts';
import type { PushResult } from './gateway.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const credentials = { kind: 'rejected', reason: 'credentials_refused', isCredentials: true } as const;

const ANSWERS: readonly [status: number, expected: PushResult][] = [
  [199, { kind: 'rejected', reason: 'http_199' }],
  [200, { kind: 'accepted' }],
  [299, { kind: 'accepted' }],
  [300, { kind: 'rejected', reason: 'http_300' }],
  [401, credentials],
  [403, credentials],
  [404, { kind: 'rejected', reason: 'http_404' }],
  [408, { kind: 'retry', reason: 'http_408', isAnswered: true }],
  [425, { kind: 'retry', reason: 'http_425', isAnswered: true }],
  [429, { kind: 'retry', reason: 'http_429', isAnswered: true }],
  [499, { kind: 'rejected', reason: 'http_499' }],
  [500, { kind: 'retry', reason: 'http_500', isAnswered: true }],
];

for (const [status, expected] of ANSWERS) {
  test(`${status} is ${expected.kind} if a provider says nothing else`, () => {
    assert.deepEqual(classifyAnswer({ status, headers: {}, body: '' }, NOW), expected);
    const asked = classifyAnswer({ status, headers: { 'retry-after': '7' }, body: '' }, NOW, 'ref');
    const { kind } = expected;
    assert.deepEqual(asked, {
      ...expected,
      ...(kind === 'accepted' && { ref: 'ref' }),
      ...(kind === 'retry' && { afterMs: 7_000 }),
    });
  });
}

test('only a JSON object has fields', () => {
  assert.deepEqual(fieldsOf('{"code":1}'), { code: 1 });
  for (const body of ['', 'x', 'null', '7', '"text"']) assert.deepEqual(fieldsOf(body), {}, body);
});
