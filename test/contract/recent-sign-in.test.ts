import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '../../src/db/schema.ts';
import { hashToken } from '../../src/lib/secrets.ts';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { enableSecondFactor, totpCode } from '../support/deployment.ts';
import { askDuring } from '../support/during-transaction.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { createPerson, type Person, personWith, proveAgain, receiveCode, verifyCode } from '../support/people.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';

// Hosts that are not allowed, so that nothing leaves the machine.
const HOOK = { provider: 'webhook', fields: { url: 'https://localhost:1/first' } };
const MOVED = { fields: { url: 'https://localhost:1/second', secret: '' } };

interface Account {
  readonly app: TestApp;
  readonly owner: Person;
  readonly channelId: string;
}

type Ask = Person['ask'];
type Door = (ask: Ask, account: Account) => Promise<Answer>;

/** What a thief could leave behind, or take along, with an old session. */
const DOORS: Readonly<Record<string, Door>> = {
  'a new channel': (ask) => ask('POST', '/v1/channels', { ...HOOK, fields: { url: 'https://localhost:1/other' } }),
  'another address of a channel': (ask, { channelId }) => ask('PATCH', `/v1/channels/${channelId}`, MOVED),
  'the confirmation of a channel, begun again': (ask, { channelId }) =>
    ask('POST', `/v1/channels/${channelId}/verify`, {}),
  'the confirmation, with any code': (ask, { channelId }) =>
    ask('POST', `/v1/channels/${channelId}/verify`, { code: 'x' }),
  'a calendar feed': (ask) => ask('POST', '/v1/me/calendar'),
  'an export': (ask) => ask('GET', '/v1/me/export'),
  'a part of an export': (ask) => ask('GET', '/v1/me/export?importable=true'),
  'a passkey': (ask) => ask('POST', '/v1/passkeys/begin'),
  'a second factor': (ask) => ask('POST', '/v1/auth/mfa/enroll'),
  'a code for a new address': (ask) => ask('POST', '/v1/me/address/request', { email: 'new@home.test' }),
  'a new address': (ask) => ask('POST', '/v1/me/address', { email: 'new@home.test', code: '123456' }),
  'an end of what is not a session': (ask, { channelId }) =>
    ask('POST', '/v1/me/access/end', { sessions: false, ids: [channelId] }),
};

/** What stays open to every session. */
const OPEN: Readonly<Record<string, Door>> = {
  'an access token': (ask) => ask('POST', '/v1/tokens', { scopes: ['tasks:read'] }),
  'a device': (ask) => ask('POST', '/v1/devices', { ios_push_token: 'ab'.repeat(32) }),
  'another name of a channel': (ask, { channelId }) => ask('PATCH', `/v1/channels/${channelId}`, { name: 'Lamp' }),
  'an end of all other sessions': (ask) => ask('POST', '/v1/me/access/end', {}),
  'an end of the feed': (ask) => ask('DELETE', '/v1/me/calendar'),
};

const refusalOf = ({ status, body }: Answer): string =>
  status < 400 ? 'let in' : `${status} ${String(body.error).split(':')[0]}`;
const REFUSED = '403 recent_sign_in_required';

async function setUp(app: TestApp): Promise<Account> {
  const owner = await createPerson(app);
  const { body } = await owner.ask('POST', '/v1/channels', HOOK);
  return { app, owner, channelId: body.data.channel.id };
}

async function signInTo(app: TestApp, email: string): Promise<string> {
  const { body } = await verifyCode(app, email, await receiveCode(app, email));
  return body.data.session_token;
}

onEveryEngine((engine, it) => {
  it('what outlives a session needs a sign-in of the last 15 minutes, and no access token may do it', async () => {
    await using app = await startTestApp(engine);
    const account = await setUp(app);
    const { owner } = account;
    const { token } = (await owner.ask('POST', '/v1/tokens', { scopes: ['tasks:read', 'tasks:write'] })).body.data;
    const asToken: Ask = (method, url, payload) => owner.ask(method, url, payload, token);
    const table = async (ask: Ask) => {
      const rows: [string, string][] = [];
      for (const [name, open] of Object.entries(DOORS)) rows.push([name, refusalOf(await open(ask, account))]);
      return Object.fromEntries(rows);
    };
    const all = (result: string) => Object.fromEntries(Object.keys(DOORS).map((name) => [name, result]));
    await app.clock.advance('16m');
    assert.deepEqual(await table(owner.ask), all(REFUSED));
    assert.deepEqual(await table(asToken), all('403 session_required'));
    for (const [name, open] of Object.entries(OPEN))
      assert.equal(refusalOf(await open(owner.ask, account)), 'let in', name);

    const proven = await proveAgain(app, owner);
    // Nothing answers at the address of the webhook.
    assert.deepEqual(await table(proven.ask), {
      ...all('let in'),
      'the confirmation of a channel, begun again': '409 channel_not_reached',
      'the confirmation, with any code': '403 wrong_channel_code',
      'a new address': '403 wrong_address_code',
    });
    await app.clock.advance('16m');
    assert.deepEqual(await table(proven.ask), all(REFUSED));
  });

  test('a proof counts for the session of the same account, once, and no longer than a sign-in', async () => {
    await using app = await startTestApp(engine);
    const { owner } = await setUp(app);
    const eve = await createPerson(app);
    const prove = (token: string) => owner.ask('POST', '/v1/auth/session/proof', { session_token: token });
    const isRecent = async (person = owner) => refusalOf(await person.ask('POST', '/v1/me/calendar')) === 'let in';
    const [{ id }] = (await owner.ask('GET', '/v1/auth/sessions')).body.data;
    await app.clock.advance('16m');
    assert.equal(refusalOf(await prove(await signInTo(app, eve.email))), '403 other_account');
    for (const wrong of ['st_never-was', owner.sessionToken, eve.sessionToken])
      assert.equal(refusalOf(await prove(wrong)), '401 sign_in_expired', wrong);
    assert.equal(await isRecent(), false);
    // The old session of another account is not ended by somebody who names it.
    assert.equal((await eve.ask('GET', '/v1/me')).status, 200);

    const fresh = await signInTo(app, owner.email);
    await app.clock.advance('10m');
    assert.equal((await prove(fresh)).status, 200);
    // Somebody else may have a copy of the old token: the session goes on with the new one alone.
    assert.equal((await owner.ask('GET', '/v1/me')).status, 401);
    const proven = personWith(app, owner.email, owner.userId, fresh);
    const sessions = (await proven.ask('GET', '/v1/auth/sessions')).body.data;
    assert.deepEqual([sessions.length, sessions[0].id], [1, id]);
    const again = await proven.ask('POST', '/v1/auth/session/proof', { session_token: fresh });
    assert.equal(refusalOf(again), '401 sign_in_expired');
    assert.equal(await isRecent(proven), true);
    // Six minutes later the sign-in itself is 16 minutes old.
    await app.clock.advance('6m');
    assert.equal(await isRecent(proven), false);

    const tooOld = await signInTo(app, owner.email);
    await app.clock.advance('16m');
    const late = await proven.ask('POST', '/v1/auth/session/proof', { session_token: tooOld });
    assert.equal(refusalOf(late), '401 sign_in_expired');
    assert.equal(await isRecent(proven), false);
  });

  it('a proof needs the second factor where it is on, and a passkey is enough', async () => {
    await using app = await startTestApp(engine);
    const { owner } = await setUp(app);
    const phone = new Authenticator();
    assert.equal((await addPasskey(owner, phone)).status, 200);
    const { secret } = await enableSecondFactor(app, owner);
    await app.clock.advance('16m');
    const { body } = await verifyCode(app, owner.email, await receiveCode(app, owner.email));
    assert.equal(body.data.status, 'mfa_required');
    const prove = (session_token: string, person = owner) =>
      person.ask('POST', '/v1/auth/session/proof', { session_token });
    assert.equal(refusalOf(await prove(body.data.mfa_token)), '401 sign_in_expired');
    const payload = { mfa_token: body.data.mfa_token, code: totpCode(app, secret) };
    const verified = await app.ask({ method: 'POST', url: '/v1/auth/mfa/verify', payload });
    const token = verified.body.data.session_token;
    assert.equal((await prove(token)).status, 200);
    const proven = personWith(app, owner.email, owner.userId, token);

    await app.clock.advance('16m');
    const { options } = (await app.ask({ method: 'POST', url: '/v1/auth/passkey/begin' })).body.data;
    const signed = { credential: phone.get(options) };
    const byPasskey = await app.ask({ method: 'POST', url: '/v1/auth/passkey', payload: signed });
    const last = byPasskey.body.data.session_token;
    assert.equal((await prove(last, proven)).status, 200);
    assert.equal((await owner.ask('POST', '/v1/me/calendar', undefined, last)).status, 200);
  });

  it('a sign-in that is shown in the session of another account ends, and changes nothing there', async () => {
    await using app = await startTestApp(engine);
    const [ada, eve] = [await createPerson(app), await createPerson(app)];
    await app.clock.advance('16m');
    const fresh = await signInTo(app, eve.email);
    const refused = await ada.ask('POST', '/v1/auth/session/proof', { session_token: fresh });
    assert.equal(refusalOf(refused), '403 other_account');
    assert.equal((await ada.ask('GET', '/v1/me', undefined, fresh)).status, 401);
    assert.deepEqual(
      [(await ada.ask('GET', '/v1/me')).body.data.id, refusalOf(await ada.ask('POST', '/v1/me/calendar'))],
      [ada.userId, REFUSED],
    );
  });

  it('the cookie of the app gets the new token of a session that is proven by it, and no other request a cookie', async () => {
    await using app = await startTestApp(engine);
    const { email, sessionToken } = await createPerson(app);
    const prove = async (headers: Record<string, string>) => {
      const session_token = await signInTo(app, email);
      const url = '/v1/auth/session/proof';
      const answer = await app.ask({ method: 'POST', url, headers, payload: { session_token } });
      assert.equal(answer.status, 200);
      return { session_token, cookie: answer.headers['set-cookie'] };
    };
    const fromApp = await prove({ cookie: `crescendo-session=${sessionToken}`, 'x-crescendo-app': '1' });
    assert.ok(String(fromApp.cookie).startsWith(`crescendo-session=${fromApp.session_token}; Path=/; HttpOnly;`));
    const byToken = await prove({ authorization: `Bearer ${fromApp.session_token}` });
    assert.equal(byToken.cookie, undefined);
  });

  it('a refused request leaves its Idempotency-Key unspent, so that it can be repeated after the proof', async () => {
    await using app = await startTestApp(engine);
    const { owner } = await setUp(app);
    await app.clock.advance('16m');
    const make = ({ sessionToken }: Person) =>
      app.ask({
        method: 'POST',
        url: '/v1/me/calendar',
        headers: { authorization: `Bearer ${sessionToken}`, 'idempotency-key': 'once' },
      });
    assert.equal(refusalOf(await make(owner)), REFUSED);
    assert.equal((await make(await proveAgain(app, owner))).status, 200);
  });

  it('each session is proven by itself', async () => {
    await using app = await startTestApp(engine);
    const { owner } = await setUp(app);
    await app.clock.advance('16m');
    const other = personWith(app, owner.email, owner.userId, await signInTo(app, owner.email));
    assert.equal(refusalOf(await owner.ask('POST', '/v1/me/calendar')), REFUSED);
    assert.equal((await other.ask('POST', '/v1/me/calendar')).status, 200);
  });
});

// SQLite has one transaction at a time.
onlyOn('postgres', () => {
  test('a sign-in that ends at the moment in which it is to prove a session proves none, and its token stays ended', async () => {
    await using app = await startTestApp('postgres');
    const owner = await createPerson(app);
    const fresh = await signInTo(app, owner.email);
    const prove = () => owner.ask('POST', '/v1/auth/session/proof', { session_token: fresh });
    const end = (trx: Db) => trx.deleteFrom('sessions').where('token_hash', '=', hashToken(fresh)).execute();
    assert.equal(refusalOf(await askDuring(app.db, end, prove)), '401 sign_in_expired');
    assert.equal((await owner.ask('GET', '/v1/me', undefined, fresh)).status, 401);
    assert.equal((await owner.ask('GET', '/v1/me')).status, 200);
  });
});
