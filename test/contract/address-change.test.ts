/** Changing the address of an account, and taking a change back. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockUser } from '../../src/accounts/users.store.ts';
import type { Db } from '../../src/db/schema.ts';
import { Audit } from '../../src/lib/audit.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { AccountNotices } from '../../src/sign-in/account-notices.ts';
import { AddressUndoService } from '../../src/sign-in/address/address-undo.service.ts';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { enableSecondFactor } from '../support/deployment.ts';
import { areWaiting, askDuring } from '../support/during-transaction.ts';
import { type EngineName, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeIdentityProvider } from '../support/identity-provider.ts';
import { startMailCatcher } from '../support/mail-catcher.ts';
import {
  createPerson,
  openSession,
  type Person,
  personWith,
  receiveCode,
  renewSignIn,
  signIn,
  verifyCode,
} from '../support/people.ts';
import { channelRow } from '../support/stored-channel.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const [ADA, THIEF, FENCE] = ['ada@home.test', 'thief@evil.test', 'fence@evil.test'];

const mailsTo = ({ printed }: TestApp, to: string) => printed.filter((text) => text.includes(`Mail to ${to} `));
const subjectOf = (mail = '') => mail.trim().split('\n')[1] ?? '';
const refusalOf = ({ status, body }: Answer) => `${status} ${String(body.error).split(':')[0]}`;
const emailOf = async (app: TestApp, { userId }: Person) =>
  (await app.db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst())?.email;

const askFor = (person: Person, email: string) => person.ask('POST', '/v1/me/address/request', { email });
const confirm = (person: Person, email: string, code: string) => person.ask('POST', '/v1/me/address', { email, code });

const codeTo = (app: TestApp, email: string): string =>
  /account is (\d{6}|\d{4}(?: \d{4}){3})\./.exec(mailsTo(app, email).at(-1) ?? '')?.[1] ?? 'no code';

async function changeTo(app: TestApp, person: Person, email: string): Promise<void> {
  assert.equal((await askFor(person, email)).status, 200);
  const { status, body } = await confirm(person, email, codeTo(app, email));
  assert.deepEqual([status, body.data], [200, { email }]);
}

/** The path of the link in the newest mail to the address. */
async function linkTo(app: TestApp, to: string): Promise<string> {
  const find = () => mailsTo(app, to).findLast((text) => text.includes('/take-back/'));
  await waitUntil(() => find() !== undefined);
  return /\/take-back\/\S+/.exec(find() ?? '')?.[0] ?? '';
}

const follow = (app: TestApp, url: string, method: 'GET' | 'POST' = 'POST') => app.ask({ method, url });
const start = (engine: EngineName, settings: Record<string, string> = {}) => startTestApp(engine, { settings });

onEveryEngine((engine, it) => {
  test('of accounts that prove the same address at the same time, one gets it and the others are refused', async () => {
    await using app = await start(engine);
    const people = await Promise.all(['a', 'b', 'c', 'd'].map((name) => createPerson(app, `${name}@old.test`)));
    const codes: string[] = [];
    for (const person of people) {
      assert.equal((await askFor(person, ADA)).status, 200);
      codes.push(codeTo(app, ADA));
    }
    const answers = await Promise.all(people.map((person, index) => confirm(person, ADA, codes[index] ?? '')));
    const refusals = answers.filter(({ status }) => status !== 200).map(refusalOf);
    assert.deepEqual(refusals, Array(people.length - 1).fill('403 wrong_address_code'));
  });

  it('a code to the new address changes it; the old one hears of it, other sessions end, and mail for nudges follows', async () => {
    await using app = await start(engine);
    const ada = await createPerson(app, ADA);
    const phone = personWith(app, ADA, ada.userId, await openSession(app, ada.userId));
    const own = { user_id: ada.userId, provider: 'email', address: null, address_hash: 'own', label: ADA };
    const dead = { valid: false, invalid_reason: 'refused', verified_at: app.clock.now() };
    await app.db
      .insertInto('channels')
      .values(channelRow(app.clock.now(), { ...own, ...dead }))
      .execute();
    const oldCode = await receiveCode(app, ADA);
    await app.clock.advance('1m');
    await changeTo(app, ada, 'ada@new.test');

    assert.equal((await ada.ask('GET', '/v1/me')).body.data.email, 'ada@new.test');
    assert.equal((await phone.ask('GET', '/v1/me')).status, 401);
    assert.equal((await signIn(app, 'ada@new.test')).userId, ada.userId);
    // A code from before the change opens nothing, and makes no account.
    assert.equal((await verifyCode(app, ADA, oldCode)).status, 401);
    const channel = await app.db.selectFrom('channels').selectAll().executeTakeFirstOrThrow();
    assert.deepEqual([channel.label, channel.valid, channel.invalid_reason], ['ada@new.test', true, null]);
    // Links in messages to the former address are older than this.
    assert.equal(channel.verified_at?.getTime(), app.clock.now().getTime());
    await linkTo(app, ADA);
    const mail = mailsTo(app, ADA).at(-1);
    assert.equal(subjectOf(mail), 'The address of your Crescendo account was changed');
    assert.match(mail ?? '', /a…@new\.test/);
    assert.ok(app.log.some(({ audit, result, email }) => audit === 'address_changed' && result === 'ok' && email));
  });

  it('mail for nudges that its owner has switched off stays off at the new address', async () => {
    await using app = await start(engine);
    const ada = await createPerson(app, ADA);
    const own = { user_id: ada.userId, provider: 'email', address: null, address_hash: 'own', label: ADA };
    const off = { valid: false, invalid_reason: 'switched_off' };
    const work = { address: 'sealed', address_hash: 'another', label: 'ada@work.test', verified_at: new Date(0) };
    await app.db
      .insertInto('channels')
      .values(
        [
          { ...own, ...off },
          { ...own, ...work },
        ].map((given) => channelRow(app.clock.now(), given)),
      )
      .execute();
    await changeTo(app, ada, 'ada@new.test');
    const channels = await app.db.selectFrom('channels').selectAll().orderBy('label').execute();
    assert.deepEqual(
      channels.map(({ label, valid }) => [label, valid]),
      [
        ['ada@new.test', false],
        ['ada@work.test', true],
      ],
    );
    assert.deepEqual(channels[1]?.verified_at, new Date(0), 'mail to another mailbox does not follow');
  });

  it('no answer says whether an address has an account or may have one, and only the right code for it counts', async () => {
    await using app = await start(engine, { SIGN_UP_DOMAINS: 'home.test', ADMINS: 'boss@far.test' });
    const [ada, eve] = [await createPerson(app, ADA), await createPerson(app, 'eve@home.test')];
    const answers: unknown[] = [];
    for (const email of ['free@home.test', 'eve@home.test', 'out@far.test']) {
      const { status, body } = await askFor(ada, email);
      answers.push([status, body.data]);
    }
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
    for (const email of ['eve@home.test', 'out@far.test']) {
      assert.equal(subjectOf(mailsTo(app, email).at(-1)), 'This address cannot be used for that Crescendo account');
      assert.equal(refusalOf(await confirm(ada, email, '123456')), '403 wrong_address_code');
    }
    // A sign-in code changes no address, a code for an address signs nobody in, and each serves one account.
    const code = codeTo(app, 'free@home.test');
    assert.equal((await verifyCode(app, 'free@home.test', code)).status, 401);
    assert.equal(refusalOf(await confirm(eve, 'free@home.test', code)), '403 wrong_address_code');
    const signInCode = await receiveCode(app, 'free@home.test');
    assert.equal(refusalOf(await confirm(ada, 'free@home.test', signInCode)), '403 wrong_address_code');
    assert.equal((await confirm(ada, 'Free@HOME.test', code)).status, 200);
    assert.equal(refusalOf(await confirm(ada, 'free@home.test', code)), '403 wrong_address_code');

    // ADMINS counts for who proves the address, and invitations admit one that the domains do not.
    await changeTo(app, eve, 'boss@far.test');
    assert.equal((await eve.ask('GET', '/v1/admin')).status, 200);
    await eve.ask('POST', '/v1/admin/invitations', { email: 'guest@far.test' });
    await changeTo(app, ada, 'guest@far.test');
    assert.deepEqual((await eve.ask('GET', '/v1/admin/invitations')).body.data, []);
  });

  it('codes for an address have few tries, and an account asks for few', async () => {
    await using app = await start(engine);
    const ada = await createPerson(app, ADA);
    await askFor(ada, 'ada@new.test');
    for (let tries = 0; tries < 5; tries += 1) await confirm(ada, 'ada@new.test', '000000');
    assert.equal(refusalOf(await confirm(ada, 'ada@new.test', codeTo(app, 'ada@new.test'))), '403 wrong_address_code');
    for (let count = 1; count < 10; count += 1) assert.equal((await askFor(ada, `ada${count}@new.test`)).status, 200);
    assert.equal(refusalOf(await askFor(ada, 'one-more@new.test')), '429 too_many_requests');
    assert.equal(await emailOf(app, ada), ADA);
  });

  it('the old address takes the account back, whatever a thief of the session did meanwhile', async () => {
    await using app = await start(engine, { BASE_URL: 'http://localhost:8080' });
    const ada = await createPerson(app, ADA);
    const kept = (await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] })).body.data;
    await app.clock.advance('1h');
    await renewSignIn(app, ada);
    await changeTo(app, ada, THIEF);
    const link = await linkTo(app, ADA);
    await changeTo(app, ada, FENCE);
    const links = [await linkTo(app, THIEF)];
    const phone = new Authenticator();
    assert.equal((await addPasskey(ada, phone)).status, 200);
    const { token } = (await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] })).body.data;
    await ada.ask('POST', '/v1/me/calendar');
    await enableSecondFactor(app, ada);
    await app.db
      .insertInto('identities')
      .values({
        id: ada.userId,
        user_id: ada.userId,
        issuer: 'https://id.test',
        subject: 'thief',
        client_id: 'x',
        refresh_token: null,
        created_at: app.clock.now(),
      })
      .execute();

    // Until then nobody gets the address: no new account, no other account. Its owner is mailed the link again.
    const { status } = await app.ask({ method: 'POST', url: '/v1/auth/email/request', payload: { email: ADA } });
    assert.equal(status, 200);
    assert.equal(subjectOf(mailsTo(app, ADA).at(-1)), 'Your Crescendo account has another address now');
    assert.equal(await linkTo(app, ADA), link);
    const eve = await createPerson(app, 'eve@home.test');
    await askFor(eve, ADA);
    assert.equal(subjectOf(mailsTo(app, ADA).at(-1)), 'This address cannot be used for that Crescendo account');

    // A code that waits for the next address of the thief.
    assert.equal((await askFor(ada, 'next@evil.test')).status, 200);
    const waiting = codeTo(app, 'next@evil.test');

    assert.equal((await follow(app, link, 'GET')).body.data.state, 'address');
    assert.equal(await emailOf(app, ada), FENCE);
    assert.equal((await follow(app, link)).body.data.state, 'address_done');
    assert.equal(await emailOf(app, ada), ADA);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 401);
    assert.equal((await ada.ask('GET', '/v1/me', undefined, token)).status, 401);
    assert.equal((await ada.ask('GET', '/v1/me', undefined, kept.token)).status, 200);
    for (const table of ['passkeys', 'calendar_feeds', 'identities', 'address_changes'] as const)
      assert.deepEqual(await app.db.selectFrom(table).select('user_id').execute(), [], table);
    // Signing in asks for no second factor of the thief.
    const back = await signIn(app, ADA);
    assert.equal(back.userId, ada.userId);
    assert.equal(refusalOf(await confirm(back, 'next@evil.test', waiting)), '403 wrong_address_code');
    for (const used of [link, ...links]) assert.equal((await follow(app, used)).status, 410, used);
    assert.equal(await emailOf(app, ada), ADA);
    assert.notEqual((await signIn(app, THIEF)).userId, ada.userId);
  });

  it('what a thief adds just before the change ends with it, and the page names what stays', async () => {
    await using app = await start(engine, { BASE_URL: 'http://localhost:8080' });
    const ada = await createPerson(app, ADA);
    await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] });
    await app.clock.advance('1h');
    await renewSignIn(app, ada);
    assert.equal((await addPasskey(ada)).status, 200);
    const { token } = (await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] })).body.data;
    await enableSecondFactor(app, ada);
    await app.clock.advance('14m');
    await changeTo(app, ada, THIEF);
    const url = await linkTo(app, ADA);
    const page = await app.fastify.inject({ method: 'POST', url, headers: { accept: 'text/html' } });
    assert.match(page.body, /still has, from before: access tokens\. /);
    assert.match(page.body, /Sign out everywhere/);
    assert.equal((await ada.ask('GET', '/v1/me', undefined, token)).status, 401);
    assert.deepEqual(await app.db.selectFrom('passkeys').select('user_id').execute(), []);
    assert.equal((await signIn(app, ADA)).userId, ada.userId);
  });

  test('a sign-in with a passkey of the thief that waits for the account while it is taken back opens nothing', async () => {
    await using app = await start(engine, { BASE_URL: 'http://localhost:8080' });
    const ada = await createPerson(app, ADA);
    await changeTo(app, ada, THIEF);
    const link = await linkTo(app, ADA);
    const phone = new Authenticator();
    assert.equal((await addPasskey(ada, phone)).status, 200);
    const credentials: unknown[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { body } = await app.ask({ method: 'POST', url: '/v1/auth/passkey/begin' });
      credentials.push(phone.get(body.data.options));
    }
    const enter = (credential: unknown) =>
      app.ask({ method: 'POST', url: '/v1/auth/passkey', payload: { credential } });
    // On PostgreSQL, all of them wait for the account, and the link is the first in the queue.
    const answers = await app.db.transaction().execute(async (trx) => {
      if (engine === 'postgres') await lockUser(trx, ada.userId);
      const asked = [follow(app, link)];
      if (engine === 'postgres') await waitUntil(() => areWaiting(trx));
      asked.push(...credentials.map(enter));
      if (engine === 'postgres') await waitUntil(() => areWaiting(trx, asked.length));
      return asked;
    });
    const [taken] = await Promise.all(answers);
    assert.equal(taken?.body.data.state, 'address_done');
    for (const table of ['sessions', 'passkeys'] as const)
      assert.deepEqual(await app.db.selectFrom(table).select('user_id').execute(), [], table);
  });

  it('the old address and the present one hear of a deletion that ends the link, and nobody of another one', async () => {
    await using app = await start(engine);
    const [ada, bob] = [await createPerson(app, ADA), await createPerson(app, 'bob@home.test')];
    await changeTo(app, ada, THIEF);
    await linkTo(app, ADA);
    await app.clock.advance('72h');
    for (const person of [bob, ada]) assert.equal((await person.ask('DELETE', '/v1/me')).status, 200);
    const isTold = (mail: string) => subjectOf(mail) === 'Your Crescendo account was deleted';
    for (const to of [ADA, THIEF]) await waitUntil(() => mailsTo(app, to).some(isTold));
    assert.match(mailsTo(app, ADA).find(isTold) ?? '', /\(UTC\)/);
    assert.equal(app.printed.filter(isTold).length, 2);
  });

  it('strangers who ask for many codes keep nobody from the mail with the link or from a new address', async () => {
    await using app = await start(engine);
    const [ada, eve, bob] = [
      await createPerson(app, ADA),
      await createPerson(app, 'eve@evil.test'),
      await createPerson(app, 'bob@home.test'),
    ];
    await changeTo(app, ada, THIEF);
    await linkTo(app, ADA);
    const request = (email: string) => app.ask({ method: 'POST', url: '/v1/auth/email/request', payload: { email } });
    for (let count = 0; count < 31; count += 1) for (const email of [ADA, 'bob@new.test']) await request(email);
    await app.clock.advance('6m');
    const before = mailsTo(app, ADA).length;
    assert.equal((await request(ADA)).status, 200);
    await waitUntil(() => mailsTo(app, ADA).length > before);
    assert.equal(subjectOf(mailsTo(app, ADA).at(-1)), 'Your Crescendo account has another address now');

    for (const person of [eve, bob]) {
      const earlier = mailsTo(app, 'bob@new.test').length;
      assert.equal((await askFor(person, 'bob@new.test')).status, 200);
      await waitUntil(() => mailsTo(app, 'bob@new.test').length > earlier);
    }
    assert.equal((await confirm(bob, 'bob@new.test', codeTo(app, 'bob@new.test'))).status, 200);
  });

  it('what was begun with the old address ends with the change: a half sign-in, and a code', async () => {
    await using app = await start(engine);
    const ada = await createPerson(app, ADA);
    const code = await receiveCode(app, ADA);
    const expires_at = new Date(app.clock.now().getTime() + 300_000);
    const half = { token_hash: 'half', user_id: ada.userId, mode: 'login', tries: 0, expires_at };
    await app.db.insertInto('mfa_challenges').values(half).execute();
    await changeTo(app, ada, THIEF);
    assert.deepEqual(await app.db.selectFrom('mfa_challenges').selectAll().execute(), []);
    const codes = app.db.selectFrom('email_codes').select('id').where('email', '=', ADA);
    assert.deepEqual(await codes.execute(), []);
    assert.equal((await verifyCode(app, ADA, code)).status, 401);
  });

  it('who takes an account back ends what a thief agreed to and no assistant has fetched yet', async () => {
    await using app = await start(engine, { BASE_URL: 'http://localhost:8080' });
    const ada = await createPerson(app, ADA);
    await changeTo(app, ada, THIEF);
    const expires_at = new Date(app.clock.now().getTime() + 60_000);
    const names = { client_id: '', client_name: '', client_host: null, redirect_uri: '', challenge: '', rails: '{}' };
    const code = { code_hash: 'agreed', user_id: ada.userId, ...names, expires_at, token_id: null };
    await app.db.insertInto('connection_codes').values(code).execute();
    assert.equal((await follow(app, await linkTo(app, ADA))).status, 200);
    assert.deepEqual(await app.db.selectFrom('connection_codes').select('code_hash').execute(), []);
  });

  it('an account that is taken back wakes the engine, which clears the screens of what has ended', async () => {
    await using app = await start(engine);
    await changeTo(app, await createPerson(app, ADA), THIEF);
    const { id } = await app.db.selectFrom('address_changes').select('id').executeTakeFirstOrThrow();
    let woken = 0;
    const undoing = new AddressUndoService({
      db: app.db,
      clock: app.clock,
      audit: new Audit(createLogger('silent')),
      notices: { send: () => undefined } as unknown as AccountNotices,
      lasting: [],
      addressChanging: async () => undefined,
      forgetCodes: async () => undefined,
      wakeUp: () => {
        woken += 1;
      },
    });
    for (let times = 0; times < 2; times += 1) await undoing.undo(id, '192.0.2.1');
    assert.equal(woken, 1, 'a link that was used changes nothing');
  });

  it('a code that could not be mailed does not count for its mailbox and network', async () => {
    await using app = await start(engine, { SMTP_URL: 'smtp://127.0.0.1:1' });
    const ada = await createPerson(app, ADA);
    assert.equal(refusalOf(await askFor(ada, 'ada@new.test')), '503 mail_unavailable');
    const counts = await app.db.selectFrom('throttles').select('count').execute();
    // What is left is the count of the account itself.
    assert.deepEqual(
      counts.map(({ count }) => count).filter((count) => count > 0),
      [1],
    );
  });

  it('who proves the old address again has undone the change, and the address in between gets no link', async () => {
    await using app = await start(engine);
    const ada = await createPerson(app, ADA);
    await changeTo(app, ada, THIEF);
    const link = await linkTo(app, ADA);
    await changeTo(app, ada, FENCE);
    const between = await linkTo(app, THIEF);
    await changeTo(app, ada, ADA);
    for (const old of [link, between]) assert.equal((await follow(app, old)).status, 410);
    assert.deepEqual(await app.db.selectFrom('address_changes').select('id').execute(), []);
    assert.equal(await emailOf(app, ada), ADA);
  });

  it('a link works for seven days, then the address is free; a link that was changed works never', async () => {
    await using app = await start(engine);
    const ada = await createPerson(app, ADA);
    await changeTo(app, ada, 'ada@new.test');
    const link = await linkTo(app, ADA);
    const letter = link.at(-8) === 'A' ? 'B' : 'A';
    for (const wrong of [`${link.slice(0, -8)}${letter}${link.slice(-7)}`, link.replace('/a', '/r'), '/take-back/x'])
      assert.equal((await follow(app, wrong)).status, 404, wrong);
    await app.clock.advance('167h');
    assert.equal((await follow(app, link, 'GET')).status, 200);
    await app.clock.advance('1h');
    assert.equal((await follow(app, link)).status, 410);
    assert.equal(await emailOf(app, ada), 'ada@new.test');
    assert.notEqual((await signIn(app, ADA)).userId, ada.userId);
  });

  it('the page of a link is kept by nobody, and its button reaches the service and nothing else', async () => {
    await using app = await start(engine);
    await changeTo(app, await createPerson(app, ADA), THIEF);
    const url = await linkTo(app, ADA);
    const { headers, body } = await app.fastify.inject({ url, headers: { accept: 'text/html' } });
    assert.match(body, /<form method="post"><button/);
    assert.match(String(headers['content-security-policy']), /; form-action 'self';/);
    assert.deepEqual([headers['cache-control'], headers['x-robots-tag']], ['no-store', 'noindex']);
  });

  it('the mail to the old address is sent again until the mail server takes it', async () => {
    await using catcher = await startMailCatcher();
    await using app = await start(engine, { SMTP_URL: catcher.url });
    const ada = await createPerson(app, ADA);
    await askFor(ada, 'ada@new.test');
    const [, code = ''] = /account is (\d{6})/.exec((await catcher.next()).raw) ?? [];
    catcher.refuseWith(550, 2);
    assert.equal((await confirm(ada, 'ada@new.test', code)).status, 200);
    const sent = () => catcher.mails.filter(({ raw }) => raw.includes('/take-back/'));
    await waitUntil(async () => {
      await app.clock.advance('1m');
      return sent().length > 0;
    });
    assert.equal(app.log.filter(({ msg }) => /it will be retried/.test(String(msg))).length, 2);
    await app.clock.advance('1h');
    assert.deepEqual(
      sent().map(({ to }) => to),
      [[ADA]],
    );
  });

  it('a verified address of the provider reaches an account that has none, and replaces none', async () => {
    await using app = await startWithProvider(engine);
    const { service, provider } = app;
    const enter = async (claims: object) => {
      const payload = { identity_token: await provider.issue({ sub: 'ada', ...claims }) };
      const { body } = await service.ask({ method: 'POST', url: '/v1/auth/idp', payload });
      return personWith(service, '', body.data.user_id, body.data.session_token);
    };
    const ada = await enter({ email: ADA });
    assert.equal(await emailOf(service, ada), null);
    const bob = await createPerson(service, 'bob@home.test');
    await enter({ email: 'bob@home.test', email_verified: true });
    assert.equal(await emailOf(service, ada), null);
    // An address that its former account can have back is taken, too.
    await changeTo(service, bob, 'bob@new.test');
    await enter({ email: 'bob@home.test', email_verified: true });
    assert.equal(await emailOf(service, ada), null);
    assert.equal((await enter({ email: ADA, email_verified: true })).userId, ada.userId);
    assert.equal(await emailOf(service, ada), ADA);
    await enter({ email: 'other@home.test', email_verified: true });
    assert.equal(await emailOf(service, ada), ADA);
  });
});

// SQLite has a single writer: nobody takes an address while another transaction looks for it.
onlyOn('postgres', () => {
  test('who signs in at the provider while another account takes the same address is let in without it', async () => {
    await using app = await startWithProvider('postgres');
    const { service, provider } = app;
    const enter = async (claims: object = {}) => {
      const payload = { identity_token: await provider.issue({ sub: 'ada', ...claims }) };
      return service.ask({ method: 'POST', url: '/v1/auth/idp', payload });
    };
    assert.equal((await enter()).status, 200);
    const bob = await createPerson(service, 'bob@home.test');
    const take = (trx: Db) => trx.updateTable('users').set({ email: ADA }).where('id', '=', bob.userId).execute();
    const { status, body } = await askDuring(service.db, take, () => enter({ email: ADA, email_verified: true }));
    assert.equal(status, 200);
    assert.equal(await emailOf(service, personWith(service, '', body.data.user_id, '')), null);
  });
});

async function startWithProvider(engine: EngineName) {
  const clock = new FakeClock();
  const provider = await FakeIdentityProvider.start(clock);
  const service = await startTestApp(engine, { clock, settings: provider.settings });
  const dispose = async () => {
    await service[Symbol.asyncDispose]();
    await provider[Symbol.asyncDispose]();
  };
  return { service, provider, [Symbol.asyncDispose]: dispose };
}
