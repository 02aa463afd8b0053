import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CalendarService } from '../../src/calendar/calendar.service.ts';
import { ConsentService } from '../../src/connections/consent.service.ts';
import { Audit } from '../../src/lib/audit.ts';
import type { SessionCaller } from '../../src/lib/caller.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { AddressChangeService, type AddressParts } from '../../src/sign-in/address/address-change.service.ts';
import { SessionsService } from '../../src/sign-in/sessions.service.ts';
import { Authenticator } from '../support/authenticator.ts';
import { totpCode } from '../support/deployment.ts';
import { onEveryEngine } from '../support/engines.ts';
import { HalfSent } from '../support/half-sent.ts';
import { createPerson, openSession, personWith, startWithAda } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  test('a session that ends during a request leaves no feed, no code for an assistant and no new address behind', async () => {
    await using app = await startTestApp(engine);
    const { userId } = await createPerson(app);
    const { db, clock } = app;
    const audit = new Audit(createLogger('silent'));
    const ended: SessionCaller = { kind: 'session', userId, sessionId: newId(), provenAt: clock.now() };
    const calendar = new CalendarService(db, { clock, wallClock: clock }, audit, () => assert.fail('a feed was made'));
    await assert.rejects(calendar.create(ended, '203.0.113.7'), { code: 'unauthenticated' });
    assert.equal(await calendar.find({ userId }), undefined);

    const redirectUri = 'https://assistant.example/back';
    const client = {
      id: 'client',
      name: 'An assistant',
      host: null,
      redirectUris: [redirectUri],
      auths: ['none' as const],
    };
    const consent = new ConsentService({
      db,
      clock,
      tokens: { getEnd: async () => null, requireRoom: async () => undefined },
      clients: { find: async () => client },
      limitRequests: async () => undefined,
      audit,
    });
    const query = new URLSearchParams({
      client_id: client.id,
      redirect_uri: redirectUri,
      response_type: 'code',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    }).toString();
    const rails = { scopes: ['tasks:read' as const], max_stage: null, expires_at: null, max_open_tasks: null };
    const decision = { query, agrees: true, rails };
    await assert.rejects(consent.decide(ended, decision, 'https://crescendo.test', '203.0.113.7'), {
      code: 'unauthenticated',
    });
    assert.deepEqual(await db.selectFrom('connection_codes').select('code_hash').execute(), []);

    const parts = { db, clock, gate: { check: async (_: unknown, __: unknown, prove: () => unknown) => prove() } };
    const addresses = new AddressChangeService({
      ...parts,
      codes: { spend: () => assert.fail('a code was spent') },
    } as unknown as AddressParts);
    const requester = { address: '203.0.113.7', token: undefined, userAgent: undefined };
    await assert.rejects(addresses.confirm(ended, 'new@home.test', '123456', requester), { code: 'unauthenticated' });
  });

  it('a sign-in is not carried over to a session that has just ended, and goes on by itself', async () => {
    await using app = await startTestApp(engine);
    const { email, userId } = await createPerson(app);
    const fresh = personWith(app, email, userId, await openSession(app, userId));
    const { db, clock } = app;
    const ended: SessionCaller = { kind: 'session', userId, sessionId: newId(), provenAt: clock.now() };
    const sessions = new SessionsService(db, clock, new Audit(createLogger('silent')));
    const prove = sessions.proveAgain(ended, fresh.sessionToken, '203.0.113.7');
    await assert.rejects(prove, { code: 'unauthenticated' });
    assert.equal((await fresh.ask('GET', '/v1/me')).status, 200);
  });

  it('a session that ends while the last byte of a request is on its way adds no way into the account', async () => {
    await using app = await startTestApp(engine, { settings: { BASE_URL: 'http://localhost:8080' } });
    const owner = await createPerson(app);
    const stolen = personWith(app, owner.email, owner.userId, await openSession(app, owner.userId));
    const { secret } = (await stolen.ask('POST', '/v1/auth/mfa/enroll')).body.data;
    const { options } = (await stolen.ask('POST', '/v1/passkeys/begin')).body.data;
    const email = 'thief@evil.test';
    await stolen.ask('POST', '/v1/me/address/request', { email });
    const [, code] = /account is (\d{6})/.exec(app.printed.at(-1) ?? '') ?? [];
    const requests = await HalfSent.by(app, stolen.sessionToken);
    const finish = [
      requests.begin('/v1/me/address', { email, code }),
      requests.begin('/v1/passkeys', { name: 'mine', credential: new Authenticator().create(options) }),
      requests.begin('/v1/auth/mfa/enroll/confirm', { code: totpCode(app, secret) }),
      requests.begin('/v1/tokens', { scopes: ['tasks:read'] }),
      requests.begin('/v1/devices', { ios_push_token: 'ab'.repeat(32) }),
    ];
    await requests.areRead();
    // Within the second in which the token counts as looked up.
    await owner.ask('POST', '/v1/me/access/end', {});
    for (const end of finish) assert.equal(await end(), 401);
    const { body } = await owner.ask('GET', '/v1/me/access');
    assert.deepEqual(
      body.data.map(({ kind }: { kind: string }) => kind),
      ['session'],
    );
    const me = (await owner.ask('GET', '/v1/me')).body.data;
    assert.deepEqual([me.email, me.mfa_enabled], [owner.email, false]);
  });

  it('everything that is chosen ends, also several of one kind', async () => {
    await using started = await startWithAda(engine);
    const { ada } = started;
    for (const number of [1, 2, 3])
      for (const [path, body] of [
        ['/v1/channels', { provider: 'webhook', fields: { url: `https://hook.example/${number}` } }],
        ['/v1/tokens', { name: `Script ${number}`, scopes: ['tasks:read'] }],
        ['/v1/devices', { ios_push_token: `a${number}`.repeat(32) }],
      ] as const)
        assert.equal((await ada.ask('POST', path, body)).status, 200, path);
    const listed = async (): Promise<{ id: string; kind: string; current: boolean }[]> =>
      (await ada.ask('GET', '/v1/me/access')).body.data;
    const all = (await listed()).filter(({ current }) => !current);
    assert.equal(all.length, 9);
    const [kept, ...chosen] = all;
    const ids = chosen.map(({ id }) => id);
    assert.deepEqual((await ada.ask('POST', '/v1/me/access/end', { sessions: false, ids })).body.data, { ended: 8 });
    assert.deepEqual(
      (await listed()).filter(({ current }) => !current).map(({ id }) => id),
      [kept?.id],
    );
  });
});
