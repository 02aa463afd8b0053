/** Whom a change concerns, as it is announced to the open web apps of all processes (`live/`). */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { DirectDatabase } from '../../src/db/direct-executor.ts';
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

onEveryEngine((engine) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  /** The ids of the people and spaces that are announced while this is done. */
  async function announcedBy(work: () => Promise<unknown>): Promise<ReadonlySet<string>> {
    const told = new Set<string>();
    const { db } = app;
    assert.ok(db instanceof DirectDatabase);
    const { announcer } = db;
    db.announcer = {
      announce: (ids) => {
        for (const id of ids) told.add(id);
      },
    };
    await work().finally(() => {
      db.announcer = announcer;
    });
    return told;
  }

  test('the members of a space hear that the account of its owner was deleted', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const space = await createSpace(ada, bob);
    assert.ok((await announcedBy(() => succeed(ada, 'DELETE', '/v1/me'))).has(space));
  });

  test('whom a deleted account had asked to do something hears that nobody asks any more', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    await succeed(ada, 'POST', '/v1/tasks', { title: 'dishes', owner_id: bob.userId });
    assert.ok((await announcedBy(() => succeed(ada, 'DELETE', '/v1/me'))).has(bob.userId));
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
    for (const [name, change] of Object.entries(changes)) assert.ok((await announcedBy(change)).has(ada.userId), name);
  });

  test('a person hears that an app has changed what only apps see of a task', async () => {
    const ada = await createPerson(app);
    const phone = await connectApp(app, ada);
    const put = (...more: string[]) => phone.put('a.ics', ['UID:a', 'SUMMARY:milk', ...more]);
    await put();
    assert.ok((await announcedBy(() => put('X-COLOUR:red'))).has(ada.userId));
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
    const told = await announcedBy(() => succeed(ada, 'PATCH', '/v1/me', { timezone: 'Asia/Tokyo' }));
    assert.ok(told.has(space_id));
  });

  test('a person hears that an import has brought tasks', async () => {
    const ada = await createPerson(app);
    const tasks = [{ title: 'milk' }];
    const importing = () => succeed(ada, 'POST', '/v1/me/import', { format: 'crescendo', version: 1, tasks });
    assert.ok((await announcedBy(importing)).has(ada.userId));
  });

  test('who asked a deleted account to do something hears that nobody does it any more', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    await succeed(ada, 'POST', '/v1/tasks', { title: 'dishes', owner_id: bob.userId });
    assert.ok((await announcedBy(() => succeed(bob, 'DELETE', '/v1/me'))).has(ada.userId));
  });

  test('the other apps of a person hear that they saw a nudge', async () => {
    const ada = await createPerson(app);
    const { id } = await succeed(ada, 'POST', '/v1/tasks', { title: 'milk' });
    const delivery = storedDelivery({ id, owner_id: ada.userId }, { provider: 'apns', status: 'sent' });
    await app.db.insertInto('deliveries').values(delivery).execute();
    const seen = () => succeed(ada, 'POST', '/v1/deliveries/ack', { task_id: id, stage: 0 });
    assert.ok((await announcedBy(seen)).has(ada.userId));
  });
});
