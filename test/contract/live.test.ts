/** What open web apps are told, and when: that something changed, and only to people who may see it. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { announce, transact } from '../../src/db/transact.ts';
import { createDatabase, type EngineName, onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice, FakePhones } from '../support/fake-phones.ts';
import { asApp, type Listener, listenAs } from '../support/live.ts';
import { createPerson, openSession, type Person, personWith } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const MOST_PER_ACCOUNT = 10;
const LADDER = { rungs: [0, 20].map((after) => ({ after, stage: 0 })), end: null };

async function startListening(engine: EngineName, extra = {}, place = {}) {
  const clock = new FakeClock();
  const gateways = { apns: new FakePhones(clock) };
  const app = await startTestApp(engine, { clock, extra: { gateways, ...extra }, ...place });
  await app.fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.fastify.server.address() as AddressInfo;
  return { app, origin: `http://127.0.0.1:${port}` };
}

async function succeed(person: Person, ...request: Parameters<Person['ask']>) {
  const { status, body } = await person.ask(...request);
  assert.ok(status < 300, `${request.slice(0, 2).join(' ')}: ${JSON.stringify(body)}`);
  return body?.data;
}

async function shareSpace(owner: Person, member: Person): Promise<string> {
  const { id } = await succeed(owner, 'POST', '/v1/spaces', { name: 'home' });
  const { token } = await succeed(owner, 'POST', `/v1/spaces/${id}/invites`, {});
  await succeed(member, 'POST', `/v1/invites/${token}/accept`);
  return id;
}

onEveryEngine((engine, it) => {
  let app: TestApp;
  let origin: string;
  before(async () => {
    ({ app, origin } = await startListening(engine));
  });
  after(() => app[Symbol.asyncDispose]());

  const listenElsewhere = async (person: Person) => listenAs(origin, await openSession(app, person.userId));

  /** A listener who was told of nothing so far is told of this change alone. */
  async function heardNothingBefore(listener: Listener, person: Person): Promise<void> {
    await succeed(person, 'POST', '/v1/tasks', { title: 'a change of their own' });
    await listener.hears();
    assert.equal(listener.heard, 1);
  }

  test('a second browser of the person hears every kind of change, whoever made it', async () => {
    const ada = await createPerson(app);
    const { id } = await succeed(ada, 'POST', '/v1/tasks', { title: 'pills' });
    const open = await succeed(ada, 'POST', '/v1/tasks', { title: 'rent', due_at: '2026-03-09T09:00:00Z' });
    const ownLadder = async () => `/v1/ladders/${(await succeed(ada, 'GET', '/v1/ladders')).ladders[0].id}`;
    const agent = await succeed(ada, 'POST', '/v1/tokens', { name: 'agent', scopes: ['tasks:write'] });
    const webhook = { provider: 'webhook', fields: { url: 'https://example.org/hook' } };
    const archive = await succeed(ada, 'GET', '/v1/me/export');
    const due_at = app.clock.now().toISOString();
    const changes: Record<string, () => Promise<unknown>> = {
      created: () => succeed(ada, 'POST', '/v1/tasks', { title: 'milk' }),
      edited: () => succeed(ada, 'PATCH', `/v1/tasks/${id}`, { title: 'both pills' }),
      snoozed: () => succeed(ada, 'POST', `/v1/tasks/${id}/snooze`, { until: '2026-03-03T09:00:00Z' }),
      'completed by an agent': () => succeed(ada, 'POST', `/v1/tasks/${id}/complete`, undefined, agent.token),
      imported: () => succeed(ada, 'POST', '/v1/me/import', archive),
      'settings changed': () => succeed(ada, 'PATCH', '/v1/me', { day_start: '08:00' }),
      paused: () => succeed(ada, 'POST', '/v1/me/pause', { until: '2026-03-02T10:00:00Z' }),
      resumed: () => succeed(ada, 'DELETE', '/v1/me/pause'),
      'label coloured': () => succeed(ada, 'PUT', '/v1/labels', { labels: [{ label: 'bill', colour: 'red' }] }),
      'colour of a label deleted': () => succeed(ada, 'DELETE', '/v1/labels?label=bill'),
      'ladder made': () => succeed(ada, 'POST', '/v1/ladders', { name: 'mine', ...LADDER }),
      'ladder changed': async () => succeed(ada, 'PATCH', await ownLadder(), { name: 'still mine' }),
      'ladder of a label chosen': () => succeed(ada, 'PUT', '/v1/ladders/labels', { label: 'bill', preset: 'daily' }),
      'ladder of the account chosen': () => succeed(ada, 'PUT', '/v1/ladders/default', { preset: 'gentle' }),
      'ladder of the account taken back': () => succeed(ada, 'DELETE', '/v1/ladders/default'),
      'ladder deleted': async () => succeed(ada, 'DELETE', await ownLadder()),
      'ladder of a task chosen': () => succeed(ada, 'PUT', `/v1/tasks/${open.id}/ladder`, { preset: 'persistent' }),
      'heads-ups set': () => succeed(ada, 'PUT', `/v1/tasks/${open.id}/heads-ups`, { heads_ups: [{ hours: 2 }] }),
      'channel added': () => succeed(ada, 'POST', '/v1/channels', webhook),
      'requests silenced': () => succeed(ada, 'PUT', '/v1/me/request-messages', { enabled: false }),
      'token minted': () => succeed(ada, 'POST', '/v1/tokens', { name: 'other', scopes: ['tasks:read'] }),
    };
    await using browser = await listenElsewhere(ada);
    // Not `hears`: a change from before it listened may be told only now, and must not stand for the one that is tried.
    const hearsOf = async <T>(name: string, change: () => Promise<T>): Promise<T> => {
      const before = browser.heard;
      const changed = await change();
      await assert.doesNotReject(
        waitUntil(() => browser.heard > before),
        name,
      );
      return changed;
    };
    for (const [name, change] of Object.entries(changes)) await hearsOf(name, change);
    await addDevice(app, ada.userId);
    const task = await hearsOf('due', () => succeed(ada, 'POST', '/v1/tasks', { title: 'due', due_at }));
    await hearsOf('nudged', () => app.clock.advance('30m'));
    const { nudge_count } = await succeed(ada, 'GET', `/v1/tasks/${task.id}`);
    assert.ok(nudge_count > 0);
  });

  test('members, the person asked and the person asking hear of a task; nobody else does', async () => {
    const [ada, bob, eve] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    const space_id = await shareSpace(ada, bob);
    await using asAda = await listenElsewhere(ada);
    await using asBob = await listenElsewhere(bob);
    await using asEve = await listenElsewhere(eve);

    const shared = await succeed(ada, 'POST', '/v1/tasks', { title: 'bins', space_id });
    await asBob.hears();
    await asAda.hears();
    // A request is seen by its two people, and heard by both.
    const asked = await succeed(bob, 'POST', '/v1/tasks', { title: 'dishes', owner_id: ada.userId, space_id });
    await asAda.hears();
    await asBob.hears();
    await succeed(ada, 'POST', `/v1/tasks/${asked.id}/accept`);
    await asBob.hears();
    await asAda.hears();
    // Bob stops seeing the task, which is a change for him too.
    await succeed(ada, 'PATCH', `/v1/tasks/${asked.id}`, { space_id: null });
    await asBob.hears();
    await asAda.hears();
    const heardByBob = asBob.heard;
    // What only Ada sees, and what is refused, Bob does not hear.
    await succeed(ada, 'POST', '/v1/tasks', { title: 'diary' });
    await asAda.hears();
    assert.equal((await bob.ask('POST', `/v1/tasks/${shared.id}/complete`)).status, 403);
    assert.equal(asBob.heard, heardByBob);
    await heardNothingBefore(asEve, eve);
    assert.equal(asBob.heard, heardByBob);
    // Who loses sight of a task hears of it, too.
    await succeed(ada, 'PATCH', `/v1/tasks/${shared.id}`, { space_id: null });
    await asBob.hears();
  });

  it('a person hears a space from the moment they join it until they leave or are removed', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    await using asAda = await listenElsewhere(ada);
    await using asBob = await listenElsewhere(bob);
    const space_id = await shareSpace(ada, bob);
    // Told of the joining, and once more when the stream hears the space.
    await waitUntil(() => asBob.heard === 2);
    await waitUntil(() => asAda.heard >= 2);
    await succeed(ada, 'POST', '/v1/tasks', { title: 'bins', space_id });
    await waitUntil(() => asBob.heard === 3);
    await succeed(ada, 'PATCH', `/v1/spaces/${space_id}`, { name: 'our home' });
    await waitUntil(() => asBob.heard === 4);

    await succeed(ada, 'DELETE', `/v1/spaces/${space_id}/members/${bob.userId}`);
    await waitUntil(() => asBob.heard === 6);
    const heardByAda = asAda.heard;
    await succeed(ada, 'POST', '/v1/tasks', { title: 'bins again', space_id });
    await waitUntil(() => asAda.heard > heardByAda);
    assert.equal(asBob.heard, 6);
  });

  test('what a transaction announced is told after its commit, and never if it is rolled back', async () => {
    const ada = await createPerson(app);
    await using browser = await listenElsewhere(ada);
    const failing = transact(app.db, async (trx) => {
      announce(trx, [ada.userId]);
      throw new Error('rolled back');
    });
    await assert.rejects(failing, /rolled back/);
    await heardNothingBefore(browser, ada);
  });

  it('only the session in the cookie of the app opens a stream', async () => {
    const ada = await createPerson(app);
    const { token } = await succeed(ada, 'POST', '/v1/tokens', { name: 'agent', scopes: ['tasks:read'] });
    const { cookie, ...fromApp } = asApp(ada.sessionToken);
    const attempts: readonly [headers: Record<string, string>, status: number][] = [
      [{}, 401],
      [{ cookie }, 401],
      [{ cookie, ...fromApp, 'sec-fetch-site': 'cross-site' }, 401],
      [asApp('st_wrong'), 401],
      [{ authorization: `Bearer ${ada.sessionToken}` }, 403],
      [{ authorization: `Bearer ${ada.sessionToken}`, ...fromApp }, 403],
      [{ authorization: `Bearer ${token}`, ...fromApp }, 403],
      [{ authorization: `Bearer ${token}`, cookie, ...fromApp }, 403],
    ];
    for (const [headers, expected] of attempts) {
      const response = await fetch(`${origin}/app/live`, { headers });
      assert.equal(response.status, expected, JSON.stringify(headers));
      await response.body?.cancel();
    }
    const { body } = await app.ask({ method: 'GET', url: '/openapi.json' });
    assert.ok(!Object.keys(body.paths).some((path) => path.startsWith('/app')));
  });

  it('the answer asks browsers and proxies to pass it on at once and to keep nothing', async () => {
    const ada = await createPerson(app);
    const { headers, body } = await fetch(`${origin}/app/live`, { headers: asApp(ada.sessionToken) });
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal(headers.get('x-accel-buffering'), 'no');
    // Otherwise its socket stays open after the stream has ended, and a process that stops waits for it.
    assert.equal(headers.get('connection'), 'close');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    await body?.cancel();
  });

  it('the stream of a session ends when the session does, and others go on', async () => {
    const ada = await createPerson(app);
    const session = await openSession(app, ada.userId);
    await using other = await listenAs(origin, ada.sessionToken);
    await using browser = await listenAs(origin, session);
    await succeed(ada, 'DELETE', '/v1/auth/session', undefined, session);
    await browser.ended;
    await other.hears();
    await succeed(ada, 'POST', '/v1/tasks', { title: 'pills' });
    await other.hears();
  });

  test('the stream of a suspended account ends, and opens again once the suspension is lifted', async () => {
    const [boss, ada] = [await createPerson(app), await createPerson(app)];
    await app.db.updateTable('users').set({ is_admin: true }).where('id', '=', boss.userId).execute();
    await using other = await listenAs(origin, boss.sessionToken);
    await using browser = await listenAs(origin, ada.sessionToken);
    await succeed(boss, 'POST', `/v1/admin/people/${ada.userId}/suspend`);
    await browser.ended;
    const refused = await app.ask({ method: 'GET', url: '/app/live', headers: asApp(ada.sessionToken) });
    assert.equal(refused.status, 401);
    await succeed(boss, 'POST', `/v1/admin/people/${ada.userId}/lift`);
    await using again = await listenAs(origin, ada.sessionToken);
    await succeed(ada, 'POST', '/v1/tasks', { title: 'pills' });
    await again.hears();
    await heardNothingBefore(other, boss);
  });

  it('of more streams than an account may have, the oldest ends', async () => {
    const ada = await createPerson(app);
    await using streams = new AsyncDisposableStack();
    const open = async () => streams.use(await listenElsewhere(ada));
    const oldest = await open();
    const others: Listener[] = [];
    for (let count = 1; count < MOST_PER_ACCOUNT; count += 1) others.push(await open());
    await succeed(ada, 'POST', '/v1/tasks', { title: 'pills' });
    await oldest.hears();
    others.push(await open());
    await oldest.ended;
    await succeed(ada, 'POST', '/v1/tasks', { title: 'more pills' });
    await Promise.all(others.map((other) => other.hears()));
  });

  it('a session that ended without a notice loses its stream at the next check, which keeps the others open', async () => {
    const { app, origin } = await startListening(engine, { checkStreamsEveryMs: 20 });
    await using _ = app;
    const ada = await createPerson(app);
    await using kept = await listenAs(origin, await openSession(app, ada.userId));
    await using lost = await listenAs(origin, await openSession(app, ada.userId));
    const newest = app.db.selectFrom('sessions').select('id').orderBy('id', 'desc').limit(1);
    const { id: lostId } = await newest.executeTakeFirstOrThrow();
    await using expired = await listenAs(origin, await openSession(app, ada.userId));
    await waitUntil(() => expired.keptAlive > 0);
    const now = app.clock.now();
    await app.db.updateTable('sessions').set({ expires_at: now }).where('id', 'in', newest).execute();
    await expired.ended;
    await app.db.deleteFrom('sessions').where('id', '=', lostId).execute();
    await lost.ended;
    const before = kept.keptAlive;
    await waitUntil(() => kept.keptAlive > before);
  });

  it('a service that stops ends its streams and does not wait for the browsers', async () => {
    const { app, origin } = await startListening(engine);
    const ada = await createPerson(app);
    const browser = await listenAs(origin, ada.sessionToken);
    await app[Symbol.asyncDispose]();
    await browser.ended;
  });
});

onlyOn('postgres', () => {
  test('a browser at one process hears what was changed at another', async () => {
    await using parts = new AsyncDisposableStack();
    const database = parts.adopt(await createDatabase('postgres'), ({ drop }) => drop());
    const start = async (ROLE: string) => {
      const place = { databaseUrl: database.url, settings: { ROLE } };
      const started = await startListening('postgres', {}, place);
      parts.use(started.app);
      return started;
    };
    // They share nothing but the database, as two processes do.
    const [engine, api] = [await start('all'), await start('api')];
    const ada = await createPerson(engine.app);
    for (const [here, there] of [
      [engine, api],
      [api, engine],
    ] as const) {
      const browser = parts.use(await listenAs(here.origin, await openSession(here.app, ada.userId)));
      const writer = personWith(there.app, ada.email, ada.userId, await openSession(there.app, ada.userId));
      // A process that has just started may not be listening to the other yet.
      await waitUntil(async () => {
        await succeed(writer, 'POST', '/v1/tasks', { title: 'pills' });
        return browser.heard > 0;
      });
      const before = browser.heard;
      await succeed(writer, 'POST', '/v1/tasks', { title: 'pills' });
      await waitUntil(() => browser.heard > before);
    }
  });
});
