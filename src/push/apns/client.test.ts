import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { ApnsBed } from '../../../test/support/apns-bed.ts';
import { activityOf, deviceToken, nudgeOf, nudgeTo, TASK } from '../../../test/support/apns-pushes.ts';
import { partsOf } from '../../../test/support/parts.ts';

const ACCEPTED = { kind: 'accepted' };

for (const scheme of ['https', 'http'] as const) {
  test(`every kind of push is one that Apple accepts, over ${scheme}`, async (t) => {
    const bed = partsOf(t).use(await ApnsBed.open({}, { scheme }));
    const cards = (['activity_start', 'activity_update', 'activity_end'] as const).map((kind) => activityOf(kind));
    const nudges = [-1, 0, 1, 2].map((stage) => nudgeOf({}, stage));
    for (const push of [...nudges, ...cards, { ...nudgeTo(9), kind: 'test' } as const])
      assert.deepEqual(await bed.send(push), ACCEPTED);
    assert.deepEqual(
      bed.apns.pushes.map(({ headers }) => headers['apns-push-type']),
      ['alert', 'alert', 'alert', 'alert', 'liveactivity', 'liveactivity', 'liveactivity', 'alert'],
    );
    assert.equal(bed.apns.pushes[0]?.body.task_id, TASK.id);
    assert.equal(bed.apns.pushes[7]?.token, deviceToken(9));
  });
}

const NO_TOKENS = ['', 'token', '../../3/device/ab', 'ab/cd', 'ab?cd', 'ab%2f', 'аb', 'ab\r\n', 'a'.repeat(2_000)];
for (const token of NO_TOKENS) {
  test(`a token that is not hexadecimal never becomes part of a path: ${JSON.stringify(token.slice(0, 20))}`, async (t) => {
    const bed = partsOf(t).use(await ApnsBed.open());
    const push = nudgeTo(0);
    const result = await bed.send({ ...push, target: { ...push.target, token } });
    assert.deepEqual(result, { kind: 'rejected', reason: 'malformed_token' });
    assert.equal(bed.apns.connections, 0);
  });
}

test('a push that cannot be put into words is rejected and breaks nothing', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  const result = await bed.send(nudgeOf({ timezone: 'Nowhere/Land' }));
  assert.deepEqual(result, { kind: 'rejected', reason: 'unsendable' });
  assert.deepEqual(await bed.send(nudgeTo(0)), ACCEPTED);
});

test('a burst goes out on one connection, the first push alone, and never on more streams than allowed', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open({}, { limit: 200 }));
  const results = await Promise.all(bed.burst(1_000));
  assert.ok(results.every(({ kind }) => kind === 'accepted'));
  assert.equal(new Set(bed.apns.pushes.map(({ token }) => token)).size, 1_000);
  assert.equal(bed.apns.connections, 1);
  assert.equal(bed.apns.mostOpen, 200);
});

test('a peer that names no limit is not sent everything at once', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open({}, { limit: 2 ** 32 - 1 }));
  await bed.send(nudgeTo(0));
  bed.apns.hold();
  const sent = bed.burst(1_100);
  await bed.apns.receives(1_001);
  assert.equal(bed.apns.mostOpen, 1_000);
  bed.apns.release();
  await Promise.all(sent);
});

test('there is room for one before the first answer, then for what the peer allows less what is under way', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open({}, { limit: 50 }));
  const { apns, gateway } = bed;
  assert.equal(gateway.room(), 1);
  apns.hold();
  const first = bed.send(nudgeTo(0));
  await apns.receives(1);
  assert.equal(gateway.room(), 1, 'the sandbox is not connected yet');
  const sandbox = bed.send(nudgeTo(1, 'sandbox'));
  await apns.receives(2);
  assert.equal(gateway.room(), 0);
  apns.release();
  await Promise.all([first, sandbox]);
  await bed.send(nudgeTo(2));
  await bed.send(nudgeTo(3, 'sandbox'));
  const before = gateway.room();
  assert.ok(before >= 98 && before <= 100, `the last streams may not be closed yet: ${before}`);
  apns.hold();
  const rest = bed.burst(30);
  assert.equal(gateway.room(), before - 30);
  apns.release();
  await Promise.all(rest);
});

test('each environment has its own connection and key, and the fault of one is not the fault of the other', async (t) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const sandbox = { pem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), id: 'OTHER12345' };
  const bed = partsOf(t).use(await ApnsBed.open());
  const twoKeys = partsOf(t).use(
    await ApnsBed.open({ ...bed.apns.options, keys: { ...bed.apns.options.keys, sandbox } }),
  );
  const refused = { kind: 'misconfigured', reason: 'InvalidProviderToken' };
  assert.deepEqual(await twoKeys.send(nudgeTo(0, 'sandbox')), refused);
  assert.deepEqual(await twoKeys.send(nudgeTo(0)), ACCEPTED);
  assert.equal(bed.apns.connections, 2);
});

test('the sandbox uses the key of production where it has none of its own', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  const { production } = bed.apns.options.keys;
  const oneKey = partsOf(t).use(await ApnsBed.open({ ...bed.apns.options, keys: { production } }));
  assert.deepEqual(await oneKey.send(nudgeTo(0, 'sandbox')), ACCEPTED);
});

test('an environment without a key is not configured', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  const { sandbox } = bed.apns.options.keys;
  const sandboxOnly = partsOf(t).use(await ApnsBed.open({ keys: { sandbox } }));
  assert.deepEqual(await sandboxOnly.send(nudgeTo(0)), { kind: 'misconfigured', reason: 'not_configured' });
});

test('the provider token is renewed on the same connection before Apple finds it too old', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  for (let quarter = 0; quarter < 12; quarter += 1) {
    assert.deepEqual(await bed.send(nudgeTo(quarter)), ACCEPTED);
    await bed.clock.advance('15m');
  }
  assert.equal(bed.apns.connections, 1);
  assert.equal(new Set(bed.apns.pushes.map(({ headers }) => headers.authorization)).size, 4);
});

test('closing waits for the answers under way, ends those who wait and lets nothing new out', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  bed.apns.hold();
  const [underWay, waiting] = [bed.send(nudgeTo(0)), bed.send(nudgeTo(1))];
  await bed.apns.receives(1);
  const closed = bed.gateway.close();
  assert.deepEqual(await waiting, { kind: 'retry', reason: 'closing' });
  assert.deepEqual(await bed.send(nudgeTo(2)), { kind: 'retry', reason: 'closing' });
  bed.apns.release();
  assert.deepEqual(await underWay, ACCEPTED);
  await closed;
});

/** Sends one push that is answered and one that never is, closes, and has nothing left to live for. */
const SHORT_LIFE = `
  const { options, pushes, modules, now } = JSON.parse(process.env.SHORT_LIFE);
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

test('after closing nothing keeps the process alive, not even a push that is never answered', async (t) => {
  const bed = partsOf(t).use(await ApnsBed.open());
  bed.apns.ignore(deviceToken(1));
  const modules = { client: import.meta.resolve('./client.ts'), logger: import.meta.resolve('../../lib/logger.ts') };
  const options = { ...bed.apns.options, durations: { requestMs: 500 } };
  const pushes = [0, 1].map((number) => ({ ...nudgeTo(number), kind: 'test' }));
  const env = { ...process.env, SHORT_LIFE: JSON.stringify({ options, pushes, modules, now: bed.clock.now() }) };
  const child = spawn(process.execPath, ['--input-type=module', '-e', SHORT_LIFE], { env, timeout: 20_000 });
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  await bed.apns.receives(2);
  child.stdin.end();
  const [code] = await once(child, 'close');
  assert.deepEqual([code, said], [0, JSON.stringify([ACCEPTED, { kind: 'retry', reason: 'timeout' }])]);
});
