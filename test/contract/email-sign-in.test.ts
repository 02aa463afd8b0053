import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashToken } from '../../src/lib/secrets.ts';
import { createDatabase, onEveryEngine, onEveryEngineWith, onlyOn } from '../support/engines.ts';
import { startMailCatcher } from '../support/mail-catcher.ts';
import { openSession, receiveCode, signIn, verifyCode } from '../support/people.ts';
import { sized } from '../support/size.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';

const requestCode = (email: string, remoteAddress = '127.0.0.1') => ({
  method: 'POST' as const,
  url: '/v1/auth/email/request',
  payload: { email },
  remoteAddress,
});

const codeOf = (error: string) => error.split(':')[0];

const tokenOf = ({ headers }: Answer) => String(headers['x-sign-in-request']);

const verifyFrom = (app: TestApp, email: string, code: string, way: { from?: string; token?: string | undefined }) =>
  app.ask({
    method: 'POST',
    url: '/v1/auth/email/verify',
    payload: { email, code },
    remoteAddress: way.from ?? '127.0.0.1',
    headers: way.token === undefined ? {} : { 'x-sign-in-request': way.token },
  });

const lastCodeTo = (app: TestApp, email: string): string => {
  const mail = app.printed.findLast((text) => text.includes(`Mail to ${email} `)) ?? '';
  return (/Your sign-in code is ([\d ]+)\./.exec(mail)?.[1] ?? '').replaceAll(' ', '');
};

const longCodeTo = (app: TestApp, email: string): string => {
  const code = lastCodeTo(app, email);
  assert.equal(code.length, 16);
  return code;
};

/** Uses up the tries of a code, and sees that the right code is refused in every way that it can come. */
async function tryEveryWay(app: TestApp, email: string, from: string, token: string): Promise<void> {
  const code = lastCodeTo(app, email);
  const wrong = code === '000000' ? '000001' : '000000';
  const ways = [{ from, token }, { from }, { from: '10.255.0.1' }, { from: '10.254.0.1' }];
  for (const way of ways.slice(0, 3)) {
    for (let tries = 0; tries < 5; tries += 1) await verifyFrom(app, email, wrong, way);
  }
  for (const way of ways) assert.notEqual((await verifyFrom(app, email, code, way)).status, 200);
}

onEveryEngineWith(startTestApp, (it, test) => {
  it('a new address gets an account, and every spelling of the address gets the same one', async (app) => {
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

  it('a code works once, and only the newest one', async (app) => {
    const email = 'ada@example.org';
    const old = await receiveCode(app, email);
    const newest = await receiveCode(app, email);
    if (old !== newest) assert.equal((await verifyCode(app, email, old)).status, 401);
    assert.equal((await verifyCode(app, email, ` ${newest.slice(0, 3)} ${newest.slice(3)} `)).status, 200);
    const replayed = await verifyCode(app, email, newest);
    assert.deepEqual([replayed.status, codeOf(replayed.body.error)], [401, 'wrong_code']);
    assert.match(String(replayed.headers['www-authenticate']), /^Bearer/);
  });

  it('a code is refused at the sixth try and after ten minutes', async (app) => {
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

  test('of several concurrent verifications of one code, exactly one gets a session', async (app) => {
    const email = 'ada@example.org';
    const code = await receiveCode(app, email);
    const answers = await Promise.all(Array.from({ length: 5 }, () => verifyCode(app, email, code)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401]);
    const sessions = await app.db.selectFrom('sessions').selectAll().execute();
    assert.equal(sessions.length, 1);
  });

  it('no answer reveals whether an address has an account', async (app) => {
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

  it('a request for a code is never refused: after 30 unused codes a day they are longer, and mails fewer', async (app) => {
    const owner = await signIn(app, 'ada@example.org');
    const mailsTo = (email: string) => app.printed.filter((text) => text.includes(`Mail to ${email} `)).length;
    const before = mailsTo(owner.email);
    for (let count = 0; count < 50; count += 1) {
      const spelling = count % 2 === 0 ? 'ada@example.org' : `Ada+${count}@example.org`;
      assert.equal((await app.ask(requestCode(spelling, `10.0.0.${count}`))).status, 200);
    }
    assert.equal(app.printed.length - 1, 30 + 1, 'thirty short codes to the mailbox, and one long one');
    assert.equal(mailsTo(owner.email) - before, 15 + 1);
    assert.equal((await app.ask(requestCode('bob@example.org', '10.0.0.99'))).status, 200);
    assert.match(app.printed.at(-1) ?? '', /Your sign-in code is \d{6}\./);

    // The owner gets no mail of their own, and the code of the last mail works for them, once.
    const asked = await app.ask(requestCode('ada@example.org', '192.0.2.7'));
    assert.deepEqual(asked.body.data, { sent: true, expires_in_seconds: 300, sign_up: 'open' });
    assert.equal(mailsTo(owner.email) - before, 15 + 1);
    const code = longCodeTo(app, 'ada@example.org');
    const token = tokenOf(asked);
    assert.equal((await verifyFrom(app, 'ada@example.org', code, { from: '192.0.2.7', token })).status, 200);
    for (const from of ['192.0.2.7', '10.0.0.48', '10.9.9.9'])
      assert.equal((await verifyFrom(app, 'ada@example.org', code, { from })).status, 401);

    await app.clock.advance('5m');
    await app.ask(requestCode('ada@example.org'));
    assert.equal(mailsTo(owner.email) - before, 15 + 2);
    assert.notEqual(longCodeTo(app, 'ada@example.org'), code);
    await app.clock.advance('1d');
    assert.equal((await signIn(app, 'ada@example.org')).userId, owner.userId);
  });

  it('all spellings of a mailbox share its codes, whatever the provider ignores in an address', async (app) => {
    const spellings = [...Array(30).keys()].map((bits) =>
      [...'johndoe']
        .map((letter, index) => (bits & (1 << index) ? `${letter}.` : letter))
        .join('')
        .replace(/\.$/, ''),
    );
    for (const [index, name] of spellings.entries()) {
      const domains = ['gmail.com', 'GoogleMail.com'];
      for (const email of [...domains.map((domain) => `${name}@${domain}`), `${name}+${index}@gmail.com`])
        assert.equal((await app.ask(requestCode(email, `10.0.0.${index}`))).status, 200);
    }
    assert.equal(app.printed.length, 30 + 1, 'of ninety requests');
    await app.clock.advance('5m');
    for (const name of ['john.doe', 'j.ohn.doe', 'johndoe+x']) await app.ask(requestCode(`${name}@gmail.com`));
    assert.equal(app.printed.length, 30 + 2);
    // Anybody may have been given an address with dots, so the first that asks gets the mail.
    assert.equal((await verifyCode(app, 'john.doe@gmail.com', longCodeTo(app, 'john.doe@gmail.com'))).status, 200);
    await app.ask(requestCode('john.doe@gmail.com'));
    assert.equal(app.printed.length, 30 + 3, 'an account gets its codes, whatever strangers ask for');
  });

  it('a wrong code counts for the mailbox, not for one spelling of its address', async (app) => {
    for (let count = 0; count < 10; count += 1)
      assert.equal((await verifyCode(app, `jo.hn+${count}@gmail.com`, 'wrong')).status, 401);
    assert.equal((await verifyCode(app, 'john@googlemail.com', 'wrong')).status, 429);
  });

  it('an address with a look-alike of a letter is refused, and never opens the account of the other', async (app) => {
    await signIn(app, 'kate@example.org');
    for (const email of ['\u{212A}ate@example.org', 'kate@e\u{FF58}ample.org', 'kate@example\u{3002}org']) {
      assert.equal((await app.ask(requestCode(email))).status, 422, email);
      assert.equal((await verifyCode(app, email, '000000')).status, 422, email);
    }
  });

  test('over the limit of a mailbox, concurrent requests share one mail', async (app) => {
    for (let count = 0; count < 30; count += 1) await app.ask(requestCode('ada@example.org', `10.0.0.${count}`));
    const asked = await Promise.all(Array.from({ length: 6 }, () => app.ask(requestCode('ada@example.org'))));
    assert.equal(app.printed.length, 31);
    const code = longCodeTo(app, 'ada@example.org');
    const answers = await Promise.all(
      asked.map((answer) => verifyFrom(app, 'ada@example.org', code, { token: tokenOf(answer) })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401, 401]);
  });

  it('over the limit of a network, addresses with an account get their codes, and the others the same answer', async (app) => {
    await signIn(app, 'ada@example.org');
    const key = hashToken('codes per network: 127.0.0.1');
    const resets_at = new Date(app.clock.now().getTime() + 900_000);
    await app.db.deleteFrom('throttles').where('key', '=', key).execute();
    await app.db.insertInto('throttles').values({ key, count: 600, resets_at }).execute();
    const printed = app.printed.length;
    const [known, unknown] = [
      await app.ask(requestCode('ada@example.org')),
      await app.ask(requestCode('new@example.org')),
    ];
    assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
    assert.deepEqual(Object.keys(known.headers).sort(), Object.keys(unknown.headers).sort());
    assert.equal(app.printed.length, printed + 1);
    assert.equal((await verifyCode(app, 'ada@example.org', longCodeTo(app, 'ada@example.org'))).status, 200);
  });

  it('over the limit of a network, its requests store no more rows, and the owner of an address still signs in', async (app) => {
    await signIn(app, 'ada@example.org');
    const [home, stranger] = ['192.0.2.7', '10.0.0.1'];
    const resets_at = new Date(app.clock.now().getTime() + 900_000);
    const key = hashToken(`codes per network: ${stranger}`);
    await app.db.insertInto('throttles').values({ key, count: 600, resets_at }).execute();
    const countRows = async () => {
      const codes = await app.db.selectFrom('email_codes').select('id').execute();
      return codes.length + (await app.db.selectFrom('throttles').select('key').execute()).length;
    };
    const askAround = async () => {
      for (let index = 0; index < 20; index += 1) {
        for (const email of [`invented-${index}@example.org`, 'ada@example.org']) {
          assert.equal((await app.ask(requestCode(email, stranger))).status, 200);
        }
      }
    };
    await askAround();
    const rows = await countRows();
    await askAround();
    assert.equal(await countRows(), rows);
    const own = await app.ask(requestCode('ada@example.org', home));
    const ownCode = lastCodeTo(app, 'ada@example.org');
    await askAround();
    assert.equal(ownCode.length, 6);
    const way = { from: home, token: tokenOf(own) };
    assert.equal((await verifyFrom(app, 'ada@example.org', ownCode, way)).status, 200);
  });

  it('a long code is valid for every requester, and wrong tries do not use it up', async (app) => {
    const email = 'ada@example.org';
    let asked = await app.ask(requestCode(email));
    for (let count = 0; count < 30; count += 1) asked = await app.ask(requestCode(email, `10.0.0.${count}`));
    const code = longCodeTo(app, email);
    // Who was the first to get the code cannot take it from the others, neither while codes are long nor later.
    const headers = { 'x-sign-in-request': tokenOf(asked) };
    await app.ask({ ...requestCode(email), headers });
    await app.db.deleteFrom('throttles').execute();
    await app.ask({ ...requestCode(email), headers });
    const wrong = code === '0'.repeat(16) ? '1'.repeat(16) : '0'.repeat(16);
    for (let tries = 0; tries < 8; tries += 1) await verifyFrom(app, email, wrong, { from: '10.0.0.30' });
    assert.equal((await verifyFrom(app, email, code, { from: '10.0.0.30' })).status, 200);
    assert.equal((await verifyFrom(app, email, code, { from: '10.0.0.31' })).status, 401);
  });

  it('codes that signed somebody in do not count', async (app) => {
    for (let count = 0; count < 35; count += 1) await signIn(app, 'ada@example.org');
  });

  it('after ten wrong codes from a network the answer is 429, and a right code is still accepted', async (app) => {
    const email = 'ada@example.org';
    for (let count = 0; count < 10; count += 1) assert.equal((await verifyCode(app, email, 'wrong')).status, 401);
    const refused = await verifyCode(app, email, 'wrong');
    assert.deepEqual([refused.status, codeOf(refused.body.error)], [429, 'too_many_attempts']);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal((await verifyCode(app, email, await receiveCode(app, email))).status, 200);
  });

  it("strangers' guesses never refuse the owner, from any network, with and without asking for codes", async (app) => {
    const email = 'ada@example.org';
    const home = '192.0.2.7';
    const guessAround = async () => {
      for (let index = 0; index < sized(6, 60); index += 1) {
        const from = index % 3 === 0 ? home : `10.0.${index}.1`;
        const token = index % 2 === 0 ? tokenOf(await app.ask(requestCode(email, from))) : undefined;
        for (let tries = 0; tries < 7; tries += 1) await verifyFrom(app, email, '000000', { from, token });
      }
    };
    await guessAround();
    for (const withToken of [true, false]) {
      const asked = await app.ask(requestCode(email, home));
      assert.equal(asked.status, 200);
      const code = lastCodeTo(app, email);
      // Without the token, the network is all that tells the owner from a stranger.
      if (withToken) await guessAround();
      else
        for (let index = 0; index < 20; index += 1) await verifyFrom(app, email, '000000', { from: `10.1.${index}.1` });
      const token = withToken ? tokenOf(asked) : undefined;
      const answer = await verifyFrom(app, email, code, { from: home, token });
      assert.equal(answer.status, 200, `with${withToken ? '' : 'out'} the token: ${answer.body.error}`);
    }
  });

  it('a mailbox gets at most 30 short codes a day, and each is compared with at most 15 guesses', async (app) => {
    const email = 'ada@example.org';
    const tried = sized(2, 30);
    for (let index = 0; index < 34; index += 1) {
      const from = `10.0.${index}.1`;
      const token = tokenOf(await app.ask(requestCode(email, from)));
      if (index < tried) await tryEveryWay(app, email, from, token);
    }
    const short = app.printed.filter((text) => /Your sign-in code is \d{6}\./.test(text));
    assert.deepEqual([short.length, lastCodeTo(app, email).length], [30, 16]);
    const codes = await app.db.selectFrom('email_codes').selectAll().execute();
    const tries = codes.map((code) => code.tries_by_request + code.tries_by_network + code.tries_by_others);
    assert.equal(Math.max(...tries), 15);
  });

  it('asking again replaces the code of the same requester, and not that of another', async (app) => {
    const email = 'ada@example.org';
    const ask = async (token?: string) => {
      const asked = await app.ask({ ...requestCode(email), ...(token && { headers: { 'x-sign-in-request': token } }) });
      return { token: tokenOf(asked), code: lastCodeTo(app, email) };
    };
    const first = await ask();
    const other = await ask();
    const second = await ask(first.token);
    const replaced = await verifyFrom(app, email, first.code, { token: first.token });
    if (first.code !== second.code) assert.equal(replaced.status, 401);
    assert.equal((await verifyFrom(app, email, other.code, { token: other.token })).status, 200);
    assert.equal((await verifyFrom(app, email, second.code, { token: second.token })).status, 200);
  });

  it('in the network that asked, a code stays the one of that network, whoever else there or elsewhere asks', async (app) => {
    const [network, elsewhere] = ['10.0.0.1', '10.1.0.1'];
    const askFrom = async (email: string, remoteAddress: string) => {
      await app.ask({ ...requestCode(email), remoteAddress });
      return lastCodeTo(app, email);
    };
    const code = await askFrom('ada@example.org', network);
    await askFrom('ada@example.org', elsewhere);
    await askFrom('bob@example.org', network);
    assert.equal((await verifyFrom(app, 'ada@example.org', code, { from: network })).status, 200);
  });

  it('a code can be entered in another network than it was asked for in, and a wrong token hinders nobody', async (app) => {
    const email = 'ada@example.org';
    for (const token of [undefined, 'garbage', `sr_${'a'.repeat(43)}`]) {
      const code = await receiveCode(app, email);
      assert.equal((await verifyFrom(app, email, code, { from: '10.0.0.1', token })).status, 200);
    }
  });

  it('the token of a request is stored hashed, and in the web app it is in a cookie that no script can read', async (app) => {
    const email = 'ada@example.org';
    const fromApp = { 'x-crescendo-app': '1' };
    const asked = await app.ask({ ...requestCode(email), headers: fromApp });
    assert.equal(asked.headers['x-sign-in-request'], undefined);
    const cookie = String(asked.headers['set-cookie']);
    const [, pair = '', token = ''] =
      /^(crescendo-sign-in=(sr_[\w-]{43})); Path=\/v1\/auth; HttpOnly; SameSite=Strict; Max-Age=600$/.exec(cookie) ??
      [];
    assert.ok(token, cookie);
    const stored = await app.db.selectFrom('email_codes').selectAll().execute();
    assert.ok(!JSON.stringify(stored).includes(token));
    const code = lastCodeTo(app, email);
    // The tries of the network are used up; the cookie has its own.
    for (let tries = 0; tries < 5; tries += 1) await verifyCode(app, email, 'wrong');
    assert.equal((await verifyCode(app, email, code)).status, 401);
    const verify = { method: 'POST' as const, url: '/v1/auth/email/verify', payload: { email, code } };
    assert.equal((await app.ask({ ...verify, headers: { cookie: pair } })).status, 401, 'a cookie without the app');
    const signedIn = await app.ask({ ...verify, headers: { ...fromApp, cookie: pair } });
    assert.equal(signedIn.status, 200);
    assert.match(String(signedIn.headers['set-cookie']), /^crescendo-sign-in=; .*Max-Age=0$/);
  });

  test('wrong proofs are limited per network across accounts, right ones never, and an IPv6 /64 is one network', async (app) => {
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
    // A right one is accepted, since all callers may share the address of a proxy.
    const code = await receiveCode(app, 'ada@example.org');
    assert.equal((await verifyFrom(app, 'ada@example.org', code, { from: '2001:db8:0:1::1' })).status, 200);
  });

  it('a session lasts 90 days after the last day of use, and is extended at most once a day', async (app) => {
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

  it('an account has at most 100 sessions: a sign-in beyond that ends the one that was unused for longest', async (app) => {
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

  it('sessions are listed without their tokens, revoked one by one, and only by their owner', async (app) => {
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

  it('every session of a person is named by the browser and system that signed in, and by nothing else', async (app) => {
    const email = 'ada@example.org';
    const agents = [
      'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Mobile/15E148 Safari/604.1',
      '<b>mine</b>',
    ];
    for (const agent of agents) {
      await verifyCode(app, email, await receiveCode(app, email), agent);
      await app.clock.advance('1s');
    }
    const ada = await signIn(app, email);
    const listed = (await ada.ask('GET', '/v1/auth/sessions')).body.data;
    const named = (await ada.ask('GET', '/v1/auth/sessions/names')).body.data;
    assert.deepEqual(
      named.map(({ name }: { name: string | null }) => name),
      [null, null, 'Safari on iPhone', 'Firefox on Windows'],
    );
    const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
    assert.deepEqual(idsOf(named), idsOf(listed));
    const stranger = await signIn(app);
    assert.equal((await stranger.ask('GET', '/v1/auth/sessions/names')).body.data.length, 1);
  });

  it('a session is renamed by its owner alone, and keeps the name', async (app) => {
    const [ada, stranger] = [await signIn(app), await signIn(app)];
    const names = async () => (await ada.ask('GET', '/v1/auth/sessions/names')).body.data;
    const [{ id }] = await names();
    const rename = (person: typeof ada, name: string) => person.ask('PATCH', `/v1/auth/sessions/names/${id}`, { name });
    assert.equal((await rename(stranger, 'mine')).status, 404);
    for (const name of ['', 'x'.repeat(101)]) assert.equal((await rename(ada, name)).status, 422);
    assert.deepEqual(await names(), [{ id, name: null }]);
    assert.deepEqual((await rename(ada, 'Old laptop')).body.data, { id, name: 'Old laptop' });
    await app.clock.advance('25h');
    assert.deepEqual(await names(), [{ id, name: 'Old laptop' }]);
  });
});

onEveryEngine((engine) => {
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
    const invalid = ['ada', 'ada @example.org', 'ada@exa mple.org', 'a\r\nBcc: b@c.d@example.org', '<ada@example.org>'];
    for (const email of [...invalid, `${'a'.repeat(400)}@example.org`]) {
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
