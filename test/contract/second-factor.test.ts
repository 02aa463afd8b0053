import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateSync } from 'otplib';
import { onEveryEngine } from '../support/engines.ts';
import {
  createPerson,
  openSession,
  type Person,
  personWith,
  receiveCode,
  signIn,
  verifyCode,
} from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

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

const verification = (mfa_token: string, code: string) => ({
  method: 'POST' as const,
  url: '/v1/auth/mfa/verify',
  payload: { mfa_token, code },
});

const verify = (app: TestApp, mfa_token: string, code: string) => app.ask(verification(mfa_token, code));

/** One wrong TOTP code from each of the networks, with five codes to a challenge. */
async function guessFrom(app: TestApp, email: string, networks: readonly string[]) {
  const statuses: number[] = [];
  let token = '';
  for (const [index, remoteAddress] of networks.entries()) {
    if (index % 5 === 0) token = await challenge(app, email);
    statuses.push((await app.ask({ ...verification(token, '000000'), remoteAddress })).status);
  }
  const count = (status: number) => statuses.filter((answer) => answer === status).length;
  return { compared: count(401), refused: count(429) };
}

const codeOf = (error: string) => error.split(':')[0];

onEveryEngine((engine, it) => {
  it('enrolling leaves the second factor off; a current code turns it on, returns ten recovery codes and ends other sessions', async () => {
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

  it('with a second factor, the first proof alone gives no session and does not reveal the user id', async () => {
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

  it('neither a code nor an mfa_token works twice', async () => {
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

  it('a TOTP code one step early or late is accepted, two steps are not', async () => {
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

  it('an mfa_token is refused at the sixth try and after five minutes', async () => {
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

  it('a recovery code works once, with or without hyphens, in any case', async () => {
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

  test('of two concurrent uses of one recovery code or of one mfa_token, exactly one succeeds', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const { recoveryCodes } = await enable(app, ada);
    const tokens = [await challenge(app, ada.email), await challenge(app, ada.email)];
    const [code = '', ...others] = recoveryCodes;
    const byCode = await Promise.all(tokens.map((token) => verify(app, token, code)));
    const token = await challenge(app, ada.email);
    const byToken = await Promise.all(others.slice(0, 2).map((other) => verify(app, token, other)));
    for (const answers of [byCode, byToken]) assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401]);
  });

  it('turning the second factor off needs a valid code; a wrong one is answered with 403', async () => {
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

  it('off and on again within one time step, the codes of the new secret are unused, and each works once', async () => {
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

  it('a step that was spent with an earlier secret does not count against a new enrolment', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app);
    const last_step = Math.floor(app.clock.now().getTime() / 30_000) + 1;
    await app.db.insertInto('totp_steps').values({ user_id: ada.userId, purpose: 'confirm', last_step }).execute();
    await enable(app, ada);
  });

  it('only a current code of the newest enrolment confirms it', async () => {
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

  it('an old session cannot enrol a second factor, and a new sign-in can', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    await app.clock.advance('15m');
    assert.equal((await ada.ask('POST', '/v1/auth/mfa/enroll')).status, 200);
    await app.clock.advance('1s');
    for (let round = 0; round < 2; round += 1) {
      const { status, body } = await ada.ask('POST', '/v1/auth/mfa/enroll');
      assert.deepEqual([status, codeOf(body.error)], [403, 'recent_sign_in_required']);
      // Using a session extends it, which is no new proof.
      await app.clock.advance('1d');
    }
    const fresh = await signIn(app, ada.email);
    const { secret } = await enable(app, fresh);
    // Turning it off needs a code instead, and a new access token is reported by mail.
    await app.clock.advance('1h');
    assert.equal((await fresh.ask('POST', '/v1/tokens', {})).status, 200);
    assert.equal((await fresh.ask('POST', '/v1/auth/mfa/disable', { code: appCode(app, secret) })).status, 200);
  });

  it('a person with the first factor can guess 100 codes a day from new networks, and never refuses the owner', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const { secret, recoveryCodes } = await enable(app, ada);
    const guess = async (from: string, code: string) =>
      app.ask({ ...verification(await challenge(app, ada.email), code), remoteAddress: from });
    const networks = Array.from({ length: 104 }, (_, index) => `10.${index}.0.1`);
    assert.deepEqual(await guessFrom(app, ada.email, networks), { compared: 100, refused: 4 });
    const abroad = await guess('10.200.0.1', appCode(app, secret));
    assert.deepEqual([abroad.status, codeOf(abroad.body.error)], [429, 'too_many_attempts']);
    // The owner: with the app from a network of an earlier sign-in, and with a recovery code from anywhere.
    assert.equal((await guess('127.0.0.1', appCode(app, secret))).status, 200);
    assert.equal((await guess('10.201.0.1', recoveryCodes[0] ?? '')).status, 200);
    await app.clock.advance('1m');
    assert.equal((await guess('10.201.0.1', appCode(app, secret))).status, 200, 'the network is known now');
  });

  it('from a network of an earlier sign-in, 10 codes in a quarter of an hour and 50 a day can be guessed', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const { secret } = await enable(app, ada);
    const guesses = Array<string>(12).fill('127.0.0.1');
    for (const compared of [10, 10, 10, 10, 10, 0]) {
      assert.deepEqual(await guessFrom(app, ada.email, guesses), { compared, refused: 12 - compared });
      await app.clock.advance('15m');
    }
    await app.clock.advance('1d');
    assert.equal((await verify(app, await challenge(app, ada.email), appCode(app, secret))).status, 200);
  });

  it('wrong codes within a session are limited, and guesses with a stolen one do not refuse the owner in another', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const { secret } = await enable(app, ada);
    const stolen = personWith(app, ada.email, ada.userId, await openSession(app, ada.userId));
    const guess = () => stolen.ask('POST', '/v1/auth/mfa/disable', { code: '000000' });
    for (let tries = 0; tries < 10; tries += 1) assert.equal((await guess()).status, 403);
    const refused = await guess();
    assert.deepEqual([refused.status, codeOf(refused.body.error)], [429, 'too_many_attempts']);
    assert.equal((await ada.ask('POST', '/v1/auth/mfa/disable', { code: appCode(app, secret) })).status, 200);
  });

  it('the owner is told by mail of every change of the second factor, and of recovery codes and tokens', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    await ada.ask('PATCH', '/v1/me', { timezone: 'Europe/Amsterdam' });
    const notices = () => app.printed.filter((text) => text.includes('If this was not you'));
    const told = async (count: number) => {
      await waitUntil(() => notices().length === count);
      return notices().at(-1) ?? '';
    };
    const { secret, recoveryCodes } = await enable(app, ada);
    assert.match(await told(1), /Mail to ada@example\.org .*\nThe second factor of your Crescendo account is on/);
    assert.match(notices()[0] ?? '', /When: 2 March 2026 at 10:00 \(Europe\/Amsterdam\)/);
    assert.equal((await verify(app, await challenge(app, ada.email), recoveryCodes[0] ?? '')).status, 200);
    assert.match(await told(2), /Recovery codes left: 9\./);
    await app.db.deleteFrom('recovery_codes').where('user_id', '=', ada.userId).execute();
    await app.clock.advance('1m');
    assert.equal((await verify(app, await challenge(app, ada.email), appCode(app, secret))).status, 200);
    const guess = async () => {
      const token = await challenge(app, ada.email);
      for (let tries = 0; tries < 5; tries += 1) await verify(app, token, '000000');
    };
    await guess();
    assert.match(await told(3), /5 wrong codes for the second factor were entered today/);
    await guess();
    assert.match(await told(4), /10 wrong codes for the second factor were entered today/);
    const name = 'Call https://evil.test/now \u202e or\r\nBcc: x@y.z, you have won a prize';
    assert.equal((await ada.ask('POST', '/v1/tokens', { name })).status, 200);
    assert.match(await told(5), /named “Call https evil test now or Bcc x y z,…”/);
    assert.match(notices()[4] ?? '', /Where: a session without a name, signed in on 2 March 2026 at 10:00/);
    assert.match(notices()[4] ?? '', /Sign out everywhere: \S+\/app\/settings\/access\n/);
    await app.clock.advance('1m');
    assert.equal((await ada.ask('POST', '/v1/auth/mfa/disable', { code: appCode(app, secret) })).status, 200);
    assert.match(await told(6), /is off/);
    for (let count = 0; count < 12; count += 1) await ada.ask('POST', '/v1/tokens', {});
    await enable(app, ada);
    assert.match(await told(6 + 9 + 1), /is on/, 'ten mails of a kind a day');
  });

  it('who has three recovery codes left is told how to get new ones, and who has none is asked for none', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app, 'ada@example.org');
    const { recoveryCodes } = await enable(app, ada);
    const mailAbout = async (left: number) => {
      const find = () => app.printed.find((text) => text.includes(`Recovery codes left: ${left}.`));
      await waitUntil(() => find() !== undefined);
      return find() ?? '';
    };
    for (const [index, code] of recoveryCodes.slice(0, 7).entries()) {
      assert.equal((await verify(app, await challenge(app, ada.email), code)).status, 200);
      const left = 9 - index;
      assert.equal((await mailAbout(left)).includes('For new ones'), left <= 3, `${left}`);
    }
    await app.db.deleteFrom('recovery_codes').execute();
    const { body } = await verifyCode(app, ada.email, await receiveCode(app, ada.email));
    assert.deepEqual(body.data.methods, ['totp']);
  });

  it('a mail server that refuses does not refuse the change', async () => {
    await using app = await startTestApp(engine, { settings: { SMTP_URL: 'smtp://127.0.0.1:1' } });
    const ada = await createPerson(app);
    assert.equal((await ada.ask('POST', '/v1/tokens', {})).status, 200);
    await waitUntil(() => app.log.some(({ msg }) => msg === 'a mail could not be sent'));
  });
});
