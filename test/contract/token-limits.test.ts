/** The limits that a token brings to the tasks of its user, beside those of other tokens and the word of the user. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { mintToken } from '../support/agents.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const DUE = { due_at: '2026-03-09T12:00:00Z', has_time: true };
const ladderEvery = (after: number) => ({
  rungs: [
    { after: 0, stage: 0 },
    { after, stage: 1 },
  ],
  end: { repeat_last: 1, times: null },
});

onEveryEngine((engine, it) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
  });
  after(() => app[Symbol.asyncDispose]());

  async function create(person: Person, fields: object = {}, token?: string): Promise<string> {
    const { status, body } = await person.ask('POST', '/v1/tasks', { title: 'pills', ...DUE, ...fields }, token);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.id;
  }
  const edit = (person: Person, id: string, fields: object, token?: string) =>
    person.ask('PATCH', `/v1/tasks/${id}`, fields, token);
  const limitsOf = async (id: string) => {
    const columns = app.db.selectFrom('tasks').select(['max_stage', 'shortest_wait']);
    const { max_stage, shortest_wait } = await columns.where('id', '=', id).executeTakeFirstOrThrow();
    return [max_stage, shortest_wait];
  };

  it('of the limits of two tokens the stricter ones stay, whichever changed the task last', async () => {
    const ada = await createPerson(app);
    const mint = async (max_stage: number, minutes: number) => {
      const { id, token } = await mintToken(ada, { max_stage });
      await ada.ask('PUT', `/v1/tokens/${id}/shortest-wait`, { minutes });
      return token;
    };
    const [strict, loose] = [await mint(0, 60), await mint(1, 30)];
    const id = await create(ada);
    await edit(ada, id, { due_at: '2026-03-08T12:00:00Z' }, strict);
    assert.deepEqual(await limitsOf(id), [0, 60]);
    await edit(ada, id, { due_at: '2026-03-07T12:00:00Z' }, loose);
    assert.deepEqual(await limitsOf(id), [0, 60]);
  });

  it('a token that opens again what it closed brings its limits, if the owner has snoozed the task since', async () => {
    const ada = await createPerson(app);
    const { token } = await mintToken(ada, { max_stage: 0 });
    const ids = [
      await create(ada, { recurrence: { freq: 'daily' } }),
      await create(ada, { recurrence: { freq: 'daily' } }),
    ];
    const [snoozed = '', untouched = ''] = ids;
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/complete`, {}, token);
    await ada.ask('POST', `/v1/tasks/${snoozed}/snooze`, { until: '2026-03-20T12:00:00Z' });
    for (const id of ids) assert.equal((await ada.ask('POST', `/v1/tasks/${id}/reopen`, undefined, token)).status, 200);
    assert.deepEqual(
      [await limitsOf(snoozed), await limitsOf(untouched)],
      [
        [0, null],
        [null, null],
      ],
    );
  });

  it('the limits of a token end by the word of the owner of the task, and not by that of its assigner', async () => {
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const { token } = await mintToken(ada, { max_stage: 0 });
    const id = await create(bob, { owner_id: ada.userId });
    await ada.ask('POST', `/v1/tasks/${id}/accept`, undefined, token);
    const switchModeBy = async (person: Person) => {
      for (const mode of ['notify_once', 'escalate']) assert.equal((await edit(person, id, { mode })).status, 200);
    };
    await switchModeBy(bob);
    assert.deepEqual(await limitsOf(id), [0, null]);
    await switchModeBy(ada);
    assert.deepEqual(await limitsOf(id), [null, null]);
  });

  it('what is put back counts as chosen: a ladder ends the limits, and a token wakes nobody by what it puts back', async () => {
    const ada = await createPerson(app);
    const { token } = await mintToken(ada, { max_stage: 0 });
    const id = await create(ada, { break_quiet_hours: true });
    const choose = (ladder: object, by?: string) => ada.ask('PUT', `/v1/tasks/${id}/ladder`, ladder, by);
    const restoreLast = async (by?: string) => {
      const [entry] = (await ada.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
      return (await ada.ask('POST', `/v1/tasks/${id}/timeline/${entry.id}/restore`, undefined, by)).status;
    };
    await choose(ladderEvery(10));
    await choose(ladderEvery(20), token);
    assert.deepEqual(await limitsOf(id), [0, null]);
    assert.equal(await restoreLast(), 200);
    assert.deepEqual(await limitsOf(id), [null, null]);
    await edit(ada, id, { break_quiet_hours: false });
    assert.equal(await restoreLast(token), 403);
    assert.equal(await restoreLast(), 200);
  });

  it('a task counts for the token that made it, also after a token without a limit has opened it again', async () => {
    const ada = await createPerson(app);
    const [limited, free] = [await mintToken(ada, { max_open_tasks: 1 }), await mintToken(ada)];
    const id = await create(ada, {}, limited.token);
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    assert.equal((await ada.ask('POST', `/v1/tasks/${id}/reopen`, undefined, free.token)).status, 200);
    assert.equal((await ada.ask('POST', '/v1/tasks', { title: 'more' }, limited.token)).status, 429);
  });
});
