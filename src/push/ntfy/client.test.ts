import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { CONFIRMATION, messageOf } from '../../../test/support/sample-messages.ts';
import { ChannelHttp, type ChannelRequest } from '../channel-http.ts';
import { AddressProblem } from '../channel-provider.ts';
import { NtfyProvider } from './client.ts';

const NEVER = new AbortController().signal;
const UNDERSTUDIES = { isOn: true, anywhere: true, ownHost: '' };

/** A provider with the operator's token for its own server, and the requests that it makes, which get these answers. */
function recorded(...statuses: number[]) {
  const requests: (ChannelRequest & { readonly isTrusted: boolean })[] = [];
  const take = (isTrusted: boolean) => async (request: ChannelRequest) => {
    requests.push({ ...request, isTrusted });
    const sequence_id = 'the-task';
    return { status: statuses.shift() ?? 200, headers: {}, body: JSON.stringify({ sequence_id }) };
  };
  const http = {
    request: take(false),
    requestTrusted: take(true),
    findProblem: () => undefined,
    isListed: () => false,
  } as unknown as ChannelHttp;
  const ntfy = new NtfyProvider(http, new FakeClock(), 'https://own.test', 'tk_operator', UNDERSTUDIES);
  const asked = () =>
    requests.map(({ method, url, headers, isTrusted }) => [
      `${method} ${url}`,
      headers?.Authorization?.slice('Bearer '.length),
      isTrusted,
    ]);
  return { ntfy, requests, asked };
}

const own = { server: 'https://own.test', topic: 'mine' };
const theirs = { server: 'https://theirs.test', topic: 'mine' };

test("the operator's token is shown to the operator's server alone, and never in place of a person's", async () => {
  const { ntfy, asked } = recorded();
  for (const address of [own, { ...own, token: 'tk_ada' }, theirs, { ...theirs, token: 'tk_ada' }])
    await ntfy.send(messageOf(), address, NEVER);
  await ntfy.retract({ isRequest: false, id: 'e_c', taskId: 'the-task', refs: ['the-task'] }, own, NEVER);
  assert.deepEqual(asked(), [
    ['POST https://own.test', 'tk_operator', true],
    ['POST https://own.test', 'tk_ada', true],
    ['POST https://theirs.test', undefined, false],
    ['POST https://theirs.test', 'tk_ada', false],
    ['DELETE https://own.test/mine/the-task', 'tk_operator', true],
  ]);
});

test("a code goes to a topic that a person named without the operator's token, and to an invented one with it", async () => {
  const { ntfy, asked } = recorded();
  const code = messageOf({ kind: 'confirm', actions: null, threadId: null, confirm: CONFIRMATION });
  await ntfy.send(code, own, NEVER);
  await ntfy.send(code, { ...own, topic: `crescendo-${'0'.repeat(40)}` }, NEVER);
  assert.deepEqual(
    asked().map(([, token]) => token),
    [undefined, 'tk_operator'],
  );
});

test('a message can be taken back only if its server repeated the id of its thread', async () => {
  const { ntfy } = recorded();
  const send = (threadId: string | null) => ntfy.send(messageOf({ threadId }), own, NEVER);
  assert.deepEqual(await send('the-task'), { kind: 'accepted', ref: 'the-task' });
  assert.deepEqual(await send('another'), { kind: 'accepted' });
  assert.deepEqual(await send(null), { kind: 'accepted' });
});

const held = {
  ref: 'r',
  title: 'pills',
  body: 'due',
  stage: 0,
  delayMs: 60_000,
  isRetry: false,
  known: async () => [],
};

test('a server holds messages once it has shown that it can take them back, which is asked once', async () => {
  const { ntfy, asked } = recorded(503, 200);
  assert.equal((await ntfy.hold(held, theirs, NEVER)).kind, 'retry');
  for (let times = 0; times < 2; times += 1) assert.equal((await ntfy.hold(held, theirs, NEVER)).kind, 'accepted');
  const [ask, place] = ['DELETE https://theirs.test/mine/r', 'POST https://theirs.test'];
  assert.deepEqual(
    asked().map(([request]) => request),
    [ask, ask, place, place],
  );
  for (const status of [404, 405]) {
    const { ntfy: old, requests } = recorded(status);
    assert.deepEqual(await old.hold(held, theirs, NEVER), { kind: 'rejected', reason: 'server_too_old' });
    assert.equal(requests.length, 1);
  }
});

test('what is gone already counts as taken back', async () => {
  for (const status of [404, 405])
    assert.equal((await recorded(status).ntfy.release(held, own, NEVER)).kind, 'accepted');
});

test('the public server counts the messages of a day for each token, and of everybody without one together', () => {
  const { ntfy } = recorded();
  const keyOf = (token?: string) =>
    ntfy.findDayBudget({ server: 'https://ntfy.sh', topic: 'mine', ...(token && { token }) })?.key;
  assert.equal(keyOf(), 'ntfy.sh');
  assert.equal(new Set([keyOf(), keyOf('tk_ada'), keyOf('tk_bob')]).size, 3);
  assert.equal(keyOf('tk_ada')?.includes('tk_ada'), false);
  assert.equal(ntfy.findDayBudget(theirs), null);
});

test('an address ends with the path of its server, and one that is left out keeps what it had', () => {
  const { ntfy } = recorded();
  for (const end of ['?auth=x', '#topic']) {
    const read = ntfy.readAddress({ server: `https://theirs.test/${end}` });
    assert.ok(read instanceof AddressProblem && read.field === 'server', end);
  }
  const before = { server: 'https://theirs.test/path', topic: 'mine', token: 'tk_ada' };
  assert.deepEqual(ntfy.readAddress({}, before), before);
  assert.deepEqual(ntfy.readAddress({ token: '' }, before), { server: before.server, topic: 'mine' });
  assert.equal(ntfy.identify({ server: 'https://THEIRS.test/path//', topic: 'mine' }), ntfy.identify(before));
});

test('only a topic without a token on a server that the operator did not name is public, and one at ntfy.sh always', (t) => {
  const http = new ChannelHttp(['*', 'ntfy.lan:8090', 'ntfy.sh:443']);
  t.after(() => http.close());
  const clock = new FakeClock();
  const isPublic = (at: { server: string; token?: string }, named = 'https://ntfy.sh') =>
    new NtfyProvider(http, clock, named, undefined).isPublic({ topic: 'alerts', ...at });
  assert.equal(isPublic({ server: 'https://ntfy.sh' }), true);
  assert.equal(isPublic({ server: 'https://NTFY.sh./' }), true);
  assert.equal(isPublic({ server: 'https://ntfy.somebody.test' }), true);
  assert.equal(isPublic({ server: 'https://ntfy.sh', token: 'tk_own' }), false);
  assert.equal(isPublic({ server: 'https://ntfy.somebody.test', token: 'tk_own' }), false);
  assert.equal(isPublic({ server: 'http://ntfy.lan:8090' }), false, 'listed in CHANNEL_HOSTS');
  assert.equal(isPublic({ server: 'https://ntfy.home.test' }, 'https://ntfy.home.test'), false, 'NTFY_SERVER');
});
