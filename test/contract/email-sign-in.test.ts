import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startBed } from '../support/bed.ts';
import { createDatabase, onEveryEngine, onlyOn } from '../support/engines.ts';
import { startMailCatcher } from '../support/mail-catcher.ts';
import { receiveCode, signIn, verifyCode } from '../support/people.ts';

const requestCode = (email: string, remoteAddress = '127.0.0.1') => ({
  ...{ method: 'POST' as const, url: '/v1/auth/email/request', payload: { email }, remoteAddress },
});

const codeOf = (error: string) => error.split(':')[0];

onEveryEngine((engine) => {
  test('a new address gets an account, the same address gets the same one, however it is written', async () => {
    await using bed = await startBed(engine);
    const first = await verifyCode(bed, 'Ada@Example.org', await receiveCode(bed, 'Ada@Example.org'));
    assert.deepEqual(Object.keys(first.body.data), [
      ...['status', 'mode', 'created', 'user_id', 'session_token', 'mfa_token', 'methods'],
    ]);
    assert.deepEqual(
      [first.body.data.status, first.body.data.mode, first.body.data.created],
      ['authenticated', 'register', true],
    );
    assert.match(first.body.data.session_token, /^st_[\w-]{43}$/);
    const again = await verifyCode(bed, '  ADA@example.ORG ', await receiveCode(bed, 'ada@EXAMPLE.org'));
    assert.deepEqual([again.body.data.mode, again.body.data.created], ['login', false]);
    assert.equal(again.body.data.user_id, first.body.data.user_id);
    const accent = await signIn(bed, 'zoé@exämple.org');
    const spelledOtherwise = await signIn(bed, 'ZOE\u0301@XN--EXMPLE-CUA.ORG');
    assert.equal(accent.userId, spelledOtherwise.userId);
  });

  test('a code works once, and only the newest one', async () => {
    await using bed = await startBed(engine);
    const email = 'ada@example.org';
    const old = await receiveCode(bed, email);
    const newest = await receiveCode(bed, email);
    if (old !== newest) assert.equal((await verifyCode(bed, email, old)).status, 401);
    assert.equal((await verifyCode(bed, email, ` ${newest.slice(0, 3)} ${newest.slice(3)} `)).status, 200);
    const replayed = await verifyCode(bed, email, newest);
    assert.deepEqual([replayed.status, codeOf(replayed.body.error)], [401, 'wrong_code']);
    assert.match(String(replayed.headers['www-authenticate']), /^Bearer/);
  });

  test('the sixth try finds the code dead, and so does one after ten minutes', async () => {
    await using bed = await startBed(engine);
    const email = 'ada@example.org';
    const code = await receiveCode(bed, email);
    const wrong = code === '000000' ? '000001' : '000000';
    for (let tries = 0; tries < 5; tries += 1) assert.equal((await verifyCode(bed, email, wrong)).status, 401);
    assert.equal((await verifyCode(bed, email, code)).status, 401);
    const late = await receiveCode(bed, email);
    await bed.clock.advance('10m');
    assert.equal((await verifyCode(bed, email, late)).status, 401);
    const inTime = await receiveCode(bed, email);
    await bed.clock.advance('599s');
    assert.equal((await verifyCode(bed, email, inTime)).status, 200);
  });

  test('of many verifications of one code at the same instant, exactly one gets a session', async () => {
    await using bed = await startBed(engine);
    const email = 'ada@example.org';
    const code = await receiveCode(bed, email);
    const answers = await Promise.all(Array.from({ length: 5 }, () => verifyCode(bed, email, code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401]);
    const sessions = await bed.db.selectFrom('sessions').selectAll().execute();
    assert.equal(sessions.length, 1);
  });

  test('no answer tells whether an address has an account', async () => {
    await using bed = await startBed(engine);
    await signIn(bed, 'known@example.org');
    const request = async (email: string) => bed.ask(requestCode(email));
    const [known, unknown] = [await request('known@example.org'), await request('unknown@example.org')];
    assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
    const [wrongKnown, wrongUnknown, wrongNever] = [
      await verifyCode(bed, 'known@example.org', 'nonsense'),
      await verifyCode(bed, 'unknown@example.org', 'nonsense'),
      await verifyCode(bed, 'never-asked@example.org', 'nonsense'),
    ];
    assert.deepEqual(wrongKnown.body, wrongUnknown.body);
    assert.deepEqual(wrongKnown.body, wrongNever.body);
  });

  test('codes are limited per address book entry and per network, and the limit ends', async () => {
    await using bed = await startBed(engine);
    for (let count = 0; count < 10; count += 1) {
      assert.equal((await bed.ask(requestCode('ada@example.org', `10.0.0.${count}`))).status, 200);
    }
    const refused = await bed.ask(requestCode('ADA@example.org', '10.0.0.99'));
    assert.deepEqual(
      [refused.status, codeOf(refused.body.error), refused.headers['retry-after']],
      [429, 'too_many_requests', '900'],
    );
    assert.equal((await bed.ask(requestCode('bob@example.org', '10.0.0.99'))).status, 200);
    await bed.clock.advance('15m');
    assert.equal((await bed.ask(requestCode('ada@example.org'))).status, 200);
  });

  test('wrong proofs are limited per account across its codes, and right ones do not count', async () => {
    await using bed = await startBed(engine);
    const email = 'ada@example.org';
    for (let count = 0; count < 12; count += 1) {
      assert.equal((await verifyCode(bed, email, await receiveCodeLater(count))).status, 200);
    }
    for (let count = 0; count < 10; count += 1) assert.equal((await verifyCode(bed, email, 'wrong')).status, 401);
    const code = await receiveCode(bed, email);
    const refused = await verifyCode(bed, email, code);
    assert.deepEqual([refused.status, codeOf(refused.body.error)], [429, 'too_many_attempts']);
    assert.ok(Number(refused.headers['retry-after']) > 0);

    async function receiveCodeLater(count: number): Promise<string> {
      if (count % 6 === 0) await bed.clock.advance('15m');
      return receiveCode(bed, email);
    }
  });

  test('one network cannot guess at many accounts, even with all the addresses of an IPv6 household', async () => {
    await using bed = await startBed(engine);
    const guess = (index: number, remoteAddress: string) =>
      bed.ask({
        ...{ method: 'POST', url: '/v1/auth/email/verify', remoteAddress },
        payload: { email: `victim-${index}@example.org`, code: '123456' },
      });
    for (let index = 0; index < 100; index += 1) {
      assert.equal((await guess(index, `2001:db8:0:1::${index.toString(16)}`)).status, 401);
    }
    assert.equal((await guess(100, '2001:db8::1:aaaa:bbbb:cccc:dddd')).status, 429);
    assert.equal((await guess(101, '2001:db8:0:2::1')).status, 401);
  });

  test('a limit that guards a secret holds across processes and restarts', async () => {
    const database = await createDatabase(engine);
    const options = { databaseUrl: database.url };
    const first = await startBed(engine, options);
    for (let count = 0; count < 10; count += 1) await verifyCode(first, 'ada@example.org', 'wrong');
    if (engine === 'sqlite') await first.close();
    const second = await startBed(engine, { ...options, clock: first.clock });
    assert.equal((await verifyCode(second, 'ada@example.org', 'wrong')).status, 429);
    await second.close();
    if (engine === 'postgres') await first.close();
    await database.drop();
  });

  test('a session lasts 90 days from the last day it was used, and reading it writes at most once a day', async () => {
    await using bed = await startBed(engine);
    const person = await signIn(bed);
    const expiry = async () => (await person.ask('GET', '/v1/auth/sessions')).body.data[0].expires_at;
    const first = await expiry();
    await bed.clock.advance('23h');
    assert.equal(await expiry(), first);
    await bed.clock.advance('1h');
    assert.equal(new Date(await expiry()).getTime() - new Date(first).getTime(), 86_400_000);
    await bed.clock.advance('89d');
    assert.equal((await person.ask('GET', '/v1/me')).status, 200);
    await bed.clock.advance('90d');
    assert.equal((await person.ask('GET', '/v1/me')).status, 401);
  });

  test('sessions are listed without their tokens, revoked one by one, and only by their owner', async () => {
    await using bed = await startBed(engine);
    const phone = await signIn(bed, 'ada@example.org');
    await bed.clock.advance('1s');
    const laptop = await signIn(bed, 'ada@example.org');
    const stranger = await signIn(bed);
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
  test('the mail carries the code in its subject, as text and as HTML, and nothing else secret', async () => {
    await using mail = await startMailCatcher();
    await using bed = await startBed('sqlite', {
      settings: { SMTP_URL: mail.url, MAIL_FROM: 'Crescendo <c@example.org>' },
    });
    assert.equal((await bed.ask(requestCode('ada@example.org'))).status, 200);
    const { raw, from, to } = await mail.next();
    assert.deepEqual([from, to], ['c@example.org', ['ada@example.org']]);
    const code = /^Subject: (\d{6}) is your Crescendo sign-in code/m.exec(raw)?.[1];
    assert.ok(code);
    assert.match(raw, /multipart\/alternative/);
    assert.equal(raw.split(code).length - 1, 3);
    assert.equal((await verifyCode(bed, 'ada@example.org', code)).status, 200);
  });

  test('a mail server that refuses or is dead gives 503, never a silent success', async () => {
    await using mail = await startMailCatcher();
    await using bed = await startBed('sqlite', { settings: { SMTP_URL: mail.url } });
    mail.refuseWith(554);
    const refused = await bed.ask(requestCode('ada@example.org'));
    assert.deepEqual([refused.status, codeOf(refused.body.error)], [503, 'mail_unavailable']);
    assert.ok(refused.headers['retry-after']);
    await using dead = await startBed('sqlite', { settings: { SMTP_URL: 'smtp://127.0.0.1:1' } });
    assert.equal((await dead.ask(requestCode('ada@example.org'))).status, 503);
  });

  test('a mail server that has a bad moment is tried again', async () => {
    await using mail = await startMailCatcher();
    await using bed = await startBed('sqlite', { settings: { SMTP_URL: mail.url } });
    mail.refuseWith(451, 1);
    assert.equal((await bed.ask(requestCode('ada@example.org'))).status, 200);
    assert.equal(mail.mails.length, 1);
  });

  test('addresses that are none are refused before any mail is sent', async () => {
    await using bed = await startBed('sqlite');
    const none = [
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
      ...none,
      'ada@example.org, bob@example.org',
      '<ada@example.org>',
      `${'a'.repeat(400)}@example.org`,
    ]) {
      const { status } = await bed.ask(requestCode(email));
      assert.equal(status, 422, email);
    }
    assert.equal(bed.printed.length, 0);
  });

  test('a proxy is believed about the address only where it is configured', async () => {
    const guess = {
      method: 'POST' as const,
      url: '/v1/auth/email/verify',
      payload: { email: 'a@example.org', code: '1' },
    };
    const addressIn = async (settings: Record<string, string>) => {
      await using bed = await startBed('sqlite', { settings });
      await bed.ask({ ...guess, headers: { 'x-forwarded-for': '203.0.113.9, 198.51.100.1' } });
      return bed.log.find(({ audit }) => audit === 'sign_in')?.address;
    };
    assert.equal(await addressIn({}), '127.0.0.1');
    assert.equal(await addressIn({ TRUST_PROXY: '1' }), '198.51.100.1');
    assert.equal(await addressIn({ TRUST_PROXY: '127.0.0.1' }), '198.51.100.1');
    assert.equal(await addressIn({ TRUST_PROXY: '2' }), '203.0.113.9');
  });
});
