import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { FakeFcm } from '../../../test/support/fcm-server.ts';
import type { ServiceAccount } from '../../lib/setting.ts';
import { HttpSender } from '../http-sender.ts';
import { Undelivered } from '../undelivered.ts';
import { AccessTokens } from './access-token.ts';

async function bed(t: TestContext, replaced: Partial<ServiceAccount> = {}, timeoutMs?: number) {
  const clock = new FakeClock();
  const fcm = await FakeFcm.start(clock);
  const sender = new HttpSender(timeoutMs);
  const tokens = new AccessTokens({ ...fcm.account, ...replaced }, sender, clock);
  t.after(async () => {
    sender.close();
    await fcm[Symbol.asyncDispose]();
  });
  return { clock, fcm, tokens };
}

const pemOf = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }).toString();

const refusing = (kind: string, reason: string) => (error: unknown) => {
  assert.ok(error instanceof Undelivered);
  assert.deepEqual(error.result, { kind, reason });
  return true;
};

test('one request serves everyone who waits, and its token is kept', async (t) => {
  const at = await bed(t);
  const values = await Promise.all(Array.from({ length: 20 }, () => at.tokens.get()));
  assert.deepEqual(new Set(values), new Set(['ya29.token-1']));
  await at.clock.advance('54m');
  assert.equal(await at.tokens.get(), 'ya29.token-1');
  assert.equal(at.fcm.tokenRequests, 1);
});

test('a token is replaced five minutes before it ends', async (t) => {
  const at = await bed(t);
  await at.tokens.get();
  await at.clock.advance('55m');
  assert.equal(await at.tokens.get(), 'ya29.token-2');
});

test('a token whose early refresh fails serves until it ends, and is not asked for on every push', async (t) => {
  const at = await bed(t);
  await at.tokens.get();
  await at.clock.advance('55m');
  at.fcm.tokenFaults.always = { status: 503 };
  assert.equal(await at.tokens.get(), 'ya29.token-1');
  assert.equal(await at.tokens.get(), 'ya29.token-1');
  assert.equal(at.fcm.tokenRequests, 2);
  await at.clock.advance('30s');
  assert.equal(await at.tokens.get(), 'ya29.token-1');
  assert.equal(at.fcm.tokenRequests, 3);
  await at.clock.advance('5m');
  await assert.rejects(at.tokens.get(), refusing('retry', 'token_http_503'));
});

test('a failure is not remembered: the next one asks again', async (t) => {
  const at = await bed(t);
  at.fcm.tokenFaults.next('drop', { status: 500 }, { status: 429 });
  await assert.rejects(at.tokens.get(), refusing('retry', 'econnreset'));
  await assert.rejects(at.tokens.get(), refusing('retry', 'token_http_500'));
  await assert.rejects(at.tokens.get(), refusing('retry', 'token_http_429'));
  assert.equal(await at.tokens.get(), 'ya29.token-4');
});

test('a silent token endpoint is waited for no longer than any other', async (t) => {
  const at = await bed(t, {}, 30);
  at.fcm.tokenFaults.next('silence');
  await assert.rejects(at.tokens.get(), refusing('retry', 'timeout'));
});

test('a key that Google does not know is our mistake, and so is one of the wrong kind', async (t) => {
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  const wrong = await bed(t, { privateKey: pemOf(stranger) });
  await assert.rejects(wrong.tokens.get(), refusing('misconfigured', 'invalid_grant'));
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const unusable = await bed(t, { privateKey: pemOf(elliptic) });
  await assert.rejects(unusable.tokens.get(), refusing('misconfigured', 'unusable_private_key'));
});

test('refusals name what Google named, an answer without a token is none', async (t) => {
  const at = await bed(t);
  at.fcm.tokenFaults.next({ status: 401, body: { error: 'invalid_client' } }, { status: 403, body: 'no' });
  await assert.rejects(at.tokens.get(), refusing('misconfigured', 'invalid_client'));
  await assert.rejects(at.tokens.get(), refusing('misconfigured', 'token_http_403'));
  at.fcm.tokenFaults.next({ status: 200, body: 'soon' }, { status: 200, body: { access_token: 'x' } });
  await assert.rejects(at.tokens.get(), refusing('retry', 'token_unreadable'));
  await assert.rejects(at.tokens.get(), refusing('retry', 'token_unreadable'));
});

test('a token that lives shorter than the margin is still used more than once', async (t) => {
  const at = await bed(t);
  at.fcm.tokenFaults.next({ status: 200, body: { access_token: 'short', expires_in: 60 } });
  assert.equal(await at.tokens.get(), 'short');
  await at.clock.advance('20s');
  assert.equal(await at.tokens.get(), 'short');
  await at.clock.advance('11s');
  assert.equal(await at.tokens.get(), 'ya29.token-2');
});

test('forgetting an old token leaves a newer one alone', async (t) => {
  const at = await bed(t);
  const old = await at.tokens.get();
  at.tokens.forget(old);
  const newer = await at.tokens.get();
  at.tokens.forget(old);
  assert.equal(await at.tokens.get(), newer);
  assert.equal(at.fcm.tokenRequests, 2);
});
