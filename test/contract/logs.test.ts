import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../src/lib/errors.ts';
import { newId } from '../../src/lib/ids.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice, FakePhones } from '../support/fake-phones.ts';
import { type Person, signIn } from '../support/people.ts';
import { postSlowly } from '../support/slow-post.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const linesOf = (app: TestApp, requestId: unknown) => app.log.filter(({ request_id }) => request_id === requestId);

const failing = (app: FastifyInstance) => {
  app.get('/v1/failing/:task_id', { schema: { hide: true } }, async () => {
    throw new Error('a bug');
  });
  app.get('/v1/busy', { schema: { hide: true } }, async () => {
    throw new AppError('overloaded');
  });
  app.get('/v1/outage', { schema: { hide: true } }, async () => {
    throw new AppError('database_unavailable');
  });
};
const extra = {
  routes: [failing],
  access: { 'GET /v1/failing/:task_id': 'session', 'GET /v1/busy': 'anyone', 'GET /v1/outage': 'anyone' },
} as const;

onEveryEngine((engine, it) => {
  it('every log line of a request has the request id, and the user and task id once they are known', async () => {
    await using app = await startTestApp(engine, { settings: { LOG_LEVEL: 'debug' }, extra });
    const ada = await signIn(app);
    const taskId = newId();
    const { headers, status } = await ada.ask('GET', `/v1/failing/${taskId}`);
    assert.equal(status, 500);
    const lines = linesOf(app, headers['x-request-id']);
    assert.deepEqual(
      lines.map(({ msg, level }) => [msg, level]),
      [
        ['request failed', 'error'],
        ['request', 'info'],
      ],
    );
    for (const line of lines) assert.deepEqual([line.user_id, line.task_id], [ada.userId, taskId]);
    assert.equal(lines[1]?.route, '/v1/failing/:task_id');
  });

  it('a line that a service logs during a request has the request id, even if the body arrives late', async () => {
    await using app = await startTestApp(engine);
    // A real connection: its socket events run outside the context of the request.
    const url = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const { status, requestId } = await postSlowly(`${url}/v1/auth/email/request`, { email: 'ada@example.org' });
    assert.equal(status, 200);
    const [line] = linesOf(app, requestId);
    assert.equal(line?.audit, 'code_requested');
  });

  test('concurrent requests do not mix up their log context', async () => {
    await using app = await startTestApp(engine, { settings: { LOG_LEVEL: 'debug' } });
    const people = await Promise.all([signIn(app), signIn(app), signIn(app)]);
    const mint = (person: Person) => person.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] });
    const answers = await Promise.all(people.map(mint));
    answers.forEach(({ headers }, index) => {
      const lines = linesOf(app, headers['x-request-id']);
      assert.deepEqual(new Set(lines.map(({ user_id }) => user_id)), new Set([people[index]?.userId]));
      assert.ok(lines.some(({ audit }) => audit === 'token_minted'));
    });
  });

  it('a request that failed on our side or was slow is logged at info, any other at debug', async () => {
    const requestLines = (app: TestApp) =>
      app.log.filter(({ msg }) => msg === 'request').map(({ level, status }) => [level, status]);
    await using app = await startTestApp(engine, { settings: { LOG_LEVEL: 'debug' }, extra });
    await app.ask({ url: '/health' });
    await app.ask({ url: '/v1/me' });
    // The overload protection logs its own line.
    await app.ask({ url: '/v1/busy' });
    assert.deepEqual(requestLines(app), [
      ['debug', 200],
      ['debug', 401],
      ['debug', 503],
    ]);
    await using slow = await startTestApp(engine, { extra: { limits: { slowRequestMs: 0 } } });
    await slow.ask({ url: '/health' });
    assert.deepEqual(requestLines(slow), [['info', 200]]);
  });

  test('an outage of the database is logged once, however many requests it fails', async () => {
    await using app = await startTestApp(engine, { extra });
    for (let requests = 0; requests < 20; requests += 1) await app.ask({ url: '/v1/outage' });
    assert.deepEqual(
      app.log.filter(({ msg, code }) => msg === 'request' || code === 'database_unavailable').map(({ msg }) => msg),
      ['request failed'],
    );
  });

  it('each bug is logged, also during an outage of the database', async () => {
    await using app = await startTestApp(engine, { extra });
    const ada = await signIn(app);
    await app.ask({ url: '/v1/outage' });
    for (let requests = 0; requests < 2; requests += 1) await ada.ask('GET', `/v1/failing/${newId()}`);
    assert.deepEqual(
      app.log.filter(({ msg }) => msg === 'request failed').map(({ code }) => code),
      ['database_unavailable', 'internal', 'internal'],
    );
  });

  it('a request that its caller may not make is logged at info, with the caller and the reason', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app);
    const { token } = (await ada.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] })).body.data;
    const refused = [
      await ada.ask('POST', '/v1/tasks', { title: 'x' }, token),
      await ada.ask('GET', '/v1/spaces', undefined, token),
    ];
    const lines = refused.map(({ headers }) => linesOf(app, headers['x-request-id'])[0]);
    assert.deepEqual(
      lines.map((line) => [line?.level, line?.user_id, line?.route, line?.status, line?.code]),
      [
        ['info', ada.userId, '/v1/tasks', 403, 'scope_required'],
        ['info', ada.userId, '/v1/spaces', 403, 'session_required'],
      ],
    );
  });

  it('a part of the path is logged only if it is an id', async () => {
    await using app = await startTestApp(engine, { settings: { LOG_LEVEL: 'debug' } });
    const ada = await signIn(app);
    const { headers } = await ada.ask('GET', '/v1/tasks/MARKER?q=MARKER');
    const [line] = linesOf(app, headers['x-request-id']);
    assert.equal(line?.task_id, undefined);
    assert.doesNotMatch(JSON.stringify(app.log), /MARKER/);
  });

  it('a failed push is logged with its provider, task and device', async () => {
    const clock = new FakeClock();
    const phone = new FakePhones(clock);
    await using app = await startTestApp(engine, { clock, extra: { gateways: { apns: phone } } });
    const ada = await signIn(app);
    const device_id = await addDevice(app, ada.userId);
    phone.answer = () => Promise.reject(new Error('a bug'));
    const due = { title: 'pills', due_at: '2026-03-02T08:00:00Z', has_time: true };
    const { id: task_id } = (await ada.ask('POST', '/v1/tasks', due)).body.data;
    await app.engine?.settled();
    const line = app.log.find(({ msg }) => msg === 'a push gateway failed');
    const { provider, kind } = line ?? {};
    assert.deepEqual(
      { provider, kind, task_id: line?.task_id, device_id: line?.device_id },
      { provider: 'apns', kind: 'nudge', task_id, device_id },
    );
  });

  it('no log line contains text that a user wrote or a secret, even when things fail', async () => {
    const clock = new FakeClock();
    const phone = new FakePhones(clock);
    const settings = { LOG_LEVEL: 'trace' };
    await using app = await startTestApp(engine, { clock, settings, extra: { gateways: { apns: phone } } });
    const secrets = await causeFailures(app, phone);
    const text = app.log.map((line) => JSON.stringify(line));
    assert.ok(text.length > 20);
    for (const secret of secrets) {
      // Audit lines contain the email address of a sign-in on purpose.
      const leak = text.find((line) => line.includes(secret) && !(secret.includes('@') && line.includes('"audit"')));
      assert.equal(leak, undefined, secret);
    }
  });
});

/** Uses many features, most of them with a failure. Resolves with the texts that must not be in the log. */
async function causeFailures(app: TestApp, phone: FakePhones): Promise<string[]> {
  const email = 'marker-address@example.org';
  const ada = await signIn(app, email);
  await addDevice(app, ada.userId);
  const pushToken = 'ab'.repeat(32);
  await ada.ask('POST', '/v1/devices', { ios_push_token: pushToken });
  const { token } = (await ada.ask('POST', '/v1/tokens', { name: 'marker-token-name', scopes: ['tasks:read'] })).body
    .data;
  phone.answer = () => Promise.reject(new Error('a bug'));
  const due = { due_at: '2026-03-02T08:00:00Z', has_time: true };
  const { body } = await ada.ask('POST', '/v1/tasks', { title: 'marker-title', notes: 'marker-notes', ...due });
  await app.engine?.settled();
  await ada.ask('PATCH', `/v1/tasks/${body.data.id}`, { title: 'marker-title'.repeat(1_000) });
  await ada.ask('PATCH', '/v1/me', { display_name: 'marker-name' });
  await app.ask({ method: 'POST', url: '/v1/auth/email/verify', payload: { email, code: '918273' } });
  await app.fastify.inject({ method: 'POST', url: '/v1/tasks', payload: '{"title": "marker-malformed' });
  const { id } = (await ada.ask('POST', '/v1/spaces', { name: 'marker-space' })).body.data;
  const invite = await ada.ask('POST', `/v1/spaces/${id}/invites`, { contact: 'marker-guest@example.org' });
  const inviteToken = /in_[\w-]{20,}/.exec(JSON.stringify(invite.body) + app.printed.join())?.[0] ?? 'no invite';
  await ada.ask('POST', `/v1/invites/${inviteToken}/accept`);
  await app.engine?.stop();
  await app.db.destroy();
  assert.equal((await ada.ask('POST', '/v1/tasks', { title: 'marker-title' })).status, 500);
  assert.equal((await app.ask({ method: 'POST', url: '/v1/auth/email/request', payload: { email } })).status, 500);
  const written = [
    'marker-title',
    'marker-notes',
    'marker-name',
    'marker-token-name',
    'marker-malformed',
    'marker-space',
  ];
  const secrets = [ada.sessionToken, token, pushToken, '918273', inviteToken];
  return [...written, ...secrets, email, 'marker-guest@example.org'];
}
