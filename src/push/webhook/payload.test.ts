import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { CONFIRMATION, messageOf } from '../../../test/support/sample-messages.ts';
import type { ChannelHttp } from '../channel-http.ts';
import { WebhookProvider } from './client.ts';
import { messageBody, retractionBody } from './payload.ts';

const NOW = new Date('2026-03-02T10:00:00Z');
const DUE = new Date('2026-03-02T09:00:00Z');
const read = (replaced: Parameters<typeof messageOf>[0] = {}) => JSON.parse(messageBody(messageOf(replaced), NOW));

test('a script gets all that is known of a nudge, and what it can do', () => {
  const { type, timestamp, data } = read({ mustNotMiss: true, dueAt: DUE });
  assert.deepEqual([type, timestamp], ['nudge.sent', NOW.toISOString()]);
  const { actions, ...told } = data;
  assert.deepEqual(told, {
    task_id: 'the-task',
    title: 'Take the pills',
    body: 'Still open, due at 10:00',
    stage: 2,
    must_not_miss: true,
    due_at: DUE.toISOString(),
    expires_at: '2026-03-02T10:15:00.000Z',
  });
  const { page, done, snooze, seen } = messageOf().actions ?? assert.fail('A nudge has actions.');
  assert.deepEqual(actions, { page, done, snooze, seen });
});

test('a message about a request has its own type and answers, and no stage', () => {
  const { accept } = messageOf().actions ?? assert.fail('It has actions.');
  const buttons = [{ action: 'accept', label: 'Accept', url: accept }] as const;
  const { type, data } = read({ kind: 'request', request: 'asked', buttons });
  assert.deepEqual(
    [type, data.request, data.stage, data.must_not_miss],
    ['request.told', 'asked', undefined, undefined],
  );
  assert.deepEqual(Object.keys(data.actions), ['page', 'accept']);
  const about = { id: 'e_c', taskId: 'the-task', refs: ['one', 'two'] };
  const taken = (isRequest: boolean) => {
    const { type: kind, data: named } = JSON.parse(retractionBody({ ...about, isRequest }, NOW));
    return [kind, named];
  };
  assert.deepEqual(taken(true), ['request.retracted', { task_id: 'the-task', messages: about.refs }]);
  assert.deepEqual(taken(false), ['nudge.retracted', { task_id: 'the-task', nudges: about.refs }]);
});

test('what is told of a task can be taken back, and a code or a test is never', async () => {
  const request = async () => ({ status: 200, headers: {}, body: CONFIRMATION.challenge });
  const webhook = new WebhookProvider({ request } as unknown as ChannelHttp, new FakeClock());
  const address = { url: 'https://hook.test', secret: 'whsec_x' };
  const send = (replaced: Parameters<typeof messageOf>[0]) =>
    webhook.send(messageOf(replaced), address, new AbortController().signal);
  for (const kind of ['nudge', 'request'] as const)
    assert.deepEqual(await send({ kind }), { kind: 'accepted', ref: 'entry_channel' });
  assert.deepEqual(await send({ kind: 'test' }), { kind: 'accepted' });
  assert.deepEqual(await send({ kind: 'confirm', confirm: CONFIRMATION }), { kind: 'accepted', isEchoed: true });
});

test('until a receiver knows the new secret, its former one signs too, whatever else is changed', () => {
  const webhook = new WebhookProvider({ findProblem: () => undefined } as unknown as ChannelHttp, new FakeClock());
  const [one, two] = ['a', 'b'].map((letter) => `whsec_${letter.repeat(44)}`) as [string, string];
  const first = { url: 'https://hook.test', secret: one };
  const rotated = webhook.readAddress({ secret: two }, first);
  assert.deepEqual(rotated, { url: first.url, secret: two, former: one });
  const moved = webhook.readAddress({ url: 'https://hook.test/x' }, { ...first, secret: two, former: one });
  assert.deepEqual(moved, { url: 'https://hook.test/x', secret: two, former: one });
});
