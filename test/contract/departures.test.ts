/** What becomes of the tasks of a space when somebody leaves it, and in which space a task is read. */
import assert from 'node:assert/strict';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  it('a request ends with the membership of either side: closed, counted, told by whom, and asked no more', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    for (const leaving of ['owner', 'assigner'] as const) {
      const [founder, owner, assigner] = await Promise.all([createPerson(app), createPerson(app), createPerson(app)]);
      const space_id = await createSpace(founder, owner, assigner);
      const request = { title: 'milk', owner_id: owner.userId, space_id };
      const { id } = (await assigner.ask('POST', '/v1/tasks', request)).body.data;
      const leaver = { owner, assigner }[leaving];
      assert.equal((await leaver.ask('DELETE', `/v1/spaces/${space_id}/membership`)).status, 200);
      const { status, closed_at } = await app.db
        .selectFrom('tasks')
        .select(['status', 'closed_at'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      assert.deepEqual([status, closed_at], ['dropped', app.clock.now()]);
      assert.equal((await owner.ask('GET', '/v1/stats')).body.data.open, 0);
      const [entry] = (await owner.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
      assert.deepEqual([entry.kind, entry.by], ['dropped', leaving]);
      const messages = app.db.selectFrom('request_messages').select(['settled_at', 'due_at']);
      const [message] = await messages.where('task_id', '=', id).execute();
      assert.deepEqual(message, { settled_at: app.clock.now(), due_at: null });
    }
  });

  it('a task is read in its own space only', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const [home, club] = [await createSpace(ada, bob), await createSpace(ada, bob)];
    const { id } = (await ada.ask('POST', '/v1/tasks', { title: 'milk', space_id: home })).body.data;
    const statusIn = async (space: string) => (await bob.ask('GET', `/v1/spaces/${space}/tasks/${id}`)).status;
    assert.deepEqual([await statusIn(home), await statusIn(club)], [200, 404]);
  });
});
