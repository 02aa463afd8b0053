import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushResult } from '../gateway.ts';
import { classify, classifyRetraction } from './classify.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const describe = (description: string) => ({ ok: false, description });
const gone: PushResult = { kind: 'gone', reason: 'chat_gone' };
const rejected = (status: number): PushResult => ({ kind: 'rejected', reason: `http_${status}` });
const retry = (status: number, afterMs?: number): PushResult => ({
  kind: 'retry',
  reason: `http_${status}`,
  isAnswered: true,
  ...(afterMs !== undefined && { afterMs }),
});

const ANSWERS: readonly [status: number, body: object | string, expected: PushResult][] = [
  [200, { ok: true, result: { message_id: 12 } }, { kind: 'accepted', ref: '12' }],
  [200, { ok: true, result: true }, { kind: 'accepted' }],
  [200, { ok: true }, { kind: 'accepted' }],
  [200, 'not JSON', { kind: 'accepted' }],
  [403, describe('Forbidden: bot was blocked by the user'), gone],
  [403, describe('Forbidden: bot was kicked from the group chat'), gone],
  [403, describe('Forbidden: user is deactivated'), gone],
  [403, describe('Forbidden: bot is not a member of the channel chat'), gone],
  [403, describe("Forbidden: bot can't initiate conversation with a user"), gone],
  [400, describe('Bad Request: chat not found'), gone],
  [400, describe('Bad Request: the chat was deleted'), gone],
  [400, describe('Bad Request: message is too long'), rejected(400)],
  [403, describe('Forbidden: not enough rights'), rejected(403)],
  [403, '', rejected(403)],
  [401, describe('Unauthorized'), { kind: 'misconfigured', reason: 'http_401' }],
  [404, describe('Not Found'), { kind: 'misconfigured', reason: 'http_404' }],
  [429, { ok: false, parameters: { retry_after: 30 } }, retry(429, 30_000)],
  [429, { ok: false }, retry(429)],
  [500, describe('chat not found'), retry(500)],
  [502, { parameters: { retry_after: 30 } }, retry(502)],
];

for (const [status, body, expected] of ANSWERS) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  test(`${status} with ${text || 'no body'} is ${expected.kind}`, () => {
    assert.deepEqual(classify({ status, headers: {}, body: text }, NOW), expected);
  });
}

test('a message that can no longer be deleted is not tried again', () => {
  const retracted = (status: number) => classifyRetraction({ status, headers: {}, body: '' }, NOW);
  assert.deepEqual([retracted(400), retracted(200)], [{ kind: 'accepted' }, { kind: 'accepted' }]);
  assert.deepEqual([retracted(403), retracted(500)], [rejected(403), retry(500)]);
});
