import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../src/lib/errors.ts';
import { newId } from '../../src/lib/ids.ts';
import { type Bed, startBed } from '../support/bed.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { type Person, signIn } from '../support/people.ts';
import { addDevice, PretendPhones } from '../support/pretend-phone.ts';
import { postSlowly } from '../support/slow-post.ts';

const linesOf = (bed: Bed, requestId: unknown) => bed.log.filter(({ request_id }) => request_id === requestId);

const failing = (app: FastifyInstance) => {
  app.get('/v1/failing/:task_id', { schema: { hide: true } }, async () => {
    throw new Error('a mistake of ours');
  });
  app.get('/v1/busy', { schema: { hide: true } }, async () => {
    throw new AppError('overloaded');
  });
};
const extra = {
  routes: [failing],
  access: { 'GET /v1/failing/:task_id': 'session', 'GET /v1/busy': 'anyone' },
} as const;

onEveryEngine((engine) => {
  test('every line of a request names the request, and as soon as it is known the user and the task', async () => {
    await using bed = await startBed(engine, { settings: { LOG_LEVEL: 'debug' }, extra });
    const ada = await signIn(bed);
    const taskId = newId();
    const { headers, status } = await ada.ask('GET', `/v1/failing/${taskId}`);
    assert.equal(status, 500);
    const lines = linesOf(bed, headers['x-request-id']);
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

  test('what a service logs in the middle of a request names the request too, whatever was read before', async () => {
    await using bed = await startBed(engine);
    // Over a real connection, whose events know nothing of the request that they carry.
    const url = await bed.app.listen({ port: 0, host: '127.0.0.1' });
    const { status, requestId } = await postSlowly(`${url}/v1/auth/email/request`, { email: 'ada@example.org' });
    assert.equal(status, 200);
    const [line] = linesOf(bed, requestId);
    assert.equal(line?.audit, 'code_requested');
  });

  test('two requests at once do not take on each other’s names', async () => {
    await using bed = await startBed(engine, { settings: { LOG_LEVEL: 'debug' } });
    const people = await Promise.all([signIn(bed), signIn(bed), signIn(bed)]);
    const mint = (person: Person) => person.ask('POST', '/v1/tokens', { scopes: ['tasks:read'] });
    const answers = await Promise.all(people.map(mint));
    answers.forEach(({ headers }, index) => {
      const lines = linesOf(bed, headers['x-request-id']);
      assert.deepEqual(new Set(lines.map(({ user_id }) => user_id)), new Set([people[index]?.userId]));
      assert.ok(lines.some(({ audit }) => audit === 'token_minted'));
    });
  });

  test('a request is a line at info where it failed on our side or was slow, and otherwise at debug', async () => {
    const told = (bed: Bed) =>
      bed.log.filter(({ msg }) => msg === 'request').map(({ level, status }) => [level, status]);
    await using bed = await startBed(engine, { settings: { LOG_LEVEL: 'debug' }, extra });
    await bed.ask({ url: '/health' });
    await bed.ask({ url: '/v1/me' });
    // Turning many away is told by one line of its own.
    await bed.ask({ url: '/v1/busy' });
    assert.deepEqual(told(bed), [
      ['debug', 200],
      ['debug', 401],
      ['debug', 503],
    ]);
    await using slow = await startBed(engine, { extra: { limits: { slowRequestMs: 0 } } });
    await slow.ask({ url: '/health' });
    assert.deepEqual(told(slow), [['info', 200]]);
  });

  test('what stands in an address is repeated only where it is an id', async () => {
    await using bed = await startBed(engine, { settings: { LOG_LEVEL: 'debug' } });
    const ada = await signIn(bed);
    const { headers } = await ada.ask('GET', '/v1/tasks/MARKER?q=MARKER');
    const [line] = linesOf(bed, headers['x-request-id']);
    assert.equal(line?.task_id, undefined);
    assert.doesNotMatch(JSON.stringify(bed.log), /MARKER/);
  });

  test('a push that goes wrong is told with its provider, its task and its device', async () => {
    const clock = new FakeClock();
    const phone = new PretendPhones(clock);
    await using bed = await startBed(engine, { clock, extra: { gateways: { apns: phone } } });
    const ada = await signIn(bed);
    const device_id = await addDevice(bed, ada.userId);
    phone.answer = () => Promise.reject(new Error('a mistake of ours'));
    const due = { title: 'pills', due_at: '2026-03-02T08:00:00Z', has_time: true };
    const { id: task_id } = (await ada.ask('POST', '/v1/tasks', due)).body.data;
    await bed.engine?.settled();
    const line = bed.log.find(({ msg }) => msg === 'a push gateway failed');
    const { provider, kind } = line ?? {};
    assert.deepEqual(
      { provider, kind, task_id: line?.task_id, device_id: line?.device_id },
      { provider: 'apns', kind: 'nudge', task_id, device_id },
    );
  });

  test('nothing that a person wrote and nothing secret is in any line, whatever fails', async () => {
    const clock = new FakeClock();
    const phone = new PretendPhones(clock);
    const settings = { LOG_LEVEL: 'trace' };
    await using bed = await startBed(engine, { clock, settings, extra: { gateways: { apns: phone } } });
    const secrets = await liveThrough(bed, phone);
    const text = bed.log.map((line) => JSON.stringify(line));
    assert.ok(text.length > 20);
    for (const secret of secrets) {
      // Audit lines say which address was signed in with: that is what they are for.
      const guilty = text.find((line) => line.includes(secret) && !(secret.includes('@') && line.includes('"audit"')));
      assert.equal(guilty, undefined, secret);
    }
  });
});

/** A little of everything, most of it going wrong; resolves with what must not be in the log. */
async function liveThrough(bed: Bed, phone: PretendPhones): Promise<string[]> {
  const email = 'marker-address@example.org';
  const ada = await signIn(bed, email);
  await addDevice(bed, ada.userId);
  const pushToken = 'ab'.repeat(32);
  await ada.ask('POST', '/v1/devices', { ios_push_token: pushToken });
  const { token } = (await ada.ask('POST', '/v1/tokens', { name: 'marker-token-name', scopes: ['tasks:read'] })).body
    .data;
  phone.answer = () => Promise.reject(new Error('a mistake of ours'));
  const due = { due_at: '2026-03-02T08:00:00Z', has_time: true };
  const { body } = await ada.ask('POST', '/v1/tasks', { title: 'marker-title', notes: 'marker-notes', ...due });
  await bed.engine?.settled();
  await ada.ask('PATCH', `/v1/tasks/${body.data.id}`, { title: 'marker-title'.repeat(1_000) });
  await ada.ask('PATCH', '/v1/me', { display_name: 'marker-name' });
  await bed.ask({ method: 'POST', url: '/v1/auth/email/verify', payload: { email, code: '918273' } });
  await bed.app.inject({ method: 'POST', url: '/v1/tasks', payload: '{"title": "marker-malformed' });
  const { id } = (await ada.ask('POST', '/v1/spaces', { name: 'marker-space' })).body.data;
  const invite = await ada.ask('POST', `/v1/spaces/${id}/invites`, { contact: 'marker-guest@example.org' });
  const inviteToken = /in_[\w-]{20,}/.exec(JSON.stringify(invite.body) + bed.printed.join())?.[0] ?? 'no invite';
  await ada.ask('POST', `/v1/invites/${inviteToken}/accept`);
  await bed.engine?.stop();
  await bed.db.destroy();
  assert.equal((await ada.ask('POST', '/v1/tasks', { title: 'marker-title' })).status, 500);
  assert.equal((await bed.ask({ method: 'POST', url: '/v1/auth/email/request', payload: { email } })).status, 500);
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
