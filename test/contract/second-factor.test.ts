import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateSync } from 'otplib';
import { onEveryEngine } from '../support/engines.ts';
import { type Person, personWith, receiveCode, signIn, verifyCode } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** The code that an authenticator app would show, computed by another library than the service uses. */
const appCode = (app: TestApp, secret: string, steps = 0) =>
  generateSync({ secret, epoch: Math.floor(app.clock.now().getTime() / 1_000) + steps * 30 });

async function enable(app: TestApp, person: Person): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { body } = await person.ask('POST', '/v1/auth/mfa/enroll');
  const { secret } = body.data;
  const confirmed = await person.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: appCode(app, secret) });
  assert.equal(confirmed.status, 200, JSON.stringify(confirmed.body));
  return { secret, recoveryCodes: confirmed.body.data.recovery_codes };
}

async function challenge(app: TestApp, email: string): Promise<string> {
  const { body } = await verifyCode(app, email, await receiveCode(app, email));
  assert.equal(body.data.status, 'mfa_required');
  return body.data.mfa_token;
}

const verify = (app: TestApp, mfa_token: string, code: string) =>
  app.ask({ method: 'POST', url: '/v1/auth/mfa/verify', payload: { mfa_token, code } });

const codeOf = (error: string) => error.split(':')[0];

onEveryEngine((engine) => {
  test('enrolling leaves the second factor off; a current code turns it on, returns ten recovery codes and ends other sessions', async () => {
    await using app = await startTestApp(engine);
    const elsewhere = await signIn(app, 'ada@example.org');
    const ada = await signIn(app, 'ada@example.org');
    const enrolment = await ada.ask('POST', '/v1/auth/mfa/enroll');
    const uri = new URL(enrolment.body.data.otpauth_uri);
    assert.equal(uri.protocol, 'otpauth:');
    assert.equal(uri.searchParams.get('secret'), enrolment.body.data.secret);
    assert.equal(uri.searchParams.get('issuer'), 'Crescendo');
    assert.match(decodeURIComponent(uri.pathname), /Crescendo:ada@example\.org$/);
    assert.deepEqual((await ada.ask('GET', '/v1/auth/mfa')).body.data, { enabled: false, recovery_codes_remaining: 0 });
    assert.equal((await signIn(app, 'ada@example.org')).userId, ada.userId);

    const { recoveryCodes } = await enable(app, ada);
    assert.equal(recoveryCodes.length, 10);
    assert.equal(new Set(recoveryCodes).size, 10);
    assert.deepEqual((await ada.ask('GET', '/v1/auth/mfa')).body.data, { enabled: true, recovery_codes_remaining: 10 });
    assert.equal((await ada.ask('GET', '/v1/me')).body.data.mfa_enabled, true);
    assert.equal((await elsewhere.ask('GET', '/v1/me')).status, 401);
    const again = await ada.ask('POST', '/v1/auth/mfa/enroll');
    assert.deepEqual([again.status, codeOf(again.body.error)], [409, 'mfa_already_enabled']);
  });

  test('with a second factor, the first proof alone gives no session and does not reveal the user id', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const { secret } = await enable(app, ada);
    const { body } = await verifyCode(app, ada.email, await receiveCode(app, ada.email));
    assert.deepEqual(
      { ...body.data, mfa_token: typeof body.data.mfa_token },
      {
        status: 'mfa_required',
        mode: 'login',
        created: false,
        user_id: null,
        session_token: null,
        mfa_token: 'string',
        methods: ['totp', 'recovery_code'],
      },
    );
    assert.equal((await ada.ask('GET', '/v1/me', undefined, body.data.mfa_token)).status, 401);
    const done = await verify(app, body.data.mfa_token, appCode(app, secret));
    assert.deepEqual([done.status, done.body.data.status, done.body.data.user_id], [200, 'authenticated', ada.userId]);
    const session = personWith(app, ada.email, ada.userId, done.body.data.session_token);
    assert.equal((await session.ask('GET', '/v1/me')).status, 200);
  });

  test('neither a code nor an mfa_token works twice', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const { secret } = await enable(app, ada);
    const first = await challenge(app, ada.email);
    const code = appCode(app, secret);
    assert.equal((await verify(app, first, code)).status, 200);
    const replayedToken = await verify(app, first, appCode(app, secret, 1));
    assert.deepEqual([replayedToken.status, codeOf(replayedToken.body.error)], [401, 'sign_in_expired']);
    const second = await challenge(app, ada.email);
    const replayedCode = await verify(app, second, code);
    assert.deepEqual([replayedCode.status, codeOf(replayedCode.body.error)], [401, 'wrong_code']);
    const older = await verify(app, second, appCode(app, secret, -1));
    assert.equal(older.status, 401);
    assert.equal((await verify(app, second, appCode(app, secret, 1))).status, 200);
  });

  test('a TOTP code one step early or late is accepted, two steps are not', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const { secret } = await enable(app, ada);
    for (const [steps, status] of [
      [-2, 401],
      [2, 401],
      [-1, 200],
      [0, 200],
      [1, 200],
    ] as const) {
      assert.equal(
        (await verify(app, await challenge(app, ada.email), appCode(app, secret, steps))).status,
        status,
        `${steps}`,
      );
    }
  });

  test('an mfa_token is refused at the sixth try and after five minutes', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const { secret } = await enable(app, ada);
    const tried = await challenge(app, ada.email);
    for (let tries = 0; tries < 5; tries += 1) assert.equal((await verify(app, tried, '000000')).status, 401);
    const sixth = await verify(app, tried, appCode(app, secret));
    assert.deepEqual([sixth.status, codeOf(sixth.body.error)], [401, 'sign_in_expired']);
    const late = await challenge(app, ada.email);
    await app.clock.advance('5m');
    assert.equal((await verify(app, late, appCode(app, secret))).status, 401);
  });

  test('a recovery code works once, with or without hyphens, in any case', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const { recoveryCodes } = await enable(app, ada);
    const [first = '', second = '', third = ''] = recoveryCodes;
    assert.equal((await verify(app, await challenge(app, ada.email), first)).status, 200);
    assert.equal((await verify(app, await challenge(app, ada.email), first)).status, 401);
    assert.equal(
      (await verify(app, await challenge(app, ada.email), ` ${second.toLowerCase().replaceAll('-', ' ')} `)).status,
      200,
    );
    assert.equal((await verify(app, await challenge(app, ada.email), third.replaceAll('-', ''))).status, 200);
    assert.equal((await ada.ask('GET', '/v1/auth/mfa')).body.data.recovery_codes_remaining, 7);
  });

  test('of two concurrent uses of one recovery code, exactly one succeeds', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const { recoveryCodes } = await enable(app, ada);
    const tokens = [await challenge(app, ada.email), await challenge(app, ada.email)];
    const answers = await Promise.all(tokens.map((token) => verify(app, token, recoveryCodes[0] ?? '')));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  });

  test('of two concurrent uses of one mfa_token, exactly one gets a session', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const { recoveryCodes } = await enable(app, ada);
    const token = await challenge(app, ada.email);
    const answers = await Promise.all(recoveryCodes.slice(0, 2).map((code) => verify(app, token, code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  });

  test('turning the second factor off needs a valid code; a wrong one is answered with 403', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const off = await ada.ask('POST', '/v1/auth/mfa/disable', { code: '123456' });
    assert.deepEqual([off.status, codeOf(off.body.error)], [409, 'mfa_not_enabled']);
    const { secret, recoveryCodes } = await enable(app, ada);
    const wrong = await ada.ask('POST', '/v1/auth/mfa/disable', { code: '000000' });
    assert.deepEqual([wrong.status, codeOf(wrong.body.error)], [403, 'wrong_second_factor']);
    const right = await ada.ask('POST', '/v1/auth/mfa/disable', { code: appCode(app, secret) });
    assert.deepEqual([right.status, right.body.data], [200, { enabled: false, recovery_codes_remaining: 0 }]);
    assert.equal((await signIn(app, ada.email)).userId, ada.userId);
    await app.clock.advance('1m');
    await enable(app, ada);
    assert.equal((await ada.ask('POST', '/v1/auth/mfa/disable', { code: recoveryCodes[0] ?? '' })).status, 403);
  });

  test('off and on again within one time step, the codes of the new secret are unused, and each works once', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const turnOff = (code: string) => ada.ask('POST', '/v1/auth/mfa/disable', { code });
    for (let round = 0; round < 2; round += 1) {
      const { secret } = await enable(app, ada);
      const code = appCode(app, secret);
      assert.equal((await verify(app, await challenge(app, ada.email), code)).status, 200);
      assert.equal((await verify(app, await challenge(app, ada.email), code)).status, 401);
      assert.equal((await turnOff(code)).status, 200);
      assert.deepEqual(await app.db.selectFrom('totp_steps').selectAll().execute(), []);
    }
  });

  test('a step that was spent with an earlier secret does not count against a new enrolment', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app);
    const last_step = Math.floor(app.clock.now().getTime() / 30_000) + 1;
    await app.db.insertInto('totp_steps').values({ user_id: ada.userId, purpose: 'confirm', last_step }).execute();
    await enable(app, ada);
  });

  test('only a current code of the newest enrolment confirms it', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app);
    const early = await ada.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: '123456' });
    assert.deepEqual([early.status, codeOf(early.body.error)], [409, 'mfa_not_enrolled']);
    const old = (await ada.ask('POST', '/v1/auth/mfa/enroll')).body.data.secret;
    const current = (await ada.ask('POST', '/v1/auth/mfa/enroll')).body.data.secret;
    const stale = await ada.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: appCode(app, old) });
    assert.equal(stale.status, 403);
    const live = await ada.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: appCode(app, current) });
    assert.equal(live.status, 200);
  });

  test('a sign-in concurrent with turning the second factor on never leaves a session without it', async () => {
    await using app = await startTestApp(engine);
    for (let round = 0; round < 8; round += 1) {
      await app.clock.advance('1h');
      const ada = await signIn(app);
      const { secret } = (await ada.ask('POST', '/v1/auth/mfa/enroll')).body.data;
      const code = await receiveCode(app, ada.email);
      const [confirmed, verified] = await Promise.all([
        ada.ask('POST', '/v1/auth/mfa/enroll/confirm', { code: appCode(app, secret) }),
        verifyCode(app, ada.email, code),
      ]);
      assert.equal(confirmed.status, 200);
      const { session_token } = verified.body.data;
      if (session_token) assert.equal((await ada.ask('GET', '/v1/me', undefined, session_token)).status, 401);
    }
  });

  test('wrong codes within a session are limited per account', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app);
    await enable(app, ada);
    for (let tries = 0; tries < 10; tries += 1) {
      assert.equal((await ada.ask('POST', '/v1/auth/mfa/disable', { code: '000000' })).status, 403);
    }
    const refused = await ada.ask('POST', '/v1/auth/mfa/disable', { code: '000000' });
    assert.deepEqual([refused.status, codeOf(refused.body.error)], [429, 'too_many_attempts']);
  });
});
