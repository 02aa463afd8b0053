import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfirmationsService } from '../../src/channels/confirmations.service.ts';
import { disabledMailer } from '../../src/lib/mailer.ts';
import { InvitesService } from '../../src/spaces/invites.service.ts';
import { SpacesService } from '../../src/spaces/spaces.service.ts';
import { agree, askToken, connect, newProof, queryOf, register } from '../support/assistants.ts';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { totpCode } from '../support/deployment.ts';
import { onEveryEngine } from '../support/engines.ts';
import { HalfSent } from '../support/half-sent.ts';
import {
  createPerson,
  makeAdmin,
  openSession,
  type Person,
  personWith,
  proveAgain,
  receiveCode,
  renewSignIn,
  verifyCode,
} from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { type Answer, startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const HOOK = { provider: 'webhook', name: 'The lamp', fields: { url: 'https://localhost:1/lamp' } };

interface Access {
  readonly kind: string;
  readonly id: string;
  readonly name: string | null;
  readonly detail: string | null;
  readonly made_at: string;
  readonly last_used_at: string | null;
  readonly current: boolean;
}

const listed = async (person: Person): Promise<Access[]> => (await person.ask('GET', '/v1/me/access')).body.data;
const kindsOf = (all: readonly Access[]) => all.map(({ kind }) => kind).sort();

/** Everything that outlives a session, as a thief would make it. */
async function makeAll(app: TestApp, person: Person): Promise<void> {
  const asked = [
    await person.ask('POST', '/v1/tokens', { name: 'Script', scopes: ['tasks:read'] }),
    await person.ask('POST', '/v1/channels', HOOK),
    await person.ask('POST', '/v1/me/calendar'),
    // A token of its own: one that two accounts register belongs to the second.
    await person.ask('POST', '/v1/devices', { ios_push_token: person.userId.replaceAll('-', '') }),
    await addPasskey(person),
    await person.ask('POST', `/v1/spaces/${await createSpace(person)}/invites`, { invitee_contact: 'a friend' }),
  ];
  for (const { status, body } of asked) assert.equal(status, 200, JSON.stringify(body));
  await connect(app, person);
}

const refusalOf = ({ status, body }: Answer) => [status, body.error?.split(':')[0]];
const unexpected = () => assert.fail('unexpected');
const mailsTo = (app: TestApp, { email }: Person) => app.printed.filter((text) => text.includes(`Mail to ${email} `));

onEveryEngine((engine, it) => {
  test('signing out everywhere lists all that outlives a session with its dates, and ends what is chosen at once', async () => {
    await using app = await startTestApp(engine);
    const owner = await createPerson(app);
    const stranger = await createPerson(app);
    await makeAll(app, stranger);
    const stolen = await openSession(app, owner.userId);
    await makeAll(app, owner);
    const all = await listed(owner);
    const kinds = [
      'calendar_feed',
      'channel',
      'connection',
      'device',
      'invite',
      'passkey',
      'session',
      'session',
      'token',
    ];
    assert.deepEqual(kindsOf(all), kinds);
    assert.deepEqual(
      all.filter(({ current }) => current).map(({ kind }) => kind),
      ['session'],
    );
    for (const { made_at } of all) assert.equal(made_at, app.clock.now().toISOString());
    const found = (kind: string) => all.find((access) => access.kind === kind);
    assert.deepEqual([found('channel')?.name, found('token')?.name], ['The lamp', 'Script']);
    assert.match(found('token')?.detail ?? '', /^pk_/);
    assert.deepEqual([found('invite')?.name, found('invite')?.detail], ['Home', 'a friend']);
    assert.ok(!JSON.stringify(all).includes('localhost:1/lamp'), 'the address of a channel may hold a secret');

    const others = (await listed(stranger)).map(({ id }) => id);
    const chosen = ['token', 'channel', 'calendar_feed', 'invite'].map((kind) => found(kind)?.id ?? '');
    const { body } = await owner.ask('POST', '/v1/me/access/end', { ids: [...chosen, ...others] });
    assert.deepEqual(body.data, { ended: 5 });
    assert.deepEqual(kindsOf(await listed(owner)), ['connection', 'device', 'passkey', 'session']);
    assert.equal((await owner.ask('GET', '/v1/me', undefined, stolen)).status, 401);
    assert.deepEqual(kindsOf(await listed(stranger)), kinds.slice(0, -2).concat('token'));

    // What a thief agreed to before, and fetches afterwards.
    const { client_id } = await register(app);
    const { verifier, challenge } = newProof();
    const code = await agree(owner, queryOf(client_id, challenge));
    const rest = (await listed(owner)).map(({ id }) => id);
    const end = await owner.ask('POST', '/v1/me/access/end', { sessions: false, ids: rest });
    assert.deepEqual(end.body.data, { ended: 3 });
    const fields = { grant_type: 'authorization_code', code, client_id, code_verifier: verifier };
    assert.equal((await askToken(app, fields)).status, 400);
    assert.deepEqual(kindsOf(await listed(owner)), ['session']);
  });

  test('a request that is half sent when its session ends does nothing', async () => {
    await using app = await startTestApp(engine);
    const owner = await createPerson(app);
    const stolen = personWith(app, owner.email, owner.userId, await openSession(app, owner.userId));
    const requests = await HalfSent.by(app, stolen.sessionToken);
    const { secret } = (await stolen.ask('POST', '/v1/auth/mfa/enroll')).body.data;
    const finish = [
      requests.begin('/v1/tokens', { scopes: ['tasks:read'] }),
      requests.begin('/v1/devices', { ios_push_token: 'ab'.repeat(32) }),
      requests.begin('/v1/channels', HOOK),
      requests.begin('/v1/auth/mfa/enroll/confirm', { code: totpCode(app, secret) }),
      requests.begin('/v1/spaces', { name: 'Mine' }),
    ];
    await requests.areRead();
    await owner.ask('POST', '/v1/me/access/end', {});
    await app.clock.advance('2s');
    const statuses = [];
    for (const end of finish) statuses.push(await end());
    assert.deepEqual(
      statuses,
      finish.map(() => 401),
    );
    assert.deepEqual(kindsOf(await listed(owner)), ['session']);
  });

  it('a request that is half sent when its administrator stops being one does nothing', async () => {
    await using app = await startTestApp(engine);
    const admin = await createPerson(app);
    await makeAdmin(app, admin);
    const requests = await HalfSent.by(app, admin.sessionToken);
    const finish = requests.begin('/v1/admin/invitations', { email: 'friend@home.test' });
    await requests.areRead();
    await app.db.updateTable('users').set({ is_admin: false }).where('id', '=', admin.userId).execute();
    await app.clock.advance('2s');
    assert.equal(await finish(), 403);
    const invitations = await app.db.selectFrom('admitted_addresses').selectAll().execute();
    assert.deepEqual(invitations, []);
  });

  test('if the last way into the account would end, nothing ends', async () => {
    await using app = await startTestApp(engine);
    const owner = await createPerson(app);
    await app.db.updateTable('users').set({ email: null }).where('id', '=', owner.userId).execute();
    const stolen = await openSession(app, owner.userId);
    await makeAll(app, owner);
    const before = await listed(owner);
    const answer = await owner.ask('POST', '/v1/me/access/end', { ids: before.map(({ id }) => id) });
    assert.deepEqual([answer.status, answer.body.error.split(':')[0]], [409, 'last_way_in']);
    assert.deepEqual(kindsOf(await listed(owner)), kindsOf(before));
    assert.equal((await owner.ask('GET', '/v1/me', undefined, stolen)).status, 200);
  });

  it('the owner is mailed about each thing that outlives a session: what, when, where, and how to end it', async () => {
    await using app = await startTestApp(engine);
    const email = 'owner@example.org';
    const userAgent = 'Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0';
    const { body } = await verifyCode(app, email, await receiveCode(app, email), userAgent);
    const ask: Person['ask'] = (method, url, payload) =>
      app.ask({
        method,
        url,
        headers: { authorization: `Bearer ${body.data.session_token}` },
        ...(payload && { payload }),
      });
    const before: Person = { email, userId: body.data.user_id, sessionToken: body.data.session_token, ask };
    await app.clock.advance('16m');
    const owner = await proveAgain(app, before);
    await makeAll(app, owner);
    assert.equal((await owner.ask('GET', '/v1/me/export')).status, 200);
    const [channel] = (await owner.ask('GET', '/v1/channels')).body.data.channels;
    const moved = { fields: { url: 'https://localhost:1/moved', secret: '' } };
    assert.equal((await owner.ask('PATCH', `/v1/channels/${channel.id}`, moved)).status, 200);
    const subjects = [
      'New channel for your Crescendo account',
      'New address of a channel of your Crescendo account',
      'New calendar link for your Crescendo account',
      'The data of your Crescendo account was downloaded',
      'New access token for your Crescendo account',
      'New passkey for your Crescendo account',
      'An assistant was connected to your Crescendo account',
    ];
    const find = (subject: string) => mailsTo(app, owner).filter((text) => text.includes(subject));
    await waitUntil(async () => subjects.every((subject) => find(subject).length > 0));
    for (const subject of subjects) {
      const [mail = '', ...more] = find(subject);
      assert.equal(more.length, 0, subject);
      assert.match(mail, /When: 2 March 2026 at 09:16/, subject);
      // A connection is made by the assistant, not by a session.
      if (!subject.startsWith('An assistant')) assert.match(mail, /Where: Firefox on Windows, signed in on 2 March/);
      assert.match(mail, /If this was not you, .*“Sign out everywhere”/, subject);
      assert.match(mail, /Sign out everywhere: http\S+\/app\/settings\/access/, subject);
      assert.doesNotMatch(mail, /localhost:1/, 'an address that somebody chose is no link');
    }
    // A new name for the channel sends it nowhere else.
    await owner.ask('PATCH', `/v1/channels/${channel.id}`, { name: 'Lamp' });
    await owner.ask('POST', '/v1/me/access/end', { ids: [channel.id] });
    await waitUntil(async () => find('You signed out everywhere').length > 0);
    assert.equal(find('New address of a channel').length, 1);
  });

  it('the owner is mailed about a device that an old session registers, and not about the phone that just signed in', async () => {
    await using app = await startTestApp(engine);
    const owner = await createPerson(app);
    const register = (letters: string) => owner.ask('POST', '/v1/devices', { ios_push_token: letters.repeat(32) });
    const mails = () => mailsTo(app, owner).filter((text) => text.includes('New device for your Crescendo account'));
    assert.equal((await register('aa')).status, 200);
    await app.clock.advance('16m');
    for (const letters of ['aa', 'bb', 'bb']) assert.equal((await register(letters)).status, 200);
    await waitUntil(() => mails().length > 0);
    await owner.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] });
    await waitUntil(() => mailsTo(app, owner).some((text) => text.includes('New access token')));
    assert.equal(mails().length, 1);
  });

  it('the owner is mailed about an invitation of an old session and about who joins by one, and ends an open one', async () => {
    await using app = await startTestApp(engine);
    const [owner, eve] = [await createPerson(app), await createPerson(app)];
    await eve.ask('PATCH', '/v1/me', { display_name: 'Eve https://evil.test' });
    const spaceId = await createSpace(owner);
    // What other people wrote is no link in our mails.
    await owner.ask('PATCH', `/v1/spaces/${spaceId}`, { name: 'Home www.evil.test' });
    const invite = async () => (await owner.ask('POST', `/v1/spaces/${spaceId}/invites`, {})).body.data;
    const find = (subject: string) => mailsTo(app, owner).filter((text) => text.includes(subject));
    const accept = (token: string) => eve.ask('POST', `/v1/invites/${token}/accept`);
    await invite();
    await app.clock.advance('16m');
    const [ended, kept] = [await invite(), await invite()];
    await waitUntil(() => find('New invitation from your Crescendo account').length === 2);
    assert.match(find('New invitation')[0] ?? '', /the space “Home www evil test”.*Where: .*“Sign out everywhere”/s);

    await renewSignIn(app, owner);
    const chosen = (await listed(owner)).filter(({ kind, id }) => kind === 'invite' && id !== kept.id);
    assert.equal(chosen.length, 2);
    const end = { sessions: false, ids: chosen.map(({ id }) => id) };
    assert.deepEqual((await owner.ask('POST', '/v1/me/access/end', end)).body.data, { ended: 2 });
    assert.deepEqual(refusalOf(await accept(ended.token)), [410, 'invite_revoked']);
    assert.equal((await accept(kept.token)).status, 200);
    assert.equal((await accept(kept.token)).status, 200);
    await waitUntil(() => find('Somebody joined').length > 0);
    assert.match(find('Somebody joined')[0] ?? '', /“Eve https evil test” joined the space “Home www evil test”/);
    assert.ok((await listed(owner)).every(({ kind }) => kind !== 'invite'));
    await owner.ask('POST', '/v1/me/calendar');
    await waitUntil(() => find('New calendar link').length > 0);
    assert.deepEqual([find('New invitation').length, find('Somebody joined').length], [2, 1]);
  });

  test('an invitation does not outlive the session that ended while it was being made', async () => {
    await using app = await startTestApp(engine);
    const owner = await createPerson(app);
    const spaceId = await createSpace(owner);
    const { id: sessionId } = await app.db.selectFrom('sessions').select('id').executeTakeFirstOrThrow();
    const spaces = new SpacesService(app.db, app.clock, app.clock, {
      memberLeaving: unexpected,
      memberLeft: unexpected,
    });
    const limitInvites = async () => void (await app.db.deleteFrom('sessions').execute());
    const mailing = { mailer: disabledMailer(), baseUrl: '', limitInvites, limitMails: unexpected };
    const invites = new InvitesService(app.db, app.clock, spaces, mailing, { invited: unexpected, joined: unexpected });
    const caller = { kind: 'session', userId: owner.userId, sessionId, provenAt: app.clock.now() } as const;
    await assert.rejects(invites.create(caller, spaceId, null), { code: 'unauthenticated' });
    assert.deepEqual(await app.db.selectFrom('invites').selectAll().execute(), []);
  });

  it('a channel does not outlive the session that ended while it was being made, nor does another address of one', async ({
    mock,
  }) => {
    await using app = await startTestApp(engine);
    const owner = await createPerson(app);
    const { channel } = (await owner.ask('POST', '/v1/channels', HOOK)).body.data;
    mock.method(
      ConfirmationsService.prototype,
      'limit',
      async () => void (await app.db.deleteFrom('sessions').execute()),
    );
    const fields = { url: 'https://localhost:1/thief', secret: '' };
    const again = () => openSession(app, owner.userId);
    assert.equal((await owner.ask('PATCH', `/v1/channels/${channel.id}`, { fields })).status, 401);
    assert.equal((await owner.ask('POST', '/v1/channels', { ...HOOK, fields }, await again())).status, 401);
    const { channels } = (await owner.ask('GET', '/v1/channels', undefined, await again())).body.data;
    assert.deepEqual(
      channels.map(({ id, label }: Record<string, string>) => [id, label]),
      [[channel.id, channel.label]],
    );
  });

  it('a thief with one session cannot fill the mailbox of the owner', async () => {
    await using app = await startTestApp(engine);
    const owner = await createPerson(app);
    for (let count = 0; count < 12; count += 1) await owner.ask('POST', '/v1/me/calendar');
    await addPasskey(owner, new Authenticator());
    await waitUntil(async () => mailsTo(app, owner).some((text) => text.includes('New passkey')));
    assert.equal(mailsTo(app, owner).filter((text) => text.includes('New calendar link')).length, 10);
  });
});
