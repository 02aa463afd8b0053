/** Whom a change concerns, as it is announced to the open web apps of all processes (`live/`). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { announcedBy } from '../support/announced.ts';
import { askToken, type Connected, connect, newProof, postForm, refreshWith } from '../support/assistants.ts';
import { connectApp } from '../support/caldav-client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

async function succeed(person: Person, ...request: Parameters<Person['ask']>) {
  const { status, body } = await person.ask(...request);
  assert.ok(status < 300, `${request.slice(0, 2).join(' ')}: ${JSON.stringify(body)}`);
  return body?.data;
}

onEveryEngine((engine, it) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  const announced = (work: () => Promise<unknown>) => announcedBy(app, work);

  test('the members of a space hear that the account of its owner or of a member was deleted', async () => {
    const [ada, bob, cem] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    const space = await createSpace(ada, bob, cem);
    for (const deleted of [bob, ada])
      assert.ok((await announced(() => succeed(deleted, 'DELETE', '/v1/me'))).has(space));
  });

  test('whom a deleted account had asked to do something hears that nobody asks any more', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    await succeed(ada, 'POST', '/v1/tasks', { title: 'dishes', owner_id: bob.userId });
    assert.ok((await announced(() => succeed(ada, 'DELETE', '/v1/me'))).has(bob.userId));
  });

  it('whoever saw a task of a deleted account hears that it is gone', async () => {
    const [ada, bob, cem] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    const space_id = await createSpace(ada, bob);
    await succeed(bob, 'POST', '/v1/tasks', { title: 'bins', space_id });
    await succeed(cem, 'POST', '/v1/tasks', { title: 'dishes', owner_id: bob.userId });
    const told = await announced(() => succeed(bob, 'DELETE', '/v1/me'));
    assert.deepEqual([told.has(ada.userId), told.has(cem.userId)], [true, true]);
  });

  test('a person hears of what changes about their channels', async () => {
    const ada = await createPerson(app);
    const fields = { url: 'https://hook.example/x' };
    let id = '';
    const changes: Record<string, () => Promise<unknown>> = {
      added: async () => {
        id = (await succeed(ada, 'POST', '/v1/channels', { provider: 'webhook', fields })).channel.id;
      },
      changed: () => succeed(ada, 'PATCH', `/v1/channels/${id}`, { name: 'mine' }),
      waiting: () => succeed(ada, 'PATCH', '/v1/channels', { fallback_minutes: 1 }),
      removed: () => succeed(ada, 'DELETE', `/v1/channels/${id}`),
    };
    for (const [name, change] of Object.entries(changes)) assert.ok((await announced(change)).has(ada.userId), name);
  });

  test('a person hears that an app has changed what only apps see of a task', async () => {
    const ada = await createPerson(app);
    const phone = await connectApp(app, ada);
    const put = (...more: string[]) => phone.put('a.ics', ['UID:a', 'SUMMARY:milk', ...more]);
    await put();
    assert.ok((await announced(() => put('X-COLOUR:red'))).has(ada.userId));
  });

  test('the members of a space hear that a change of settings moved a task in it', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const space_id = await createSpace(ada, bob);
    await succeed(ada, 'POST', '/v1/tasks', {
      title: 'bins',
      space_id,
      due_at: '2099-01-01T00:00:00',
      has_time: false,
    });
    const told = await announced(() => succeed(ada, 'PATCH', '/v1/me', { timezone: 'Asia/Tokyo' }));
    assert.ok(told.has(space_id));
  });

  test('a person hears that an import has brought tasks', async () => {
    const ada = await createPerson(app);
    const tasks = [{ title: 'milk' }];
    const importing = () => succeed(ada, 'POST', '/v1/me/import', { format: 'crescendo', version: 1, tasks });
    assert.ok((await announced(importing)).has(ada.userId));
  });

  test('who asked a deleted account to do something hears that nobody does it any more', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    await succeed(ada, 'POST', '/v1/tasks', { title: 'dishes', owner_id: bob.userId });
    assert.ok((await announced(() => succeed(bob, 'DELETE', '/v1/me'))).has(ada.userId));
  });

  test('the other apps of a person hear that they saw a nudge', async () => {
    const ada = await createPerson(app);
    const { id } = await succeed(ada, 'POST', '/v1/tasks', { title: 'milk' });
    const delivery = storedDelivery({ id, owner_id: ada.userId }, { provider: 'apns', status: 'sent' });
    await app.db.insertInto('deliveries').values(delivery).execute();
    const seen = () => succeed(ada, 'POST', '/v1/deliveries/ack', { task_id: id, stage: 0 });
    assert.ok((await announced(seen)).has(ada.userId));
  });

  it('both people hear each step of one who stands in for the other', async () => {
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const space_id = await createSpace(ada, grace);
    const { id } = await succeed(ada, 'POST', '/v1/tasks', { title: 'pills' });
    let standIn = '';
    const about = { task_id: id, person_id: grace.userId, run: 1, told_at: app.clock.now() };
    const until = new Date(app.clock.now().getTime() + 3_600_000).toISOString();
    const steps: Record<string, () => Promise<unknown>> = {
      asked: async () => {
        const asked = await succeed(ada, 'POST', '/v1/stand-ins', { person_id: grace.userId, space_id, from_rung: 0 });
        standIn = asked.id;
      },
      agreed: () => succeed(grace, 'POST', `/v1/stand-ins/${standIn}/agree`, {}),
      seen: async () => {
        const row = { ...about, stand_in_id: standIn, last_told_at: about.told_at };
        await app.db.insertInto('stand_in_tasks').values(row).execute();
        await succeed(grace, 'POST', `/v1/stand-in/tasks/${id}/seen`);
      },
      snoozed: () => succeed(grace, 'POST', `/v1/stand-in/tasks/${id}/snooze`, { until }),
      done: () => succeed(grace, 'POST', `/v1/stand-in/tasks/${id}/complete`, {}),
      ended: () => succeed(grace, 'DELETE', `/v1/stand-ins/${standIn}`),
    };
    for (const [name, step] of Object.entries(steps)) {
      const told = await announced(step);
      assert.deepEqual([told.has(ada.userId), told.has(grace.userId)], [true, true], name);
    }
  });

  it('the members of a space hear of its invitations, and a person of their switch for messages about requests', async () => {
    const ada = await createPerson(app);
    const space = await createSpace(ada);
    const invites = `/v1/spaces/${space}/invites`;
    assert.ok((await announced(() => succeed(ada, 'POST', invites, {}))).has(space));
    const [open] = await succeed(ada, 'GET', invites);
    assert.ok((await announced(() => succeed(ada, 'DELETE', `${invites}/${open.id}`))).has(space));
    const off = { enabled: false };
    assert.ok((await announced(() => succeed(ada, 'PUT', '/v1/me/request-messages', off))).has(ada.userId));
  });

  it('an open app hears of devices and access tokens that are added, limited or ended', async () => {
    const ada = await createPerson(app);
    const ios_push_token = 'ab'.repeat(32);
    const { id } = await succeed(ada, 'POST', '/v1/tokens', {});
    const steps: Record<string, () => Promise<unknown>> = {
      'a device registered': () => succeed(ada, 'POST', '/v1/devices', { ios_push_token }),
      'a device removed': async () => {
        const [device] = await succeed(ada, 'GET', '/v1/devices');
        await succeed(ada, 'DELETE', `/v1/devices/${device.id}`);
      },
      'a token limited': () => succeed(ada, 'PUT', `/v1/tokens/${id}/shortest-wait`, { minutes: 30 }),
      'a token revoked': () => succeed(ada, 'DELETE', `/v1/tokens/${id}`),
    };
    for (const [name, step] of Object.entries(steps)) assert.ok((await announced(step)).has(ada.userId), name);
    await succeed(ada, 'POST', '/v1/devices', { ios_push_token });
    const bob = await createPerson(app);
    const changedHands = await announced(() => succeed(bob, 'POST', '/v1/devices', { ios_push_token }));
    assert.ok(changedHands.has(ada.userId), 'a device is the one of another person now');
  });

  it('an open app hears that a connection ended, whoever ended it', async () => {
    const ada = await createPerson(app);
    const ends: Record<string, (made: Connected) => Promise<unknown>> = {
      'its client': ({ refresh, clientId }) => postForm(app, '/oauth/revoke', { token: refresh, client_id: clientId }),
      'a refresh token that was used again': async (made) => {
        await refreshWith(app, made);
        await app.clock.advance('2m');
        await refreshWith(app, made);
      },
      'a code that was used again': ({ code, clientId }) =>
        askToken(app, {
          grant_type: 'authorization_code',
          code,
          client_id: clientId,
          code_verifier: newProof().verifier,
        }),
    };
    for (const [name, end] of Object.entries(ends)) {
      const made = await connect(app, ada);
      assert.ok((await announced(() => end(made))).has(ada.userId), name);
      assert.deepEqual(await succeed(ada, 'GET', '/v1/tokens'), [], name);
    }
  });
});
