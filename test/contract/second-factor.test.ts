import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateSync } from 'otplib';
import { type Bed, startBed } from '../support/bed.ts';
import { onEveryEngine } from '../support/engines.ts';
import { type Person, personWith, receiveCode, signIn, verifyCode } from '../support/people.ts';

/** The code an authenticator app would show, by an implementation that is not ours. */
const appCode = (bed: Bed, secret: string, steps = 0) =>
  generateSync({ secret, epoch: Math.floor(bed.clock.now().getTime() / 1_000) + steps * 30 });

async function enable(bed: Bed, person: Person): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { body } = await person.ask('POST', '/v1/auth/mfa/enroll');
  const { secret } = body.data;
  const confirmed = await person.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: appCode(bed, secret) });
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  return { secret, recoveryCodes: confirmed.body.data.recovery_codes };
}

async function challenge(bed: Bed, email: string): Promise<string> {
  const { body } = await verifyCode(bed, email, await receiveCode(bed, email));
  assert.equal(body.data.status, 'mfa_required');
  return body.data.mfa_token;
}

const verify = (bed: Bed, mfa_token: string, code: string) =>
  bed.ask({ method: 'POST', url: '/v1/auth/mfa/verify', payload: { mfa_token, code } });

const codeOf = (error: string) => error.split(':')[0];

onEveryEngine((engine) => {
  test('enrolling leaves it off; a live code turns it on, gives ten recovery codes and ends the other sessions', async () => {
    await using bed = await startBed(engine);
    const elsewhere = await signIn(bed, 'ada@example.org');
    const ada = await signIn(bed, 'ada@example.org');
    const enrolment = await ada.ask('POST', '/v1/auth/mfa/enroll');
    const uri = new URL(enrolment.body.data.otpauth_uri);
    assert.equal(uri.protocol, 'otpauth:');
    assert.equal(uri.searchParams.get('secret'), enrolment.body.data.secret);
    assert.equal(uri.searchParams.get('issuer'), 'Crescendo');
    assert.match(decodeURIComponent(uri.pathname), /Crescendo:ada@example\.org$/);
    assert.deepEqual((await ada.ask('GET', '/v1/auth/mfa')).body.data, { enabled: false, recovery_codes_remaining: 0 });
    assert.equal((await signIn(bed, 'ada@example.org')).userId, ada.userId);

    const { recoveryCodes } = await enable(bed, ada);
    assert.equal(recoveryCodes.length, 10);
    assert.equal(new Set(recoveryCodes).size, 10);
    assert.deepEqual((await ada.ask('GET', '/v1/auth/mfa')).body.data, { enabled: true, recovery_codes_remaining: 10 });
    assert.equal((await ada.ask('GET', '/v1/me')).body.data.mfa_enabled, true);
    assert.equal((await elsewhere.ask('GET', '/v1/me')).status, 401);
    const again = await ada.ask('POST', '/v1/auth/mfa/enroll');
    assert.deepEqual([again.status, codeOf(again.body.error)], [409, 'mfa_already_enabled']);
  });

  test('with it on, the first proof alone gives no session, and does not say whose account it is', async () => {
    await using bed = await startBed(engine);
    const ada = await signIn(bed, 'ada@example.org');
    const { secret } = await enable(bed, ada);
    const { body } = await verifyCode(bed, ada.email, await receiveCode(bed, ada.email));
    assert.deepEqual(
      { ...body.data, mfa_token: typeof body.data.mfa_token },
      {
        ...{ status: 'mfa_required', mode: 'login', created: false, user_id: null, session_token: null },
        ...{ mfa_token: 'string', methods: ['totp', 'recovery_code'] },
      },
    );
    assert.equal((await ada.ask('GET', '/v1/me', undefined, body.data.mfa_token)).status, 401);
    const done = await verify(bed, body.data.mfa_token, appCode(bed, secret));
    assert.deepEqual([done.status, done.body.data.status, done.body.data.user_id], [200, 'authenticated', ada.userId]);
    const session = personWith(bed, ada.email, ada.userId, done.body.data.session_token);
    assert.equal((await session.ask('GET', '/v1/me')).status, 200);
  });

  test('neither a code nor an mfa_token works a second time', async () => {
    await using bed = await startBed(engine);
    const ada = await signIn(bed, 'ada@example.org');
    const { secret } = await enable(bed, ada);
    const first = await challenge(bed, ada.email);
    const code = appCode(bed, secret);
    assert.equal((await verify(bed, first, code)).status, 200);
    const replayedToken = await verify(bed, first, appCode(bed, secret, 1));
    assert.deepEqual([replayedToken.status, codeOf(replayedToken.body.error)], [401, 'sign_in_expired']);
    const second = await challenge(bed, ada.email);
    const replayedCode = await verify(bed, second, code);
    assert.deepEqual([replayedCode.status, codeOf(replayedCode.body.error)], [401, 'wrong_code']);
    const older = await verify(bed, second, appCode(bed, secret, -1));
    assert.equal(older.status, 401);
    assert.equal((await verify(bed, second, appCode(bed, secret, 1))).status, 200);
  });

  test('a step to either side is taken, two are not', async () => {
    await using bed = await startBed(engine);
    const ada = await signIn(bed, 'ada@example.org');
    const { secret } = await enable(bed, ada);
    for (const [steps, status] of [
      [-2, 401],
      [2, 401],
      [-1, 200],
      [0, 200],
      [1, 200],
    ] as const) {
      assert.equal(
        (await verify(bed, await challenge(bed, ada.email), appCode(bed, secret, steps))).status,
        status,
        `${steps}`,
      );
    }
  });

  test('the sixth try on one mfa_token fails even when right, and so does one after five minutes', async () => {
    await using bed = await startBed(engine);
    const ada = await signIn(bed, 'ada@example.org');
    const { secret } = await enable(bed, ada);
    const tried = await challenge(bed, ada.email);
    for (let tries = 0; tries < 5; tries += 1) assert.equal((await verify(bed, tried, '000000')).status, 401);
    const sixth = await verify(bed, tried, appCode(bed, secret));
    assert.deepEqual([sixth.status, codeOf(sixth.body.error)], [401, 'sign_in_expired']);
    const late = await challenge(bed, ada.email);
    await bed.clock.advance('5m');
    assert.equal((await verify(bed, late, appCode(bed, secret))).status, 401);
  });

  test('a recovery code works once, in any usual spelling', async () => {
    await using bed = await startBed(engine);
    const ada = await signIn(bed, 'ada@example.org');
    const { recoveryCodes } = await enable(bed, ada);
    const [first = '', second = '', third = ''] = recoveryCodes;
    assert.equal((await verify(bed, await challenge(bed, ada.email), first)).status, 200);
    assert.equal((await verify(bed, await challenge(bed, ada.email), first)).status, 401);
    assert.equal(
      (await verify(bed, await challenge(bed, ada.email), ` ${second.toLowerCase().replaceAll('-', ' ')} `)).status,
      200,
    );
    assert.equal((await verify(bed, await challenge(bed, ada.email), third.replaceAll('-', ''))).status, 200);
    assert.equal((await ada.ask('GET', '/v1/auth/mfa')).body.data.recovery_codes_remaining, 7);
  });

  test('of two spends of one recovery code at the same instant, exactly one succeeds', async () => {
    await using bed = await startBed(engine);
    const ada = await signIn(bed, 'ada@example.org');
    const { recoveryCodes } = await enable(bed, ada);
    const tokens = [await challenge(bed, ada.email), await challenge(bed, ada.email)];
    const answers = await Promise.all(tokens.map((token) => verify(bed, token, recoveryCodes[0] ?? '')));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  });

  test('of two uses of one mfa_token at the same instant, exactly one gets a session', async () => {
    await using bed = await startBed(engine);
    const ada = await signIn(bed, 'ada@example.org');
    const { recoveryCodes } = await enable(bed, ada);
    const token = await challenge(bed, ada.email);
    const answers = await Promise.all(recoveryCodes.slice(0, 2).map((code) => verify(bed, token, code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  });

  test('turning it off takes a current second factor, and a wrong one inside a session is 403', async () => {
    await using bed = await startBed(engine);
    const ada = await signIn(bed, 'ada@example.org');
    const off = await ada.ask('POST', '/v1/auth/mfa/disable', { code: '123456' });
    assert.deepEqual([off.status, codeOf(off.body.error)], [409, 'mfa_not_enabled']);
    const { secret, recoveryCodes } = await enable(bed, ada);
    const wrong = await ada.ask('POST', '/v1/auth/mfa/disable', { code: '000000' });
    assert.deepEqual([wrong.status, codeOf(wrong.body.error)], [403, 'wrong_second_factor']);
    const right = await ada.ask('POST', '/v1/auth/mfa/disable', { code: appCode(bed, secret) });
    assert.deepEqual([right.status, right.body.data], [200, { enabled: false, recovery_codes_remaining: 0 }]);
    assert.equal((await signIn(bed, ada.email)).userId, ada.userId);
    await bed.clock.advance('1m');
    await enable(bed, ada);
    assert.equal((await ada.ask('POST', '/v1/auth/mfa/disable', { code: recoveryCodes[0] ?? '' })).status, 403);
  });

  test('confirming takes a live code of the newest enrolment', async () => {
    await using bed = await startBed(engine);
    const ada = await signIn(bed);
    const early = await ada.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: '123456' });
    assert.deepEqual([early.status, codeOf(early.body.error)], [409, 'mfa_not_enrolled']);
    const old = (await ada.ask('POST', '/v1/auth/mfa/enroll')).body.data.secret;
    const current = (await ada.ask('POST', '/v1/auth/mfa/enroll')).body.data.secret;
    const stale = await ada.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: appCode(bed, old) });
    assert.equal(stale.status, 403);
    const live = await ada.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: appCode(bed, current) });
    assert.equal(live.status, 200);
  });

  test('a sign-in that races the turning on ends with the second factor or without a session', async () => {
    await using bed = await startBed(engine);
    for (let round = 0; round < 8; round += 1) {
      await bed.clock.advance('1h');
      const ada = await signIn(bed);
      const { secret } = (await ada.ask('POST', '/v1/auth/mfa/enroll')).body.data;
      const code = await receiveCode(bed, ada.email);
      const [confirmed, verified] = await Promise.all([
        ada.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: appCode(bed, secret) }),
        verifyCode(bed, ada.email, code),
      ]);
      assert.equal(confirmed.status, 200);
      const { session_token } = verified.body.data;
      if (session_token) assert.equal((await ada.ask('GET', '/v1/me', undefined, session_token)).status, 401);
    }
  });

  test('guessing inside a session is limited per account', async () => {
    await using bed = await startBed(engine);
    const ada = await signIn(bed);
    await enable(bed, ada);
    for (let tries = 0; tries < 10; tries += 1) {
      assert.equal((await ada.ask('POST', '/v1/auth/mfa/disable', { code: '000000' })).status, 403);
    }
    const refused = await ada.ask('POST', '/v1/auth/mfa/disable', { code: '000000' });
    assert.deepEqual([refused.status, codeOf(refused.body.error)], [429, 'too_many_attempts']);
  });
});
