/** Who gets a new account, by SIGN_UP, SIGN_UP_DOMAINS and ADMINS. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeIdentityProvider } from '../support/identity-provider.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const codeOf = ({ body }: { body: { error: string } }) => body.error.split(':')[0];
const withInvite = (invite?: string) => (invite === undefined ? {} : { headers: { 'x-invite': invite } });

const requestCode = (app: TestApp, email: string, invite?: string) =>
  app.ask({ method: 'POST', url: '/v1/auth/email/request', payload: { email }, ...withInvite(invite) });

const verify = (app: TestApp, email: string, code: string, invite?: string) =>
  app.ask({ method: 'POST', url: '/v1/auth/email/verify', payload: { email, code }, ...withInvite(invite) });

const mailTo = (app: TestApp, email: string) => app.printed.findLast((text) => text.includes(`Mail to ${email} `));
const codeIn = (mail: string | undefined) =>
  /Your sign-in code is ([\d ]+)\./.exec(mail ?? '')?.[1]?.replaceAll(' ', '');

/** Signs up by mail; undefined for an address that gets no code, and otherwise the status of the second call. */
async function signUp(app: TestApp, email: string, invite?: string): Promise<number | undefined> {
  assert.equal((await requestCode(app, email, invite)).status, 200);
  const code = codeIn(mailTo(app, email));
  return code === undefined ? undefined : (await verify(app, email, code, invite)).status;
}

async function inviteFrom(member: Person): Promise<{ token: string; id: string; spaceId: string }> {
  const space = (await member.ask('POST', '/v1/spaces', { name: 'Home' })).body.data;
  const { token, id } = (await member.ask('POST', `/v1/spaces/${space.id}/invites`, {})).body.data;
  return { token, id, spaceId: space.id };
}

const countUsers = async (app: TestApp) => (await app.db.selectFrom('users').select('id').execute()).length;

const start = (engine: EngineName, settings: Record<string, string>) => startTestApp(engine, { settings });

onEveryEngine((engine, it) => {
  it('where sign-up is by invitation, no answer tells an address that is refused from one with an account', async () => {
    await using app = await start(engine, { SIGN_UP: 'invite', ADMINS: 'Admin@Home.test' });
    await createPerson(app, 'member@home.test');
    const answers = [];
    for (const email of ['member@home.test', 'admin@home.test', 'stranger@home.test']) {
      const requested = await requestCode(app, email);
      assert.equal(requested.status, 200);
      const stored = await app.db.selectFrom('email_codes').selectAll().execute();
      const wrong = codeIn(mailTo(app, email)) === '000000' ? '000001' : '000000';
      const tries = [];
      for (let attempt = 0; attempt < 6; attempt += 1) {
        const { status, body } = await verify(app, email, wrong);
        tries.push([status, body]);
      }
      const headers = Object.keys(requested.headers).sort();
      answers.push({ body: requested.body, headers, stored: stored.length - answers.length, tries });
    }
    assert.deepEqual(answers[1], answers[0]);
    assert.deepEqual(answers[2], answers[0]);
    assert.equal(answers[0]?.body.data.sign_up, 'invite');
    assert.ok(answers[0]?.headers.includes('x-sign-in-request'));
    // Each address was mailed once; the mail alone differs.
    assert.equal(app.printed.length, 3);
    const refusal = mailTo(app, 'stranger@home.test') ?? '';
    assert.match(refusal, /no account there, and new accounts are not open to everyone/);
    assert.doesNotMatch(refusal, /\d{6}/);
    const refused = app.log.filter(({ audit, result }) => audit === 'sign_up' && result === 'refused');
    assert.deepEqual(
      refused.map(({ email, address }) => [email, address]),
      [['stranger@home.test', '127.0.0.1']],
    );
    assert.ok(codeIn(mailTo(app, 'member@home.test')) && codeIn(mailTo(app, 'admin@home.test')));
  });

  it('mails that refuse a sign-up are limited like codes, and requests for them keep no invited person out', async () => {
    await using app = await start(engine, { SIGN_UP: 'invite' });
    const member = await createPerson(app, 'member@home.test');
    const mailsTo = (email: string) => app.printed.filter((text) => text.includes(`Mail to ${email} `)).length;
    for (let request = 0; request < 32; request += 1) {
      const [known, refused] = [await requestCode(app, member.email), await requestCode(app, 'stranger@home.test')];
      assert.equal(refused.status, 200);
      assert.deepEqual(refused.body, known.body);
      assert.deepEqual(Object.keys(refused.headers).sort(), Object.keys(known.headers).sort());
    }
    assert.deepEqual([mailsTo(member.email), mailsTo('stranger@home.test')], [31, 30]);
    const { token } = await inviteFrom(member);
    assert.equal(await signUp(app, 'stranger@home.test', token), 200);
    assert.equal(codeIn(mailTo(app, 'stranger@home.test'))?.length, 16);
  });

  it('people with an account sign in, whatever SIGN_UP says', async () => {
    await using app = await start(engine, { SIGN_UP: 'invite', SIGN_UP_DOMAINS: 'work.test' });
    await createPerson(app, 'member@home.test');
    assert.equal(await signUp(app, 'member@home.test'), 200);
    assert.equal(await countUsers(app), 1);
  });

  it('ADMINS and SIGN_UP_DOMAINS admit exactly their addresses, in any spelling', async () => {
    const settings = { SIGN_UP: 'invite', ADMINS: 'ada@home.test, zoé@exämple.test', SIGN_UP_DOMAINS: 'Work.test' };
    await using app = await start(engine, settings);
    for (const email of ['ada@home.test', 'zoé@xn--exmple-cua.test', 'any@work.test'])
      assert.equal(await signUp(app, email), 200, email);
    for (const email of ['ada@else.test', 'bob@home.test', 'x@sub.work.test', 'x@work.test.else.test'])
      assert.equal(await signUp(app, email), undefined, email);
  });

  it('with SIGN_UP=open a list of domains is the limit, and an invitation does not lift it', async () => {
    await using app = await start(engine, { SIGN_UP: 'open', SIGN_UP_DOMAINS: 'work.test', ADMINS: 'ada@home.test' });
    const { token } = await inviteFrom(await createPerson(app));
    assert.equal((await requestCode(app, 'x@work.test')).body.data.sign_up, 'domains');
    assert.equal(await signUp(app, 'any@work.test'), 200);
    assert.equal(await signUp(app, 'ada@home.test'), 200);
    assert.equal(await signUp(app, 'stranger@home.test', token), undefined);
  });

  it('an open invitation admits one new account, which can then accept it', async () => {
    await using app = await start(engine, { SIGN_UP: 'invite' });
    const { token, spaceId } = await inviteFrom(await createPerson(app));
    await requestCode(app, 'guest@home.test', token);
    const code = codeIn(mailTo(app, 'guest@home.test')) ?? '';
    const { status, body } = await verify(app, 'guest@home.test', code, token);
    assert.deepEqual([status, body.data.mode], [200, 'register']);
    assert.equal(await signUp(app, 'crowd@home.test', token), undefined);
    const headers = { authorization: `Bearer ${body.data.session_token}` };
    const joined = await app.ask({ method: 'POST', url: `/v1/invites/${token}/accept`, headers });
    assert.deepEqual([joined.status, joined.body.data.id], [200, spaceId]);
  });

  it('an invitation that is unknown, revoked, expired or accepted admits nobody', async () => {
    await using app = await start(engine, { SIGN_UP: 'invite' });
    const member = await createPerson(app);
    const [revoked, accepted, late] = [await inviteFrom(member), await inviteFrom(member), await inviteFrom(member)];
    await member.ask('DELETE', `/v1/spaces/${revoked.spaceId}/invites/${revoked.id}`);
    await (await createPerson(app)).ask('POST', `/v1/invites/${accepted.token}/accept`);
    for (const token of ['in_unknown', '', revoked.token, accepted.token])
      assert.equal(await signUp(app, 'guest@home.test', token), undefined);
    await requestCode(app, 'late@home.test', late.token);
    const code = codeIn(mailTo(app, 'late@home.test')) ?? '';
    await member.ask('DELETE', `/v1/spaces/${late.spaceId}/invites/${late.id}`);
    const tooLate = await verify(app, 'late@home.test', code, late.token);
    assert.deepEqual([tooLate.status, codeOf(tooLate)], [401, 'wrong_code']);
    const old = await inviteFrom(member);
    await app.clock.advance('15d');
    assert.equal(await signUp(app, 'guest@home.test', old.token), undefined);
  });

  it('an invitation of a suspended member admits nobody, to the service or the space, until it is lifted', async () => {
    await using app = await start(engine, { SIGN_UP: 'invite' });
    const [member, other] = [await createPerson(app), await createPerson(app)];
    const { token } = await inviteFrom(member);
    const setSuspended = (suspended_at: Date | null) =>
      app.db.updateTable('users').set({ suspended_at }).where('id', '=', member.userId).execute();
    await setSuspended(app.clock.now());
    assert.equal(await signUp(app, 'again@home.test', token), undefined);
    assert.equal(codeOf(await other.ask('POST', `/v1/invites/${token}/accept`)), 'invite_revoked');
    await setSuspended(null);
    assert.equal(await signUp(app, 'again@home.test', token), 200);
    assert.equal((await other.ask('POST', `/v1/invites/${token}/accept`)).status, 200);
  });

  test('of two people who sign up with one invitation at the same moment, one is admitted', async () => {
    await using app = await start(engine, { SIGN_UP: 'invite' });
    const { token } = await inviteFrom(await createPerson(app));
    const emails = ['one@home.test', 'two@home.test'];
    for (const email of emails) await requestCode(app, email, token);
    const codes = emails.map((email) => codeIn(mailTo(app, email)) ?? '');
    const answers = await Promise.all(emails.map((email, index) => verify(app, email, codes[index] ?? '', token)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401]);
    assert.equal(await countUsers(app), 2);
  });

  it('by the identity provider, a refused new person gets a 403 of its own, and nothing is created', async () => {
    const clock = new FakeClock();
    await using provider = await FakeIdentityProvider.start(clock);
    const settings = { ...provider.settings, SIGN_UP: 'invite', ADMINS: 'ada@home.test', SIGN_UP_DOMAINS: 'work.test' };
    await using app = await startTestApp(engine, { clock, settings });
    const member = await createPerson(app, 'member@home.test');
    const { token } = await inviteFrom(member);
    const signIn = async (claims: object, invite?: string) => {
      const payload = { identity_token: await provider.issue({ ...claims }) };
      const answer = await app.ask({ method: 'POST', url: '/v1/auth/idp', payload, ...withInvite(invite) });
      return answer.status === 200 ? answer.body.data.mode : [answer.status, codeOf(answer)];
    };
    const refused = [403, 'sign_up_closed'];
    assert.deepEqual(await signIn({ sub: 'a', email: 'stranger@home.test', email_verified: true }), refused);
    assert.deepEqual(await signIn({ sub: 'b', email: 'ada@home.test', email_verified: false }), refused);
    assert.deepEqual(await signIn({ sub: 'c', email: 'any@work.test' }), refused);
    assert.deepEqual(await signIn({ sub: 'd' }), refused);
    assert.equal(await countUsers(app), 1);
    assert.deepEqual(await app.db.selectFrom('identities').select('id').execute(), []);
    assert.equal(app.log.filter(({ audit, result }) => audit === 'sign_in' && result === 'sign_up_closed').length, 4);

    assert.equal(await signIn({ sub: 'b', email: 'ada@home.test', email_verified: true }), 'register');
    assert.equal(await signIn({ sub: 'c', email: 'any@work.test', email_verified: true }), 'register');
    assert.equal(await signIn({ sub: 'm', email: 'member@home.test', email_verified: true }), 'link');
    assert.equal(await signIn({ sub: 'b' }), 'login');
    assert.equal(await signIn({ sub: 'd' }, token), 'register');
    assert.deepEqual(await signIn({ sub: 'e' }, token), refused);
  });
});
