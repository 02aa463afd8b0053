/** Changes in one step, and bulk changes that one call takes back. */
import assert from 'node:assert/strict';
import { AppError } from '../../src/lib/errors.ts';
import { newId } from '../../src/lib/ids.ts';
import { BatchesService } from '../../src/tasks/batches.service.ts';
import { mintToken } from '../support/agents.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { type Scenario, startScenario } from '../support/scenario.ts';

const DUE = { due_at: '2026-03-03T10:00:00Z', has_time: true };

const read = async ({ ada }: Scenario, id: string) => (await ada.ask('GET', `/v1/tasks/${id}`)).body.data;
const edit = ({ ada }: Scenario, id: string, body: object) => ada.ask('POST', `/v1/tasks/${id}/edit`, body);
const outcomes = async ({ ada }: Scenario) => (await ada.ask('GET', '/v1/outcomes')).body.data.length;

async function close(person: Person, as: string, tasks: readonly object[]) {
  const { status, body } = await person.ask('POST', '/v1/batches', { as, tasks });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

onEveryEngine((engine, it) => {
  it('an edit answers with what was there before, and adds to notes that grow at the same moment', async () => {
    await using scenario = await startScenario(engine);
    const { id } = await scenario.create({ ...DUE, notes: 'flour' });
    const { body } = await edit(scenario, id, {
      title: 'bake',
      append_notes: 'eggs',
      move: { due_at: '2026-03-04T00:00:00', date_only: true },
    });
    assert.deepEqual(body.data.before, { title: 'pills', notes: 'flour', due_at: '2026-03-03T10:00:00.000Z' });
    assert.deepEqual(
      [body.data.task.title, body.data.task.notes, body.data.task.due_at],
      ['bake', 'flour\neggs', '2026-03-04T10:00:00.000Z'],
    );
    assert.deepEqual((await edit(scenario, id, { title: 'bake' })).body.data.before, {});
    const added = [...Array(8).keys()].map((index) => `line ${index}`);
    await Promise.all(added.map((append_notes) => edit(scenario, id, { append_notes })));
    const { notes } = await read(scenario, id);
    assert.deepEqual(notes.split('\n').toSorted(), ['eggs', 'flour', ...added]);
    // One entry each, so that each can be put back.
    const entries = (await scenario.ada.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
    assert.equal(entries.filter(({ before }: { before: unknown }) => before !== null).length, 9);
  });

  it('notes that have no room left say how much there is, and nothing of the edit happens', async () => {
    await using scenario = await startScenario(engine);
    const { id } = await scenario.create({ ...DUE, notes: 'x'.repeat(9_990) });
    const { status, body } = await edit(scenario, id, { title: 'other', append_notes: 'ten letters' });
    assert.equal(status, 422);
    assert.match(body.detail[0].msg, /room for 9 more characters, and this has 11/);
    assert.equal((await read(scenario, id)).title, 'pills');
    assert.equal((await edit(scenario, id, { append_notes: '🥚'.repeat(9) })).status, 200);
    const full = (await edit(scenario, id, { append_notes: 'x' })).body.detail[0].msg;
    assert.match(full, /room for 0 more characters/);
    // Of a closed task only the notes change, as by PATCH.
    const closed = await scenario.create({});
    await scenario.ada.ask('POST', `/v1/tasks/${closed.id}/drop`);
    assert.equal((await edit(scenario, closed.id, { append_notes: 'why' })).status, 200);
    assert.equal((await edit(scenario, closed.id, { append_notes: 'a', move: { due_at: DUE.due_at } })).status, 409);
    assert.equal((await read(scenario, closed.id)).notes, 'why');
  });

  it('a bulk change closes each task as if alone, and one call takes all of it back', async () => {
    await using scenario = await startScenario(engine);
    const { ada } = scenario;
    const series = await scenario.create({ ...DUE, recurrence: { freq: 'daily' } });
    const single = await scenario.create({ title: 'single' });
    const moved = await scenario.create({ ...DUE, recurrence: { freq: 'daily' } });
    const before = await Promise.all([series, single, moved].map(({ id }) => read(scenario, id)));
    const { batch_id, results } = await close(ada, 'done', [
      { id: series.id, occurrence_due_at: DUE.due_at },
      { id: single.id },
      { id: moved.id, occurrence_due_at: '2026-03-02T10:00:00Z' },
      { id: '01960000-0000-7000-8000-000000000000' },
    ]);
    assert.deepEqual(
      results.map(({ task, error }: { task: { status: string } | null; error: string | null }) => [
        task?.status,
        error?.split(':')[0],
      ]),
      [
        ['open', undefined],
        ['done', undefined],
        [undefined, 'occurrence_passed'],
        [undefined, 'not_found'],
      ],
    );
    assert.equal(await outcomes(scenario), 2);
    const [entry] = (await ada.ask('GET', `/v1/tasks/${single.id}/timeline`)).body.data;
    assert.deepEqual([entry.kind, entry.batch_id], ['done', batch_id]);
    const undone = await ada.ask('POST', `/v1/batches/${batch_id}/undo`);
    assert.deepEqual([undone.status, undone.body.data.results.length], [200, 2]);
    for (const [index, { id }] of [series, single, moved].entries()) {
      const { status, due_at } = await read(scenario, id);
      assert.deepEqual([status, due_at], [before[index].status, before[index].due_at]);
    }
    assert.equal(await outcomes(scenario), 0);
  });

  it('taking a bulk change back leaves what happened since, and belongs to the people of its tasks', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada } = scenario;
    const tasks = [];
    for (const title of ['a', 'b', 'c'])
      tasks.push(await scenario.create({ title, ...DUE, recurrence: { freq: 'daily' } }));
    const [a, b, c] = tasks.map(({ id }) => id) as [string, string, string];
    const { batch_id } = await close(ada, 'dropped', [{ id: a }, { id: b }, { id: c }]);
    // Reopened and closed by hand, which the undo must not touch.
    await ada.ask('POST', `/v1/tasks/${b}/reopen`);
    await ada.ask('POST', `/v1/tasks/${b}/complete`);
    const eve = await createPerson(app);
    assert.equal((await eve.ask('POST', `/v1/batches/${batch_id}/undo`)).status, 404);
    const reader = { authorization: `Bearer ${(await mintToken(ada, { scopes: ['tasks:read'] })).token}` };
    const refused = await app.ask({ method: 'POST', url: `/v1/batches/${batch_id}/undo`, headers: reader });
    assert.equal(refused.status, 403);
    const { results } = (await ada.ask('POST', `/v1/batches/${batch_id}/undo`)).body.data;
    const refusals = results.filter(({ error }: { error: string | null }) => error !== null);
    assert.deepEqual(
      [
        results.length,
        ...refusals.map(({ task_id, error }: Record<string, string>) => [task_id, error?.split(':')[0]]),
      ],
      [3, [b, 'nothing_to_reopen']],
    );
    assert.equal((await read(scenario, a)).status, 'open');
    assert.equal(await outcomes(scenario), 1);
    // A second undo finds nothing left.
    const again = (await ada.ask('POST', `/v1/batches/${batch_id}/undo`)).body.data.results;
    assert.ok(again.every(({ error }: { error: string | null }) => error?.startsWith('nothing_to_reopen')));
    const late = (await close(ada, 'dropped', [{ id: c }])).batch_id;
    await scenario.advance('25h');
    const tooLate = (await ada.ask('POST', `/v1/batches/${late}/undo`)).body.data.results;
    assert.match(tooLate[0].error, /^nothing_to_reopen/);
  });

  it('bulk changes of the last day are listed with what taking them back would open, each for its own account only', async () => {
    await using scenario = await startScenario(engine);
    const { ada, app } = scenario;
    const list = async (person: Person) => (await person.ask('GET', '/v1/batches')).body.data;
    const ids = [(await scenario.create({})).id, (await scenario.create({})).id, (await scenario.create({})).id];
    assert.deepEqual(await list(ada), []);
    const named = ids.map((id) => ({ id }));
    const { batch_id: dropped } = await close(ada, 'dropped', named.slice(0, 2));
    await app.clock.advance('1m');
    const { batch_id: done } = await close(ada, 'done', named.slice(2));
    assert.deepEqual(
      (await list(ada)).map(({ batch_id, as, task_ids }: Record<string, unknown>) => [
        batch_id,
        as,
        (task_ids as string[]).toSorted(),
      ]),
      [
        [done, 'done', ids.slice(2)],
        [dropped, 'dropped', ids.slice(0, 2).toSorted()],
      ],
    );
    assert.deepEqual(await list(await createPerson(app)), []);
    // A task that was opened since is not part of it any more, and a bulk change without one is not listed.
    await ada.ask('POST', `/v1/tasks/${ids[0]}/reopen`);
    await ada.ask('POST', `/v1/batches/${done}/undo`);
    const [left, ...others] = await list(ada);
    assert.deepEqual([left.batch_id, left.task_ids, others.length], [dropped, ids.slice(1, 2), 0]);
    await app.clock.advance('25h');
    assert.deepEqual(await list(ada), []);
  });

  it('one call takes back a bulk change of any size', async () => {
    await using scenario = await startScenario(engine);
    const tasks = await Promise.all(Array.from({ length: 21 }, () => scenario.create({})));
    const named = tasks.map(({ id }) => ({ id }));
    const { batch_id } = await close(scenario.ada, 'dropped', named);
    const { results } = (await scenario.ada.ask('POST', `/v1/batches/${batch_id}/undo`)).body.data;
    assert.deepEqual(
      results.map(({ task }: { task: { status: string } | null }) => task?.status),
      named.map(() => 'open'),
    );
  });

  it('a bulk change of the tasks of several people shows none of them the tasks of another', async () => {
    await using scenario = await startScenario(engine);
    const { ada, app } = scenario;
    const [bob, eve] = [await createPerson(app), await createPerson(app)];
    const requestTo = async ({ userId: owner_id }: Person) =>
      (await ada.ask('POST', '/v1/tasks', { title: 'dishes', owner_id })).body.data.id;
    const ids = [await requestTo(bob), await requestTo(eve)];
    await close(
      ada,
      'dropped',
      ids.map((id) => ({ id })),
    );
    const [listed] = (await bob.ask('GET', '/v1/batches')).body.data;
    assert.deepEqual(listed.task_ids, ids.slice(0, 1));
  });

  it('a request that a bulk change also accepts is listed and taken back once, and not again once it was closed by hand', async () => {
    await using scenario = await startScenario(engine);
    const { ada, app } = scenario;
    const bob = await createPerson(app);
    const { id } = (await bob.ask('POST', '/v1/tasks', { title: 'dishes', owner_id: ada.userId })).body.data;
    const listed = async () =>
      (await ada.ask('GET', '/v1/batches')).body.data.map(({ task_ids }: { task_ids: string[] }) => task_ids);
    const { batch_id } = await close(ada, 'done', [{ id }]);
    assert.deepEqual(await listed(), [[id]]);
    const undone = (await ada.ask('POST', `/v1/batches/${batch_id}/undo`)).body.data.results;
    assert.deepEqual([undone.length, undone[0].error], [1, null]);
    const [reopened] = (await ada.ask('GET', `/v1/tasks/${id}/timeline`)).body.data;
    assert.deepEqual([reopened.kind, reopened.batch_id], ['reopened', null]);
    await ada.ask('POST', `/v1/tasks/${id}/complete`);
    assert.deepEqual(await listed(), []);
  });

  it('a fault of the service is no refusal of a task: the bulk change fails with it', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada } = scenario;
    const act = () => Promise.reject(new AppError('database_unavailable'));
    const batches = new BatchesService(app.db, { act }, app.clock);
    const caller = { kind: 'session', userId: ada.userId, sessionId: newId(), provenAt: app.clock.now() } as const;
    const { id } = await scenario.create({});
    await assert.rejects(batches.close(caller, 'done', [{ id }]), { code: 'database_unavailable' });
  });

  it('a snooze is taken back for as long as it lasts: the task rings as its date says, and the timeline tells it', async () => {
    await using scenario = await startScenario(engine);
    const { ada, app } = scenario;
    const { id } = await scenario.create(DUE);
    const take = () => ada.ask('DELETE', `/v1/tasks/${id}/snooze`);
    const state = async () => {
      const { deferred_until, next_fire_at } = await read(scenario, id);
      return [deferred_until, next_fire_at];
    };
    const before = await state();
    const until = '2026-03-04T10:00:00.000Z';
    await ada.ask('POST', `/v1/tasks/${id}/snooze`, { until });
    assert.deepEqual(await state(), [until, until]);
    assert.equal((await take()).status, 200);
    assert.deepEqual(await state(), before);
    assert.equal((await take()).status, 200);
    const kinds = async () => {
      const { data } = (await ada.ask('GET', `/v1/tasks/${id}/timeline`)).body;
      return data
        .filter(({ kind }: { kind: string }) => /snooze/.test(kind))
        .map(({ kind, until: end }: Record<string, unknown>) => [kind, end]);
    };
    assert.deepEqual((await kinds()).toSorted(), [
      ['snooze_undone', until],
      ['snoozed', until],
    ]);
    // A snooze that is over is not taken back: the ladder would begin again.
    await ada.ask('POST', `/v1/tasks/${id}/snooze`, { until });
    await app.clock.advance('49h');
    const { run } = await app.db.selectFrom('tasks').select('run').where('id', '=', id).executeTakeFirstOrThrow();
    await take();
    const after = await app.db.selectFrom('tasks').select('run').where('id', '=', id).executeTakeFirstOrThrow();
    assert.equal(after.run, run);
    await ada.ask('POST', `/v1/tasks/${id}/drop`);
    assert.equal((await take()).status, 409);
  });
});
