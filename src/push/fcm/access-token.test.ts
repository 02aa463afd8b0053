import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { FakeFcm } from '../../../test/support/fcm-server.ts';
import type { ServiceAccount } from '../../lib/setting.ts';
import { HttpSender } from '../../outbound/http-sender.ts';
import { toPushResult } from '../push-error.ts';
import { AccessTokens } from './access-token.ts';

async function setUp(t: TestContext, replaced: Partial<ServiceAccount> = {}, timeoutMs?: number) {
  const clock = new FakeClock();
  const fcm = await FakeFcm.start(clock);
  const sender = new HttpSender({ timeoutMs });
  const tokens = new AccessTokens({ ...fcm.account, ...replaced }, sender, clock);
  t.after(async () => {
    sender.close();
    await fcm[Symbol.asyncDispose]();
  });
  return { clock, fcm, tokens };
}

const pemOf = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }).toString();

const pushError = (kind: string, reason: string) => (error: unknown) => {
  assert.deepEqual(toPushResult(error), { kind, reason });
  return true;
};

test('concurrent pushes share one token request, and the token is kept', async (t) => {
  const context = await setUp(t);
  const values = await Promise.all(Array.from({ length: 20 }, () => context.tokens.get()));
  assert.deepEqual(new Set(values), new Set(['ya29.token-1']));
  await context.clock.advance('54m');
  assert.equal(await context.tokens.get(), 'ya29.token-1');
  assert.equal(context.fcm.tokens.seen, 1);
});

test('a clock that is half a minute ahead gets a token', async (t) => {
  const { clock, fcm } = await setUp(t);
  const ahead = new FakeClock(new Date(clock.now().getTime() + 30_000).toISOString());
  const sender = new HttpSender();
  t.after(() => sender.close());
  assert.equal(await new AccessTokens(fcm.account, sender, ahead).get(), 'ya29.token-1');
});

test('a token is replaced five minutes before it expires', async (t) => {
  const context = await setUp(t);
  await context.tokens.get();
  await context.clock.advance('55m');
  assert.equal(await context.tokens.get(), 'ya29.token-2');
});

test('if the early refresh fails, the token is used until it expires, and not every push tries again', async (t) => {
  const context = await setUp(t);
  await context.tokens.get();
  await context.clock.advance('55m');
  context.fcm.tokens.faults.always = { status: 503 };
  assert.equal(await context.tokens.get(), 'ya29.token-1');
  assert.equal(await context.tokens.get(), 'ya29.token-1');
  assert.equal(context.fcm.tokens.seen, 2);
  await context.clock.advance('30s');
  assert.equal(await context.tokens.get(), 'ya29.token-1');
  assert.equal(context.fcm.tokens.seen, 3);
  await context.clock.advance('5m');
  await assert.rejects(context.tokens.get(), pushError('retry', 'token_http_503'));
});

test('a failure is not cached: the next push asks again', async (t) => {
  const context = await setUp(t);
  context.fcm.tokens.faults.next('drop', { status: 500 }, { status: 429 });
  await assert.rejects(context.tokens.get(), pushError('retry', 'econnreset'));
  await assert.rejects(context.tokens.get(), pushError('retry', 'token_http_500'));
  await assert.rejects(context.tokens.get(), pushError('retry', 'token_http_429'));
  assert.equal(await context.tokens.get(), 'ya29.token-4');
});

test('a token endpoint that does not answer is a timeout', async (t) => {
  const context = await setUp(t, {}, 30);
  context.fcm.tokens.faults.next('silence');
  await assert.rejects(context.tokens.get(), pushError('retry', 'timeout'));
});

test('a key that is unknown to Google or of the wrong type is a misconfiguration', async (t) => {
  const unknownKey = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const wrong = await setUp(t, { privateKey: pemOf(unknownKey) });
  await assert.rejects(wrong.tokens.get(), pushError('misconfigured', 'invalid_grant'));
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const unusable = await setUp(t, { privateKey: pemOf(elliptic) });
  await assert.rejects(unusable.tokens.get(), pushError('misconfigured', 'unusable_private_key'));
});

test('a refusal carries the error of Google, and an answer without a token is unreadable', async (t) => {
  const context = await setUp(t);
  context.fcm.tokens.faults.next({ status: 401, body: { error: 'invalid_client' } }, { status: 403, body: 'no' });
  await assert.rejects(context.tokens.get(), pushError('misconfigured', 'invalid_client'));
  await assert.rejects(context.tokens.get(), pushError('misconfigured', 'token_http_403'));
  context.fcm.tokens.faults.next({ status: 200, body: 'soon' }, { status: 200, body: { access_token: 'x' } });
  await assert.rejects(context.tokens.get(), pushError('retry', 'token_unreadable'));
  await assert.rejects(context.tokens.get(), pushError('retry', 'token_unreadable'));
});

test('a token that expires within the refresh margin is still used more than once', async (t) => {
  const context = await setUp(t);
  context.fcm.tokens.faults.next({ status: 200, body: { access_token: 'short', expires_in: 60 } });
  assert.equal(await context.tokens.get(), 'short');
  await context.clock.advance('20s');
  assert.equal(await context.tokens.get(), 'short');
  await context.clock.advance('11s');
  assert.equal(await context.tokens.get(), 'ya29.token-2');
});

test('discarding an old token keeps a newer one', async (t) => {
  const context = await setUp(t);
  const old = await context.tokens.get();
  context.tokens.discard(old);
  const newer = await context.tokens.get();
  context.tokens.discard(old);
  assert.equal(await context.tokens.get(), newer);
  assert.equal(context.fcm.tokens.seen, 2);
});
