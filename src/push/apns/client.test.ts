import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { ApnsHarness } from '../../../test/support/apns-harness.ts';
import { activityOf, deviceToken, nudgeOf, nudgeTo, TASK } from '../../../test/support/apns-pushes.ts';
import { resourcesOf } from '../../../test/support/test-resources.ts';

const ACCEPTED = { kind: 'accepted' };

for (const scheme of ['https', 'http'] as const) {
  test(`Apple accepts every kind of push, over ${scheme}`, async (t) => {
    const harness = resourcesOf(t).use(await ApnsHarness.open({}, { scheme }));
    const activities = (['activity_start', 'activity_update', 'activity_end'] as const).map((kind) => activityOf(kind));
    const nudges = [-1, 0, 1, 2].map((stage) => nudgeOf({}, stage));
    for (const push of [...nudges, ...activities, { ...nudgeTo(9), kind: 'test' } as const])
      assert.deepEqual(await harness.send(push), ACCEPTED);
    assert.deepEqual(
      harness.apns.pushes.map(({ headers }) => headers['apns-push-type']),
      ['alert', 'alert', 'alert', 'alert', 'liveactivity', 'liveactivity', 'liveactivity', 'alert'],
    );
    assert.equal(harness.apns.pushes[0]?.body.task_id, TASK.id);
    assert.equal(harness.apns.pushes[7]?.token, deviceToken(9));
  });
}

const MALFORMED_TOKENS = [
  '',
  'token',
  '../../3/device/ab',
  'ab/cd',
  'ab?cd',
  'ab%2f',
  'аb',
  'ab\r\n',
  'a'.repeat(2_000),
];
for (const token of MALFORMED_TOKENS) {
  test(`a token that is not hexadecimal never becomes part of a path: ${JSON.stringify(token.slice(0, 20))}`, async (t) => {
    const harness = resourcesOf(t).use(await ApnsHarness.open());
    const push = nudgeTo(0);
    const result = await harness.send({ ...push, target: { ...push.target, token } });
    assert.deepEqual(result, { kind: 'gone', reason: 'malformed_token' });
    assert.equal(harness.apns.connections, 0);
  });
}

test('a push whose payload cannot be built is rejected and does not affect the next one', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  const result = await harness.send(nudgeOf({ timezone: 'Nowhere/Land' }, 1));
  assert.deepEqual(result, { kind: 'rejected', reason: 'unsendable' });
  assert.deepEqual(await harness.send(nudgeTo(0)), ACCEPTED);
});

test('a burst uses one connection, sends the first push alone, and never exceeds the stream limit', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({}, { limit: 200 }));
  const results = await Promise.all(harness.burst(1_000));
  assert.ok(results.every(({ kind }) => kind === 'accepted'));
  assert.equal(new Set(harness.apns.pushes.map(({ token }) => token)).size, 1_000);
  assert.equal(harness.apns.connections, 1);
  assert.equal(harness.apns.maxOpenStreams, 200);
});

test('a server without a stream limit gets at most 1,000 pushes at once', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({}, { limit: 2 ** 32 - 1 }));
  await harness.send(nudgeTo(0));
  harness.apns.hold();
  const sent = harness.burst(1_100);
  await harness.apns.receives(1_001);
  assert.equal(harness.apns.maxOpenStreams, 1_000);
  harness.apns.release();
  await Promise.all(sent);
});

test('the capacity is one before the first answer, then the stream limit minus the pushes in flight', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open({}, { limit: 50 }));
  const { apns, gateway } = harness;
  assert.equal(gateway.capacity(), 1);
  apns.hold();
  const first = harness.send(nudgeTo(0));
  await apns.receives(1);
  assert.equal(gateway.capacity(), 1, 'the sandbox is not connected yet');
  const sandbox = harness.send(nudgeTo(1, 'sandbox'));
  await apns.receives(2);
  assert.equal(gateway.capacity(), 0);
  apns.release();
  await Promise.all([first, sandbox]);
  await harness.send(nudgeTo(2));
  await harness.send(nudgeTo(3, 'sandbox'));
  const before = gateway.capacity();
  assert.ok(before >= 98 && before <= 100, `the last streams may not be closed yet: ${before}`);
  apns.hold();
  const rest = harness.burst(30);
  assert.equal(gateway.capacity(), before - 30);
  apns.release();
  await Promise.all(rest);
});

test('each environment has its own connection and key, and a refusal in one does not affect the other', async (t) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sandbox = { pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), id: 'OTHER12345' };
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  const twoKeys = resourcesOf(t).use(
    await ApnsHarness.open({ ...harness.apns.options, keys: { ...harness.apns.options.keys, sandbox } }),
  );
  const refused = { kind: 'misconfigured', reason: 'InvalidProviderToken' };
  assert.deepEqual(await twoKeys.send(nudgeTo(0, 'sandbox')), refused);
  assert.deepEqual(await twoKeys.send(nudgeTo(0)), ACCEPTED);
  const isRefused = (['sandbox', 'production'] as const).map((one) =>
    twoKeys.gateway.forEnvironment(one)?.isRefused?.(),
  );
  assert.deepEqual(isRefused, [true, false], 'the operator can see which');
  assert.equal(harness.apns.connections, 2);
});

test('the sandbox uses the production key if it has none of its own', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  const { production } = harness.apns.options.keys;
  const oneKey = resourcesOf(t).use(await ApnsHarness.open({ ...harness.apns.options, keys: { production } }));
  assert.deepEqual(await oneKey.send(nudgeTo(0, 'sandbox')), ACCEPTED);
});

test('an environment without a key is not configured', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  const { sandbox } = harness.apns.options.keys;
  const sandboxOnly = resourcesOf(t).use(await ApnsHarness.open({ keys: { sandbox } }));
  assert.deepEqual(await sandboxOnly.send(nudgeTo(0)), { kind: 'misconfigured', reason: 'not_configured' });
});

test('the provider token is renewed on the same connection before it expires', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  for (let quarter = 0; quarter < 12; quarter += 1) {
    assert.deepEqual(await harness.send(nudgeTo(quarter)), ACCEPTED);
    await harness.clock.advance('15m');
  }
  assert.equal(harness.apns.connections, 1);
  assert.equal(new Set(harness.apns.pushes.map(({ headers }) => headers.authorization)).size, 4);
});

test('closing waits for pushes in flight, ends waiting ones and sends no new ones', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  harness.apns.hold();
  const [inFlight, waiting] = [harness.send(nudgeTo(0)), harness.send(nudgeTo(1))];
  await harness.apns.receives(1);
  const closed = harness.gateway.close();
  assert.deepEqual(await waiting, { kind: 'retry', reason: 'closing' });
  assert.deepEqual(await harness.send(nudgeTo(2)), { kind: 'retry', reason: 'closing' });
  harness.apns.release();
  assert.deepEqual(await inFlight, ACCEPTED);
  await closed;
});

/** Sends one push that is answered and one that never is, closes, and exits only if nothing keeps the process alive. */
const CHILD_SCRIPT = `
  const { options, pushes, modules, now } = JSON.parse(process.env.CHILD_INPUT);
  const { ApnsGateway } = await import(modules.client);
  const { createLogger } = await import(modules.logger);
  const gateway = new ApnsGateway(options, { now: () => new Date(now) }, createLogger('silent'));
  const send = (push) => gateway.send({ ...push, expiresAt: new Date(push.expiresAt) }, AbortSignal.timeout(60_000));
  const answered = await send(pushes[0]);
  const unanswered = send(pushes[1]);
  // The test ends the input once the push has arrived.
  for await (const _ of process.stdin);
  await gateway.close();
  process.stdout.write(JSON.stringify([answered, await unanswered]));
`;

test('after closing, nothing keeps the process alive, not even a push that is never answered', async (t) => {
  const harness = resourcesOf(t).use(await ApnsHarness.open());
  harness.apns.ignore(deviceToken(1));
  const modules = { client: import.meta.resolve('./client.ts'), logger: import.meta.resolve('../../lib/logger.ts') };
  const options = { ...harness.apns.options, durations: { requestMs: 500 } };
  const pushes = [0, 1].map((number) => ({ ...nudgeTo(number), kind: 'test' }));
  const env = { ...process.env, CHILD_INPUT: JSON.stringify({ options, pushes, modules, now: harness.clock.now() }) };
  const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD_SCRIPT], { env, timeout: 20_000 });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await harness.apns.receives(2);
  child.stdin.end();
  const [code] = await once(child, 'close');
  assert.deepEqual([code, output], [0, JSON.stringify([ACCEPTED, { kind: 'retry', reason: 'timeout' }])]);
});
