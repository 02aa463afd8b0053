import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { messageOf } from '../../../test/support/sample-messages.ts';
import { hashToken } from '../../lib/secrets.ts';
import type { ChannelHttp, ChannelRequest } from '../channel-http.ts';
import type { HookRequest } from '../channel-provider.ts';
import { PushoverProvider } from './client.ts';

const OPTIONS = {
  token: 'app',
  origin: 'https://push.example',
  subscriptionUrl: 'https://push.example/subscribe/x',
  hookUrl: 'https://crescendo.example/v1/hooks/pushover',
  canBeCalled: true,
};

/** A provider whose API answers so, and what it was asked. */
function answering(status: number, body: object = {}) {
  const asked: string[] = [];
  const requestTrusted = async ({ url, body: form = '' }: ChannelRequest) => {
    asked.push(`${new URL(url).pathname} ${form}`);
    return { status, headers: {}, body: JSON.stringify(body) };
  };
  return {
    pushover: new PushoverProvider({ requestTrusted } as unknown as ChannelHttp, new FakeClock(), OPTIONS),
    asked,
  };
}

const call = (fields: Partial<HookRequest>): HookRequest => ({
  headers: {},
  query: {},
  body: '',
  token: undefined,
  browserState: undefined,
  networkAddress: '192.0.2.1',
  ...fields,
});

/** The secret that only Pushover and we know, as an alarm tells it. */
async function findSecret(): Promise<string> {
  const { pushover, asked } = answering(200);
  await pushover.send(messageOf(), { user: 'u' }, new AbortController().signal);
  return new URLSearchParams(asked[0]?.split(' ')[1]).get('callback')?.split('/').at(-1) ?? '';
}

test('an acknowledgement counts if Pushover says so, and is reported again if it does not answer', async () => {
  const token = await findSecret();
  const report = (receipt: string, status = 200, acknowledged = 1) => {
    const { pushover, asked } = answering(status, { acknowledged });
    return { events: pushover.hook(call({ token, body: `receipt=${receipt}` })), asked };
  };
  const receipt = 'r'.repeat(30);
  assert.deepEqual(await report(receipt).events, [{ kind: 'confirmed', ref: receipt }]);
  assert.deepEqual(await report(receipt, 200, 0).events, []);
  for (const status of [500, 503])
    await assert.rejects(report(receipt, status).events, { code: 'overloaded' }, `${status}`);
  for (const odd of ['', 'r'.repeat(19), '../../apps/limits']) {
    const { events, asked } = report(odd);
    assert.deepEqual([await events, asked], [[], []], odd);
  }
});

test('a key comes back only with the browser that was given the link, and only if it can be one', async () => {
  const { pushover } = answering(200);
  const browserState = hashToken(await pushover.linkFor('a-code'));
  const comeBack = (fields: Partial<HookRequest>) =>
    pushover.hook(call({ token: 'a-code', query: { pushover_user_key: 'u'.repeat(30) }, browserState, ...fields }));
  const [claimed] = await comeBack({});
  assert.deepEqual(claimed, {
    kind: 'claimed',
    code: 'a-code',
    address: { user: 'u'.repeat(30) },
    networkAddress: '192.0.2.1',
  });
  for (const other of [undefined, hashToken('another')])
    await assert.rejects(comeBack({ browserState: other }), { code: 'unauthenticated' });
  for (const key of ['u'.repeat(19), `${'u'.repeat(30)}&x`, 'u'.repeat(41)])
    await assert.rejects(comeBack({ query: { pushover_user_key: key } }), { code: 'channel_not_reached' });
});
