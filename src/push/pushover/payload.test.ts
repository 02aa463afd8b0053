import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messageOf } from '../../../test/support/sample-messages.ts';
import type { ChannelMessage } from '../channel-provider.ts';
import type { PushResult } from '../gateway.ts';
import { classify, classifyCancel, classifyLimits, isAcknowledged } from './classify.ts';
import { buildMessage } from './payload.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const RECEIVER = { token: 'app', user: 'ada', callback: 'https://crescendo.example/v1/hooks/pushover/secret' };
const formOf = (replaced: Partial<ChannelMessage>, callback: string | null = RECEIVER.callback) =>
  Object.fromEntries(buildMessage(messageOf(replaced), { ...RECEIVER, callback }, NOW));

const STAGES: readonly [stage: number, fields: object][] = [
  [-1, { priority: '-1', ttl: '900', retry: undefined }],
  [0, { priority: '0', ttl: '900', retry: undefined }],
  [1, { priority: '1', ttl: '900', retry: undefined, callback: undefined }],
  [2, { priority: '2', ttl: undefined, retry: '60', expire: '900', tags: 'the-task', callback: RECEIVER.callback }],
];

for (const [stage, fields] of STAGES) {
  test(`stage ${stage} has the priority ${stage}, and only an alarm has a receipt`, () => {
    const form = formOf({ stage });
    for (const [name, value] of Object.entries(fields)) assert.equal(form[name], value, name);
    assert.equal(form.url, messageOf().actions?.page);
  });
}

test('an alarm rings until the next nudge, for a minute at least and three hours at most', () => {
  const expireAt = (at: string) => formOf({ expiresAt: new Date(at) }).expire;
  assert.equal(expireAt('2026-03-02T10:00:10Z'), '60');
  assert.equal(expireAt('2026-03-02T11:00:00Z'), '3600');
  assert.equal(expireAt('2026-03-03T10:00:00Z'), '10800');
});

test('an alarm has no callback where Pushover cannot reach us; a test is never an alarm', () => {
  assert.equal(formOf({}, null).callback, undefined);
  assert.equal(formOf({ kind: 'test', actions: null, taskId: null }).priority, '1');
});

test('texts keep to the limits of Pushover', () => {
  const form = formOf({ title: '💊'.repeat(300), body: 'ж'.repeat(3_000) });
  assert.ok(Buffer.byteLength(form.title ?? '') <= 250);
  assert.ok(Buffer.byteLength(form.message ?? '') <= 1_024);
});

const ANSWERS: readonly [status: number, body: string, expected: PushResult][] = [
  [200, '{"status":1}', { kind: 'accepted' }],
  [200, '{"status":1,"receipt":"r1"}', { kind: 'accepted', ref: 'r1' }],
  [200, 'not JSON', { kind: 'accepted' }],
  [302, '', { kind: 'rejected', reason: 'http_302' }],
  [400, '{"user":"invalid"}', { kind: 'gone', reason: 'subscription_ended' }],
  [400, '{"token":"invalid"}', { kind: 'misconfigured', reason: 'http_400' }],
  [400, '{"user":"invalid","token":"invalid"}', { kind: 'misconfigured', reason: 'http_400' }],
  [400, '{"message":"cannot be blank"}', { kind: 'rejected', reason: 'http_400' }],
  [401, '', { kind: 'misconfigured', reason: 'http_401' }],
  [404, '{"user":"invalid"}', { kind: 'rejected', reason: 'http_404' }],
  [408, '', { kind: 'rejected', reason: 'http_408' }],
  [429, '', { kind: 'misconfigured', reason: 'http_429' }],
  [500, '{"user":"invalid"}', { kind: 'retry', reason: 'http_500', isAnswered: true, afterMs: 5_000 }],
  [503, '', { kind: 'retry', reason: 'http_503', isAnswered: true, afterMs: 5_000 }],
];

for (const [status, body, expected] of ANSWERS) {
  test(`${status} with ${body || 'no body'} is ${expected.kind}`, () => {
    assert.deepEqual(classify({ status, headers: {}, body }), expected);
  });
}

test('an alarm that is over need not be cancelled, and a fault of Pushover is tried again', () => {
  assert.equal(classifyCancel({ status: 404, headers: {}, body: '' }).kind, 'accepted');
  assert.equal(classifyCancel({ status: 500, headers: {}, body: '' }).kind, 'retry');
});

test('only an acknowledged receipt is proof', () => {
  const isProof = (body: string) => isAcknowledged({ status: 200, headers: {}, body });
  assert.deepEqual(['{"acknowledged":1}', '{"acknowledged":0}', '{}', 'x'].map(isProof), [true, false, false, false]);
});

test('an account without messages left is out of order until the month ends', () => {
  const limits = (status: number, body: string) => classifyLimits({ status, headers: {}, body });
  assert.deepEqual(limits(200, '{"remaining":0}'), { kind: 'misconfigured', reason: 'quota_used_up' });
  assert.deepEqual(limits(200, '{"remaining":1}'), { kind: 'accepted' });
  assert.equal(limits(503, '').kind, 'retry');
});
