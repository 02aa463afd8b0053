/** Requests that wait for an answer: the list of them, how many one person may have, and giving one to another person. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
    // Messages about requests are written by hand.
    await app.engine?.stop();
  });
  after(() => app[Symbol.asyncDispose]());

  const people = () => Promise.all([createPerson(app), createPerson(app), createPerson(app)]);
  const request = async (asker: Person, owner: Person, fields: object = {}): Promise<string> => {
    const { status, body } = await asker.ask('POST', '/v1/tasks', { title: 'milk', owner_id: owner.userId, ...fields });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.id;
  };
  const act = (person: Person, id: string, name: string) => person.ask('POST', `/v1/tasks/${id}/${name}`);
  const give = async (person: Person, id: string, to: Person) =>
    person.ask('POST', `/v1/tasks/${id}/ask`, { owner_id: to.userId });
  const listed = async (person: Person) => (await person.ask('GET', '/v1/requests')).body.data;

  test('the list has the requests of both directions that wait, the newest first', async () => {
    const [ada, bob, cem] = await people();
    const ids: string[] = [];
    for (const [asker, owner] of [
      [ada, bob],
      [bob, ada],
      [ada, cem],
    ] as const) {
      await app.clock.advance('1m');
      ids.push(await request(asker, owner));
    }
    const shown = async () =>
      (await listed(ada)).map(({ task_id, direction }: Record<string, string>) => [task_id, direction]);
    assert.deepEqual(await shown(), [
      [ids[2], 'from_me'],
      [ids[1], 'to_me'],
      [ids[0], 'from_me'],
    ]);
    for (const [person, name] of [
      [bob, 'accept'],
      [bob, 'decline'],
      [ada, 'drop'],
    ] as const)
      await act(person, await request(ada, bob), name);
    assert.equal((await shown()).length, 3);
    // Who is gone is not shown, also before the last slice of the deletion.
    const deleted_at = app.clock.now();
    await app.db.updateTable('users').set({ deleted_at }).where('id', '=', cem.userId).execute();
    assert.equal((await shown()).length, 2);
    assert.equal((await bob.ask('GET', '/v1/tasks?status=pending')).body.data.length, 1);
  });

  it('the list counts what the person was told, and says when they are told next and that nobody answered', async () => {
    const [ada, bob] = await people();
    const id = await request(ada, bob, { space_id: await createSpace(ada, bob) });
    const [now, later] = [app.clock.now(), new Date('2026-03-03T09:00:00Z')];
    const told = app.db.updateTable('request_messages').where('task_id', '=', id);
    const shown = async () => {
      const [{ messages_sent, next_message_at, unanswered }] = await listed(ada);
      return [messages_sent, next_message_at, unanswered];
    };
    await told.set({ sent_at: now, due_at: null }).execute();
    const message = { task_id: id, recipient_id: bob.userId, other_id: ada.userId, created_at: now };
    const repeat = { ...message, id: newId(), kind: 'asked', repeat: 1, due_at: later } as const;
    await app.db.insertInto('request_messages').values(repeat).execute();
    assert.deepEqual(await shown(), [1, later.toISOString(), false]);
    await told.set({ sent_at: now, due_at: null }).execute();
    // To the asker, who has quiet hours.
    const toAsker = { recipient_id: ada.userId, other_id: bob.userId, kind: 'unanswered', repeat: 0 } as const;
    const unanswered = { ...message, ...toAsker, id: newId(), due_at: later };
    await app.db.insertInto('request_messages').values(unanswered).execute();
    assert.deepEqual(await shown(), [2, null, false]);
    const last = told.where('kind', '=', 'unanswered');
    await last.set({ sent_at: now, due_at: null }).execute();
    assert.deepEqual(await shown(), [2, null, true]);
    // Taken back and asked again.
    await last.set({ settled_at: now }).execute();
    assert.deepEqual(await shown(), [2, null, false]);
  });

  it('an answer takes back the question, and what its asker was told of nobody answering', async () => {
    const [ada, bob] = await people();
    const id = await request(ada, bob, { space_id: await createSpace(ada, bob) });
    const told = app.db.updateTable('request_messages').where('task_id', '=', id);
    const now = app.clock.now();
    await told.set({ sent_at: now, due_at: null }).execute();
    const about = { task_id: id, recipient_id: ada.userId, other_id: bob.userId, repeat: 0, created_at: now };
    const unanswered = { ...about, id: newId(), kind: 'unanswered', sent_at: now } as const;
    await app.db.insertInto('request_messages').values(unanswered).execute();
    const message = { kind: 'request', entry_id: unanswered.id } as const;
    const shown = storedDelivery({ id, owner_id: ada.userId }, { ...message, status: 'sent', ref: 'shown' });
    const waiting = storedDelivery({ id, owner_id: ada.userId }, message);
    await app.db.insertInto('deliveries').values([shown, waiting]).execute();
    await act(bob, id, 'accept');
    const deliveries = app.db.selectFrom('deliveries').select(['target_id', 'kind', 'status']);
    const left = await deliveries.where('entry_id', '=', unanswered.id).orderBy('kind').orderBy('status').execute();
    assert.deepEqual(left, [
      { target_id: waiting.target_id, kind: 'request', status: 'cancelled' },
      { target_id: shown.target_id, kind: 'request', status: 'sent' },
      { target_id: shown.target_id, kind: 'request_retract', status: 'pending' },
    ]);
    const messages = app.db.selectFrom('request_messages').select('kind').where('task_id', '=', id);
    assert.deepEqual(await messages.where('settled_at', 'is', null).execute(), [{ kind: 'accepted' }]);
  });

  it('what was not sent yet is not sent once the request is taken back, and counts as no message when it is asked again', async () => {
    const [ada, bob] = await people();
    const id = await request(ada, bob, { space_id: await createSpace(ada, bob) });
    const messages = () => app.db.selectFrom('request_messages').selectAll().where('task_id', '=', id).execute();
    const waiting = async () =>
      (await messages()).filter(({ due_at }) => due_at !== null).map(({ kind, repeat }) => [kind, repeat]);
    const [asked = assert.fail()] = await messages();
    const delivery = storedDelivery({ id, owner_id: bob.userId }, { entry_id: asked.id, kind: 'request' });
    await app.db.insertInto('deliveries').values(delivery).execute();
    await act(ada, id, 'drop');
    const [left] = await app.db.selectFrom('deliveries').select('status').where('task_id', '=', id).execute();
    assert.deepEqual([left?.status, await waiting()], ['cancelled', []]);
    await act(ada, id, 'reopen');
    assert.deepEqual(await waiting(), [['asked', 0]]);
    // Once the person was asked as often as it may be, asking again brings no message.
    await act(ada, id, 'drop');
    const told = (repeat: number) => ({ ...asked, id: newId(), repeat, sent_at: app.clock.now(), due_at: null });
    await app.db.insertInto('request_messages').values([0, 1, 2, 3].map(told)).execute();
    await act(ada, id, 'reopen');
    assert.deepEqual(await waiting(), []);
  });

  test('only requests that wait count for their limit, and only those to the same person', async () => {
    const [ada, bob, cem] = await people();
    const answered: [person: Person, name: string][] = [
      [bob, 'accept'],
      [bob, 'decline'],
      [ada, 'drop'],
    ];
    for (const [person, name] of answered) await act(person, await request(ada, bob), name);
    for (let count = 0; count < 20; count += 1) await request(ada, bob);
    const { status, body } = await ada.ask('POST', '/v1/tasks', { title: 'x', owner_id: bob.userId });
    assert.deepEqual([status, body.error.split(':')[0]], [429, 'too_many_pending']);
    await request(ada, cem);
    await request(cem, bob);
  });

  it('what is given to another person is the same request, by the one who asks', async () => {
    const [ada, bob, cem] = await people();
    await cem.ask('PATCH', '/v1/me', { timezone: 'America/New_York' });
    const same = {
      title: 'bins',
      notes: 'the grey one',
      kind: 'chore',
      recurrence: { freq: 'weekly' },
      lead_time_days: 2,
      mode: 'notify_once',
      break_quiet_hours: true,
      space_id: await createSpace(ada, bob, cem),
    };
    const id = await request(ada, bob, { ...same, due_at: '2026-03-10T00:00:00Z' });
    const given = (await give(ada, id, cem)).body.data;
    const { title, notes, kind, recurrence, lead_time_days, mode, break_quiet_hours, space_id } = given;
    assert.deepEqual({ title, notes, kind, recurrence, lead_time_days, mode, break_quiet_hours, space_id }, same);
    assert.deepEqual([given.due_at.slice(0, 10), given.owner_id], ['2026-03-10', cem.userId]);
    const timeline = (await cem.ask('GET', `/v1/tasks/${given.id}/timeline`)).body.data;
    assert.deepEqual(
      timeline.map((entry: Record<string, string>) => [entry.kind, entry.by]),
      [['created', 'assigner']],
    );
  });

  it('only the one who asks gives a request away, while it waits, and not to the person who has it', async () => {
    const [ada, bob, cem] = await people();
    const space_id = await createSpace(ada, bob, cem);
    const [waiting, accepted, closed] = [
      await request(ada, bob, { space_id }),
      await request(ada, bob, { space_id }),
      await request(ada, bob, { space_id }),
    ];
    await act(bob, accepted, 'accept');
    await act(bob, closed, 'decline');
    const refused = [
      await give(ada, waiting, bob),
      await give(bob, waiting, cem),
      await give(ada, accepted, cem),
      await give(ada, closed, cem),
    ];
    assert.deepEqual(
      refused.map(({ body }) => body.error?.split(':')[0]),
      ['not_allowed', 'not_allowed', 'task_not_pending', 'task_closed'],
    );
    assert.deepEqual((await cem.ask('GET', '/v1/tasks')).body.data, []);
    assert.equal((await bob.ask('GET', `/v1/tasks/${waiting}`)).body.data.status, 'open');
  });

  it('whoever switches messages about requests off does so for themselves alone', async () => {
    const [ada, bob] = await people();
    const isOn = async (person: Person) => (await person.ask('GET', '/v1/me/request-messages')).body.data.enabled;
    await ada.ask('PUT', '/v1/me/request-messages', { enabled: false });
    assert.deepEqual([await isOn(ada), await isOn(bob)], [false, true]);
  });
});
