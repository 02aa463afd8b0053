/** Whether a message about standing in is still true, and what it names. */
import assert from 'node:assert/strict';
import { listRequestsToTell } from '../../src/deliveries/requests-to-tell.ts';
import { newId } from '../../src/lib/ids.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  it('a message about standing in is true while both are there and the answer is as it says, and names only what is read', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const { db, clock } = app;
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const space_id = await createSpace(ada, grace);
    const task_id = (await ada.ask('POST', '/v1/tasks', { title: 'pills', space_id })).body.data.id as string;
    const [stand_in_id, now] = [newId(), clock.now()];
    const agreement = { owner_id: ada.userId, person_id: grace.userId, space_id, label: null, task_id };
    await db
      .insertInto('stand_ins')
      .values({
        id: stand_in_id,
        ...agreement,
        from_rung: 0,
        passes_quiet_hours: false,
        asked_at: now,
        agreed_at: null,
      })
      .execute();
    const insert = async (kind: 'stand_in_asked' | 'stand_in_agreed', [recipient_id, other_id]: [string, string]) => {
      const about = { id: newId(), task_id: null, stand_in_id, recipient_id, other_id, kind, created_at: now };
      await db
        .insertInto('request_messages')
        .values({ ...about, due_at: null, sent_at: null, settled_at: null })
        .execute();
      return about.id;
    };
    const asked = await insert('stand_in_asked', [grace.userId, ada.userId]);
    const agreed = await insert('stand_in_agreed', [ada.userId, grace.userId]);
    const read = async () => {
      const messages = await listRequestsToTell(db, [asked, agreed]);
      return [asked, agreed].map((id) => messages.get(id));
    };
    const areTrue = async () => (await read()).map((message) => message?.isTrue);
    const set = (fields: object) => db.updateTable('stand_ins').set(fields).execute();
    const setUser = (userId: string, fields: object) =>
      db.updateTable('users').set(fields).where('id', '=', userId).execute();

    assert.deepEqual(await areTrue(), [true, false]);
    await set({ from_rung: null });
    assert.deepEqual(await areTrue(), [false, false], 'who is left out is asked nothing');
    await set({ from_rung: 0, agreed_at: now });
    assert.deepEqual(await areTrue(), [false, true]);
    await setUser(grace.userId, { deleted_at: now });
    assert.deepEqual(await areTrue(), [false, false]);
    await setUser(grace.userId, { deleted_at: null });
    await setUser(ada.userId, { deleted_at: now });
    assert.deepEqual(await areTrue(), [false, false]);
    await setUser(ada.userId, { deleted_at: null, suspended_at: now });
    assert.deepEqual((await read())[0]?.other.suspended_at, now);
    await db.updateTable('request_messages').set({ settled_at: now }).where('id', '=', agreed).execute();
    assert.deepEqual(await areTrue(), [false, false]);
    await db.updateTable('request_messages').set({ settled_at: null }).execute();
    assert.deepEqual(await areTrue(), [false, true]);

    const titles = async () => (await read()).map((message) => message?.task.title);
    assert.deepEqual(await titles(), ['pills', 'pills']);
    await db.updateTable('tasks').set({ accepted_by_owner: false }).execute();
    assert.deepEqual(await titles(), ['One task', 'pills'], 'a request that its owner has not accepted');
    await db.updateTable('tasks').set({ accepted_by_owner: true, space_id: null }).execute();
    assert.deepEqual(await titles(), ['One task', 'pills'], 'a task that is private');
    await set({ task_id: null, label: 'health' });
    assert.deepEqual(await titles(), ['Tasks with the label health', 'Tasks with the label health']);
    await set({ label: null });
    assert.deepEqual(await titles(), ['All tasks', 'All tasks']);

    await db.deleteFrom('space_members').where('user_id', '=', grace.userId).execute();
    assert.deepEqual(await areTrue(), [false, false]);
  });
});
