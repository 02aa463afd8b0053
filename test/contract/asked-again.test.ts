/** The list of requests that wait for an answer, and giving one to somebody else. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const codeOf = (error: string) => error.split(':')[0];

onEveryEngine((engine, it) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  const request = async (from: Person, to: Person, space_id: string | null, title: string): Promise<string> => {
    await app.clock.advance('1m');
    const { status, body } = await from.ask('POST', '/v1/tasks', { title, owner_id: to.userId, space_id });
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.id;
  };
  const people = async () => [await createPerson(app), await createPerson(app), await createPerson(app)] as const;

  it('the list has what waits for an answer, to a person and from them, the newest first, and nothing else', async () => {
    const [ada, bob, cem] = await people();
    await bob.ask('PATCH', '/v1/me', { display_name: 'Bob' });
    const [home, band] = [await createSpace(ada, bob), await createSpace(ada, cem)];
    const names = new Map<string, string>();
    const ask = async (from: Person, to: Person, space: string | null, title: string) => {
      const id = await request(from, to, space, title);
      names.set(id, title);
      return id;
    };
    const listOf = async (person: Person) => {
      const { data } = (await person.ask('GET', '/v1/requests')).body;
      return data.map(({ task_id, direction }: { task_id: string; direction: string }) =>
        [names.get(task_id), direction].join(' '),
      );
    };
    await ask(ada, bob, home, 'milk');
    await ask(bob, ada, null, 'bread');
    await ask(bob, ada, home, 'salt');
    const leaving = await ask(cem, ada, band, 'drums');
    await ada.ask('POST', '/v1/tasks', { title: 'own', space_id: home });
    for (const action of ['accept', 'decline']) {
      const answered = await ask(bob, ada, home, action);
      assert.equal((await ada.ask('POST', `/v1/tasks/${answered}/${action}`)).status, 200);
    }
    const takenBack = await ask(bob, ada, home, 'taken back');
    await bob.ask('POST', `/v1/tasks/${takenBack}/drop`);
    const all = ['drums to_me', 'salt to_me', 'bread to_me', 'milk from_me'];
    assert.deepEqual(await listOf(ada), all);
    assert.deepEqual(await listOf(bob), ['salt from_me', 'bread from_me', 'milk to_me']);
    const [, salt] = (await ada.ask('GET', '/v1/requests')).body.data;
    assert.deepEqual(
      [salt.person_id, salt.person_name, salt.space_id, salt.space_name, salt.unanswered],
      [bob.userId, 'Bob', home, 'Home', false],
    );
    // As if a slice that follows had not come yet: what nobody may see is not listed either.
    await app.db.deleteFrom('space_members').where('user_id', '=', cem.userId).execute();
    assert.deepEqual([await listOf(ada), await listOf(cem)], [all, []]);
    await app.db.deleteFrom('tasks').where('id', '=', leaving).execute();
    await app.db.updateTable('users').set({ deleted_at: app.clock.now() }).where('id', '=', bob.userId).execute();
    assert.deepEqual(await listOf(ada), []);
  });

  it('only the person who asked asks somebody else, in the space and before an answer; otherwise nothing changes', async () => {
    const [ada, bob, cem] = await people();
    const outsider = await createPerson(app);
    const space = await createSpace(ada, bob, cem);
    const id = await request(ada, bob, space, 'milk');
    const ask = async (by: Person, whom: Person, task = id) => {
      const { status, body } = await by.ask('POST', `/v1/tasks/${task}/ask`, { owner_id: whom.userId });
      return status === 200 ? body.data : codeOf(body.error);
    };
    assert.equal(await ask(bob, cem), 'not_allowed');
    assert.equal(await ask(ada, bob), 'not_allowed', 'the same person');
    assert.equal(await ask(cem, ada), 'not_found');
    assert.equal(await ask(ada, outsider), 'not_allowed');
    const { status, accepted_by_owner } = (await bob.ask('GET', `/v1/tasks/${id}`)).body.data;
    assert.deepEqual([status, accepted_by_owner], ['open', false]);
    assert.deepEqual((await cem.ask('GET', '/v1/tasks')).body.data, []);
    const asked = await ask(ada, cem);
    assert.deepEqual([asked.owner_id, asked.assigner_id, asked.space_id], [cem.userId, ada.userId, space]);
    assert.equal(await ask(ada, cem), 'task_closed');
    await cem.ask('POST', `/v1/tasks/${asked.id}/accept`);
    assert.equal(await ask(ada, bob, asked.id), 'task_not_pending');
  });

  it('who is asked instead gets the same task: its words, its date, and how it repeats', async () => {
    const [ada, bob, cem] = await people();
    await bob.ask('PATCH', '/v1/me', { timezone: 'Asia/Tokyo' });
    await cem.ask('PATCH', '/v1/me', { timezone: 'America/New_York' });
    const space_id = await createSpace(ada, bob, cem);
    const words = { title: 'plants', notes: 'two cans', kind: 'home', lead_time_days: 1, mode: 'notify_once' };
    const timed = { due_at: '2026-03-20T08:00:00+01:00', has_time: true, recurrence: { freq: 'weekly' } };
    const allDay = { due_at: '2026-03-20T00:00:00', has_time: false, break_quiet_hours: true };
    for (const [fields, due_at] of [
      [timed, '2026-03-20T07:00:00.000Z'],
      // The day of the person who is asked.
      [allDay, '2026-03-20T04:00:00.000Z'],
    ] as const) {
      const task = { ...words, ...fields, space_id, owner_id: bob.userId };
      const { id } = (await ada.ask('POST', '/v1/tasks', task)).body.data;
      const { data } = (await ada.ask('GET', `/v1/tasks/${id}`)).body;
      const asked = await ada.ask('POST', `/v1/tasks/${id}/ask`, { owner_id: cem.userId });
      assert.equal(asked.status, 200, JSON.stringify(asked.body));
      const same = (task: Record<string, unknown>) =>
        [...Object.keys(words), 'has_time', 'recurrence', 'break_quiet_hours'].map((name) => task[name]);
      assert.deepEqual(same(asked.body.data), same(data));
      assert.equal(asked.body.data.due_at, due_at);
    }
  });

  it('who was told of a request four times is not told again by taking it back and asking again', async () => {
    const [ada, bob] = await people();
    const id = await request(ada, bob, await createSpace(ada, bob), 'milk');
    const { db, clock } = app;
    const askedAgainAfter = async (count: number) => {
      await ada.ask('POST', `/v1/tasks/${id}/drop`);
      await app.engine?.settled();
      await db.deleteFrom('request_messages').where('task_id', '=', id).execute();
      const now = clock.now();
      const told = {
        task_id: id,
        recipient_id: bob.userId,
        other_id: ada.userId,
        kind: 'asked',
        due_at: null,
      } as const;
      const rows = Array.from({ length: count }, (_, repeat) => ({ ...told, id: newId(), repeat }));
      await db
        .insertInto('request_messages')
        .values(rows.map((row) => ({ ...row, created_at: now, sent_at: now, settled_at: now })))
        .execute();
      assert.equal((await ada.ask('POST', `/v1/tasks/${id}/reopen`)).status, 200);
      const all = await db.selectFrom('request_messages').select(['id', 'repeat']).where('task_id', '=', id).execute();
      return all.filter((one) => rows.every((row) => row.id !== one.id)).map(({ repeat }) => repeat)[0];
    };
    assert.deepEqual([await askedAgainAfter(1), await askedAgainAfter(3), await askedAgainAfter(4)], [1, 3, undefined]);
  });
});
