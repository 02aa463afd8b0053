import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CalendarService } from '../../src/calendar/calendar.service.ts';
import { ConsentService } from '../../src/connections/consent.service.ts';
import { Audit } from '../../src/lib/audit.ts';
import type { SessionCaller } from '../../src/lib/caller.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, startWithAda } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  test('a session that ends during a request leaves neither a feed nor a code for an assistant behind', async () => {
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
