/** What goes by real time where the clock of the service is another, as in a demonstration, and what does not. */
import assert from 'node:assert/strict';
import { newId } from '../../src/lib/ids.ts';
import { agree, askToken, CALLBACK, connect, mcpStatus, newProof, queryOf, register } from '../support/assistants.ts';
import { Authenticator } from '../support/authenticator.ts';
import { enableSecondFactor, signInWithSecondFactor, totpCode } from '../support/deployment.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { previewFile, todoistRows } from '../support/move-in.ts';
import { createPerson, personWith, receiveCode, verifyCode } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';

const NOW = '2026-03-02T09:00:00.000Z';
const A_YEAR_LATER = '2027-03-02T09:00:00.000Z';

/** Both clocks show the same time, until that of the service leaps. */
async function start(engine: EngineName, settings: Readonly<Record<string, string>> = {}) {
  const wallClock = new FakeClock(NOW);
  const app = await startTestApp(engine, { settings, wallClock });
  const leap = () => app.clock.set(A_YEAR_LATER);
  const close = () => app[Symbol.asyncDispose]();
  return { app, wallClock, inRealTime: { ...app, clock: wallClock }, leap, [Symbol.asyncDispose]: close };
}

onEveryEngine((engine, it) => {
  it('a sign-in goes by real time: its code, its session, an access token, and how recent it is', async () => {
    await using started = await start(engine);
    const { app, leap } = started;
    const { email, ask } = await createPerson(app, 'ada@example.org');
    const minted = (await ask('POST', '/v1/tokens', { expires_at: '2026-03-03T09:00:00Z' })).body.data;
    const code = await receiveCode(app, email);
    leap();
    const { status, body } = await verifyCode(app, email, code);
    assert.equal(status, 200);
    const ada = personWith(app, email, body.data.user_id, body.data.session_token);
    assert.equal((await ada.ask('GET', '/v1/me')).status, 200);
    assert.equal((await ada.ask('GET', '/v1/tasks', undefined, minted.token)).status, 200);
    assert.equal((await ada.ask('POST', '/v1/tokens', {})).status, 200);
  });

  it('a second factor is proven in real time', async () => {
    await using started = await start(engine);
    const { inRealTime, wallClock, leap } = started;
    const ada = await createPerson(inRealTime, 'ada@example.org');
    leap();
    const { secret } = await enableSecondFactor(inRealTime, ada);
    await wallClock.advance('30s');
    assert.equal(await signInWithSecondFactor(inRealTime, ada.email, totpCode(inRealTime, secret)), 200);
  });

  it('a passkey is added and signs in by challenges that end in real time', async () => {
    await using started = await start(engine);
    const { app, leap } = started;
    const [ada, phone] = [await createPerson(app), new Authenticator()];
    const adding = (await ada.ask('POST', '/v1/passkeys/begin')).body.data;
    leap();
    const added = { name: 'Phone', credential: phone.create(adding.options) };
    assert.equal((await ada.ask('POST', '/v1/passkeys', added)).status, 200);
    const { options } = (await app.ask({ method: 'POST', url: '/v1/auth/passkey/begin' })).body.data;
    app.clock.set('2028-03-02T09:00:00Z');
    const payload = { credential: phone.get(options) };
    assert.equal((await app.ask({ method: 'POST', url: '/v1/auth/passkey', payload })).status, 200);
  });

  it('an invitation, the answer to a repeated request, a plan and the preview of a file end in real time', async () => {
    await using started = await start(engine);
    const { app, leap } = started;
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const { id: space } = (await ada.ask('POST', '/v1/spaces', { name: 'Home' })).body.data;
    const { token } = (await ada.ask('POST', `/v1/spaces/${space}/invites`, {})).body.data;
    const headers = { authorization: `Bearer ${ada.sessionToken}`, 'idempotency-key': 'k1' };
    const create = () => app.ask({ method: 'POST', url: '/v1/tasks', payload: { title: 'once' }, headers });
    await create();
    const paid = { plan: 'pro', plan_expires_at: new Date('2026-04-02T09:00:00Z') };
    await app.db.updateTable('users').set(paid).where('id', '=', ada.userId).execute();
    const preview = await previewFile(app, ada, todoistRows(['pills']));
    leap();
    assert.equal((await bob.ask('POST', `/v1/invites/${token}/accept`)).status, 200);
    assert.equal((await create()).headers['idempotent-replayed'], 'true');
    assert.equal((await ada.ask('GET', '/v1/me')).body.data.plan, 'pro');
    const moved = await ada.ask('POST', '/v1/move-in', { preview_id: preview.body.data.id });
    assert.equal(moved.status, 200);
  });

  it('the code and the secrets of an assistant end in real time', async () => {
    await using started = await start(engine);
    const { app, wallClock, leap } = started;
    const ada = await createPerson(app);
    const { access } = await connect(app, ada);
    const { client_id } = await register(app);
    const { verifier, challenge } = newProof();
    const code = await agree(ada, queryOf(client_id, challenge));
    leap();
    assert.equal(await mcpStatus(app, access), 200);
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
      client_id,
      code_verifier: verifier,
    };
    assert.equal((await askToken(app, fields)).status, 200);
    await wallClock.advance('25h');
    assert.equal(await mcpStatus(app, access), 401);
  });

  it('limits are counted in real time', async () => {
    await using started = await start(engine, { COST_BUDGET_PER_MINUTE: '20', RATE_LIMIT_PER_MINUTE: '40' });
    const { app, wallClock, leap } = started;
    const [ada, bob, eve] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    await ada.ask('POST', '/v1/me/import', { tasks: Array(30).fill({ title: 'x' }) });
    const spend = async () => (await ada.ask('GET', '/v1/stats')).status;
    const guess = async () => (await bob.ask('POST', '/v1/claim', { word: 'wrong' })).status;
    const call = async () => (await eve.ask('GET', '/v1/me')).status;
    const statuses = async () => [await spend(), await guess(), await call()];
    for (let count = 0; count < 10; count += 1) await guess();
    for (let count = 0; count < 40; count += 1) await call();
    const spent = await statuses();
    assert.deepEqual(spent, [429, 429, 429]);
    leap();
    assert.deepEqual(await statuses(), spent);
    await wallClock.advance('16m');
    assert.ok((await statuses()).every((status) => status !== 429));
  });

  it('what a person plans, asks for and is told goes by the clock of the service', async () => {
    await using started = await start(engine);
    const { app, leap } = started;
    const ada = await createPerson(app);
    leap();
    const create = async (due_at: string) =>
      (await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at, has_time: true })).body.data.id as string;
    const [late, tomorrow] = [await create('2026-06-01T10:00:00Z'), await create('2027-03-03T10:00:00Z')];
    const read = async (path: string) => (await ada.ask('GET', path)).body.data;
    assert.equal((await read('/v1/stats')).overdue, 1);
    assert.deepEqual(
      (await read('/v1/tasks?status=overdue')).map(({ id }: { id: string }) => id),
      [late],
    );
    const listed = JSON.stringify(await read('/v1/agenda'));
    assert.ok(listed.includes(tomorrow), 'the agenda begins today');
    const until = '2026-09-01T10:00:00Z';
    assert.equal((await ada.ask('POST', `/v1/tasks/${late}/snooze`, { until })).status, 422);
    assert.equal((await ada.ask('POST', '/v1/me/pause', { until })).status, 422);
    const { completed_at } = (await ada.ask('POST', `/v1/tasks/${late}/complete`)).body.data;
    assert.equal(completed_at, A_YEAR_LATER);
    const [id, ended_at] = [newId(), new Date('2026-03-20T09:00:00Z')];
    const times = { started_at: new Date(NOW), ended_at, real_started_at: new Date(NOW), real_ended_at: ended_at };
    await app.db
      .insertInto('outages')
      .values({ id, ...times, people: 1, nudges: 1 })
      .execute();
    const person = { user_id: ada.userId, outage_id: id, nudges: 1, dismissed_at: null };
    await app.db.insertInto('outage_people').values(person).execute();
    const nudge = { user_id: ada.userId, outage_id: id, task_id: tomorrow, planned_at: new Date(NOW) };
    await app.db.insertInto('outage_nudges').values(nudge).execute();
    assert.deepEqual(await read('/v1/me/outages'), [], 'it was a year ago');
  });
});
