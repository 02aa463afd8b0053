import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { startMailCatcher } from '../support/mail-catcher.ts';
import { openSession, receiveCode, signIn, verifyCode } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';

const requestCode = (email: string, remoteAddress = '127.0.0.1') => ({
  method: 'POST' as const,
  url: '/v1/auth/email/request',
  payload: { email },
  remoteAddress,
});

const codeOf = (error: string) => error.split(':')[0];

onEveryEngine((engine) => {
  test('a new address gets an account, and every spelling of the address gets the same one', async () => {
    await using app = await startTestApp(engine);
    const first = await verifyCode(app, 'Ada@Example.org', await receiveCode(app, 'Ada@Example.org'));
    assert.deepEqual(Object.keys(first.body.data), [
      'status',
      'mode',
      'created',
      'user_id',
      'session_token',
      'mfa_token',
      'methods',
    ]);
    assert.deepEqual(
      [first.body.data.status, first.body.data.mode, first.body.data.created],
      ['authenticated', 'register', true],
    );
    assert.match(first.body.data.session_token, /^st_[\w-]{43}$/);
    const again = await verifyCode(app, '  ADA@example.ORG ', await receiveCode(app, 'ada@EXAMPLE.org'));
    assert.deepEqual([again.body.data.mode, again.body.data.created], ['login', false]);
    assert.equal(again.body.data.user_id, first.body.data.user_id);
    const accent = await signIn(app, 'zoé@exämple.org');
    const spelledOtherwise = await signIn(app, 'ZOE\u0301@XN--EXMPLE-CUA.ORG');
    assert.equal(accent.userId, spelledOtherwise.userId);
  });

  test('a code works once, and only the newest one', async () => {
    await using app = await startTestApp(engine);
    const email = 'ada@example.org';
    const old = await receiveCode(app, email);
    const newest = await receiveCode(app, email);
    if (old !== newest) assert.equal((await verifyCode(app, email, old)).status, 401);
    assert.equal((await verifyCode(app, email, ` ${newest.slice(0, 3)} ${newest.slice(3)} `)).status, 200);
    const replayed = await verifyCode(app, email, newest);
    assert.deepEqual([replayed.status, codeOf(replayed.body.error)], [401, 'wrong_code']);
    assert.match(String(replayed.headers['www-authenticate']), /^Bearer/);
  });

  test('a code is refused at the sixth try and after ten minutes', async () => {
    await using app = await startTestApp(engine);
    const email = 'ada@example.org';
    const code = await receiveCode(app, email);
    const wrong = code === '000000' ? '000001' : '000000';
    for (let tries = 0; tries < 5; tries += 1) assert.equal((await verifyCode(app, email, wrong)).status, 401);
    assert.equal((await verifyCode(app, email, code)).status, 401);
    const late = await receiveCode(app, email);
    await app.clock.advance('10m');
    assert.equal((await verifyCode(app, email, late)).status, 401);
    const inTime = await receiveCode(app, email);
    await app.clock.advance('599s');
    assert.equal((await verifyCode(app, email, inTime)).status, 200);
  });

  test('of several concurrent verifications of one code, exactly one gets a session', async () => {
    await using app = await startTestApp(engine);
    const email = 'ada@example.org';
    const code = await receiveCode(app, email);
    const answers = await Promise.all(Array.from({ length: 5 }, () => verifyCode(app, email, code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401]);
    const sessions = await app.db.selectFrom('sessions').selectAll().execute();
    assert.equal(sessions.length, 1);
  });

  test('no answer reveals whether an address has an account', async () => {
    await using app = await startTestApp(engine);
    await signIn(app, 'known@example.org');
    const request = async (email: string) => app.ask(requestCode(email));
    const [known, unknown] = [await request('known@example.org'), await request('unknown@example.org')];
    assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
    const [wrongKnown, wrongUnknown, wrongNever] = [
      await verifyCode(app, 'known@example.org', 'nonsense'),
      await verifyCode(app, 'unknown@example.org', 'nonsense'),
      await verifyCode(app, 'never-asked@example.org', 'nonsense'),
    ];
    assert.deepEqual(wrongKnown.body, wrongUnknown.body);
    assert.deepEqual(wrongKnown.body, wrongNever.body);
  });

  test('code requests are limited per email address, and the limit ends after 15 minutes', async () => {
    await using app = await startTestApp(engine);
    for (let count = 0; count < 10; count += 1) {
      assert.equal((await app.ask(requestCode('ada@example.org', `10.0.0.${count}`))).status, 200);
    }
    const refused = await app.ask(requestCode('ADA@example.org', '10.0.0.99'));
    assert.deepEqual(
      [refused.status, codeOf(refused.body.error), refused.headers['retry-after']],
      [429, 'too_many_requests', '900'],
    );
    assert.equal((await app.ask(requestCode('bob@example.org', '10.0.0.99'))).status, 200);
    await app.clock.advance('15m');
    assert.equal((await app.ask(requestCode('ada@example.org'))).status, 200);
  });

  test('wrong proofs are limited per account across its codes, and right ones do not count', async () => {
    await using app = await startTestApp(engine);
    const email = 'ada@example.org';
    for (let count = 0; count < 12; count += 1) {
      assert.equal((await verifyCode(app, email, await receiveCodeLater(count))).status, 200);
    }
    for (let count = 0; count < 10; count += 1) assert.equal((await verifyCode(app, email, 'wrong')).status, 401);
    const code = await receiveCode(app, email);
    const refused = await verifyCode(app, email, code);
    assert.deepEqual([refused.status, codeOf(refused.body.error)], [429, 'too_many_attempts']);
    assert.ok(Number(refused.headers['retry-after']) > 0);

    async function receiveCodeLater(count: number): Promise<string> {
      if (count % 6 === 0) await app.clock.advance('15m');
      return receiveCode(app, email);
    }
  });

  test('wrong proofs are limited per network across accounts, and an IPv6 /64 is one network', async () => {
    await using app = await startTestApp(engine);
    const guess = (index: number, remoteAddress: string) =>
      app.ask({
        method: 'POST',
        url: '/v1/auth/email/verify',
        remoteAddress,
        payload: { email: `victim-${index}@example.org`, code: '123456' },
      });
    for (let index = 0; index < 100; index += 1) {
      assert.equal((await guess(index, `2001:db8:0:1::${index.toString(16)}`)).status, 401);
    }
    assert.equal((await guess(100, '2001:db8::1:aaaa:bbbb:cccc:dddd')).status, 429);
    assert.equal((await guess(101, '2001:db8:0:2::1')).status, 401);
  });

  test('the limit of wrong proofs holds across processes and restarts', async () => {
    const database = await createDatabase(engine);
    const options = { databaseUrl: database.url };
    const first = await startTestApp(engine, options);
    for (let count = 0; count < 10; count += 1) await verifyCode(first, 'ada@example.org', 'wrong');
    if (engine === 'sqlite') await first.close();
    const second = await startTestApp(engine, { ...options, clock: first.clock });
    assert.equal((await verifyCode(second, 'ada@example.org', 'wrong')).status, 429);
    await second.close();
    if (engine === 'postgres') await first.close();
    await database.drop();
  });

  test('a session lasts 90 days after the last day of use, and is extended at most once a day', async () => {
    await using app = await startTestApp(engine);
    const person = await signIn(app);
    const expiry = async () => (await person.ask('GET', '/v1/auth/sessions')).body.data[0].expires_at;
    const first = await expiry();
    await app.clock.advance('23h');
    assert.equal(await expiry(), first);
    await app.clock.advance('1h');
    assert.equal(new Date(await expiry()).getTime() - new Date(first).getTime(), 86_400_000);
    await app.clock.advance('89d');
    assert.equal((await person.ask('GET', '/v1/me')).status, 200);
    await app.clock.advance('90d');
    assert.equal((await person.ask('GET', '/v1/me')).status, 401);
  });

  test('an account has at most 100 sessions: a sign-in beyond that ends the one that was unused for longest', async () => {
    await using app = await startTestApp(engine);
    const phone = await signIn(app);
    await app.clock.advance('1h');
    for (let index = 0; index < 99; index += 1) await openSession(app, phone.userId);
    await app.clock.advance('2d');
    const count = async () => (await phone.ask('GET', '/v1/auth/sessions')).body.data.length;
    // The phone has the oldest session, and is in use.
    assert.equal(await count(), 100);
    const laptop = await signIn(app, phone.email);
    assert.equal(await count(), 100);
    assert.equal((await laptop.ask('GET', '/v1/me')).status, 200);
  });

  test('sessions are listed without their tokens, revoked one by one, and only by their owner', async () => {
    await using app = await startTestApp(engine);
    const phone = await signIn(app, 'ada@example.org');
    await app.clock.advance('1s');
    const laptop = await signIn(app, 'ada@example.org');
    const stranger = await signIn(app);
    const { body } = await laptop.ask('GET', '/v1/auth/sessions');
    assert.equal(body.data.length, 2);
    for (const session of body.data) assert.deepEqual(Object.keys(session), ['id', 'created_at', 'expires_at']);
    const phoneSession = body.data[1].id;
    const theft = await stranger.ask('DELETE', `/v1/auth/sessions/${phoneSession}`);
    assert.deepEqual([theft.status, codeOf(theft.body.error)], [404, 'not_found']);
    assert.equal((await phone.ask('GET', '/v1/me')).status, 200);
    assert.equal((await laptop.ask('DELETE', `/v1/auth/sessions/${phoneSession}`)).status, 200);
    assert.equal((await phone.ask('GET', '/v1/me')).status, 401);
    assert.equal((await laptop.ask('DELETE', '/v1/auth/session')).status, 200);
    assert.equal((await laptop.ask('GET', '/v1/me')).status, 401);
  });
});

onlyOn('sqlite', () => {
  test('the mail contains the code in its subject, its text and its HTML', async () => {
    await using mail = await startMailCatcher();
    await using app = await startTestApp('sqlite', {
      settings: { SMTP_URL: mail.url, MAIL_FROM: 'Crescendo <c@example.org>' },
    });
    assert.equal((await app.ask(requestCode('ada@example.org'))).status, 200);
    const { raw, from, to } = await mail.next();
    assert.deepEqual([from, to], ['c@example.org', ['ada@example.org']]);
    const code = /^Subject: (\d{6}) is your Crescendo sign-in code/m.exec(raw)?.[1];
    assert.ok(code);
    assert.match(raw, /multipart\/alternative/);
    assert.equal(raw.split(code).length - 1, 3);
    assert.equal((await verifyCode(app, 'ada@example.org', code)).status, 200);
  });

  test('if the mail server refuses or is unreachable, the answer is 503', async () => {
    await using mail = await startMailCatcher();
    await using app = await startTestApp('sqlite', { settings: { SMTP_URL: mail.url } });
    mail.refuseWith(554);
    const refused = await app.ask(requestCode('ada@example.org'));
    assert.deepEqual([refused.status, codeOf(refused.body.error)], [503, 'mail_unavailable']);
    assert.ok(refused.headers['retry-after']);
    await using dead = await startTestApp('sqlite', { settings: { SMTP_URL: 'smtp://127.0.0.1:1' } });
    assert.equal((await dead.ask(requestCode('ada@example.org'))).status, 503);
  });

  test('a temporary refusal of the mail server is retried', async () => {
    await using mail = await startMailCatcher();
    await using app = await startTestApp('sqlite', { settings: { SMTP_URL: mail.url } });
    mail.refuseWith(451, 1);
    assert.equal((await app.ask(requestCode('ada@example.org'))).status, 200);
    assert.equal(mail.mails.length, 1);
  });

  test('an invalid address is refused before any mail is sent', async () => {
    await using app = await startTestApp('sqlite');
    const invalid = [
      '',
      'ada',
      '@example.org',
      'ada@',
      'a@b@c',
      'ada @example.org',
      'ada@exa mple.org',
      'a\r\nBcc: b@c.d@example.org',
    ];
    for (const email of [
      ...invalid,
      'ada@example.org, bob@example.org',
      '<ada@example.org>',
      `${'a'.repeat(400)}@example.org`,
    ]) {
      const { status } = await app.ask(requestCode(email));
      assert.equal(status, 422, email);
    }
    assert.equal(app.printed.length, 0);
  });

  test('x-forwarded-for counts only as far as TRUST_PROXY says', async () => {
    const guess = {
      method: 'POST' as const,
      url: '/v1/auth/email/verify',
      payload: { email: 'a@example.org', code: '1' },
    };
    const addressIn = async (settings: Record<string, string>) => {
      await using app = await startTestApp('sqlite', { settings });
      await app.ask({ ...guess, headers: { 'x-forwarded-for': '203.0.113.9, 198.51.100.1' } });
      return app.log.find(({ audit }) => audit === 'sign_in')?.address;
    };
    assert.equal(await addressIn({}), '127.0.0.1');
    assert.equal(await addressIn({ TRUST_PROXY: '1' }), '198.51.100.1');
    assert.equal(await addressIn({ TRUST_PROXY: '127.0.0.1' }), '198.51.100.1');
    assert.equal(await addressIn({ TRUST_PROXY: '2' }), '203.0.113.9');
  });
});
