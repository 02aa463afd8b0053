import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIRMATION, messageOf } from '../../../test/support/sample-messages.ts';
import type { PushResult } from '../gateway.ts';
import { classify } from './classify.ts';
import { buildMessage } from './payload.ts';

const NOW = new Date('2026-03-02T10:00:00Z');

for (const [stage, type] of [
  [-1, 'info'],
  [0, 'info'],
  [1, 'warning'],
  [2, 'failure'],
] as const) {
  test(`stage ${stage} has the type ${type}`, () => {
    assert.equal(JSON.parse(buildMessage(messageOf({ stage }), 'phone')).type, type);
  });
}

test('a message is plain text for one tag, with the link in it', () => {
  const message = messageOf({ title: '*not* _Markdown_' });
  const { title, body, tag, format, urls } = JSON.parse(buildMessage(message, 'phone'));
  assert.deepEqual([title, tag, format, urls], ['*not* _Markdown_', 'phone', 'text', undefined]);
  assert.equal(body, `${message.body}\n\nDone or snooze: ${message.actions?.page}`);
  const confirmation = messageOf({
    kind: 'confirm',
    body: 'Your code is 123456.',
    actions: null,
    confirm: CONFIRMATION,
  });
  assert.match(JSON.parse(buildMessage(confirmation, 'phone')).body, /123456.*crescendo\.example\/a\/c$/s);
});

const ANSWERS: readonly [status: number, expected: PushResult][] = [
  [200, { kind: 'accepted' }],
  [204, { kind: 'rejected', reason: 'nothing_sent' }],
  [302, { kind: 'rejected', reason: 'http_302' }],
  [400, { kind: 'rejected', reason: 'http_400' }],
  [403, { kind: 'rejected', reason: 'credentials_refused', isCredentials: true }],
  [406, { kind: 'rejected', reason: 'http_406' }],
  [424, { kind: 'retry', reason: 'http_424', isAnswered: true }],
  [429, { kind: 'retry', reason: 'http_429', isAnswered: true }],
  [431, { kind: 'rejected', reason: 'http_431' }],
  [500, { kind: 'retry', reason: 'http_500', isAnswered: true }],
];

for (const [status, expected] of ANSWERS) {
  test(`${status} is ${expected.kind}`, () => {
    assert.deepEqual(classify({ status, headers: {}, body: '' }, NOW), expected);
  });
}
