import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LaddersService } from '../../src/ladders/ladders.service.ts';
import { newId } from '../../src/lib/ids.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';

const rung = (after: number | string, stage: number) => ({ after, stage });
const FOR_EVER = { repeat_last: 1, times: null };
const TENS = { rungs: [rung(0, 0), rung(10, 1)], end: FOR_EVER };
const MINUTELY = { rungs: [rung(0, 0), rung(1, 1), rung(30, 2)], end: FOR_EVER };

const make = async (person: Person, name: string, ladder: object = TENS): Promise<string> => {
  const { status, body } = await person.ask('POST', '/v1/ladders', { name, ...ladder });
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.id;
};

/** It is Monday, 2 March 2026, at 10:00 UTC. */
const create = async (person: Person, fields: object = {}): Promise<string> => {
  const task = { title: 'Task', due_at: '2026-03-02T12:00:00Z', has_time: true, ...fields };
  const { status, body } = await person.ask('POST', '/v1/tasks', task);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.id;
};

const times = (nudges: readonly { readonly at: string; readonly stage: number }[]) =>
  nudges.map(({ at, stage }) => `${at.slice(8, 16).replace('T', ' ')} ${stage}`);

const forecast = async (person: Person, id: string, limit = 4): Promise<string[]> =>
  times((await person.ask('GET', `/v1/tasks/${id}/forecast?limit=${limit}`)).body.data);

const get = async (person: Person, url: string) => (await person.ask('GET', url)).body.data;

/** The sentence of a 422, and where the problem is. */
const problemOf = ({ status, body }: Awaited<ReturnType<Person['ask']>>): string => {
  assert.equal(status, 422, JSON.stringify(body));
  return `${body.detail[0].loc.slice(1).join('.')}: ${body.detail[0].msg}`;
};

onEveryEngine((engine, it) => {
  test('own ladders are made, changed and deleted, and choose by task, label, account and service', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const plain = await create(ada, { kind: 'plants' });
    const id = await make(ada, 'Tens');
    const book = await get(ada, '/v1/ladders');
    assert.deepEqual(
      book.presets.map(({ preset }: { preset: string }) => preset),
      ['default', 'gentle', 'persistent', 'daily', 'medication'],
    );
    assert.deepEqual(book.ladders, [{ id, name: 'Tens', ...TENS }]);
    const state = async () => {
      const { from, preset, ladder_id, name, label } = await get(ada, `/v1/tasks/${plain}/ladder`);
      return [from, preset, ladder_id, name, label];
    };
    assert.deepEqual(await state(), ['service', 'default', null, null, null]);
    assert.deepEqual(await forecast(ada, plain, 3), ['02 12:00 0', '02 12:15 1', '02 12:30 1']);

    await ada.ask('PUT', '/v1/ladders/default', { ladder_id: id });
    assert.deepEqual(await state(), ['account', null, id, 'Tens', null]);
    assert.deepEqual(await forecast(ada, plain, 3), ['02 12:00 0', '02 12:10 1', '02 12:20 1']);

    await ada.ask('PUT', '/v1/ladders/labels', { label: 'plants', preset: 'daily' });
    assert.deepEqual(await state(), ['label', 'daily', null, null, 'plants']);
    assert.deepEqual(await forecast(ada, plain, 2), ['02 12:00 0', '03 09:00 1']);

    const chosen = { rungs: [rung(0, 1), rung('21:30', 2)], end: null };
    await ada.ask('PUT', `/v1/tasks/${plain}/ladder`, chosen);
    assert.deepEqual(await state(), ['task', null, null, null, null]);
    assert.deepEqual(await forecast(ada, plain), ['02 12:00 1', '03 21:30 2']);

    await ada.ask('DELETE', `/v1/tasks/${plain}/ladder`);
    assert.deepEqual(await state(), ['label', 'daily', null, null, 'plants']);
    await ada.ask('DELETE', '/v1/ladders/labels?label=plants');
    await ada.ask('PATCH', `/v1/ladders/${id}`, { name: 'Twenties', rungs: [rung(0, 0), rung(20, 2)] });
    assert.deepEqual(await state(), ['account', null, id, 'Twenties', null]);
    assert.deepEqual(await forecast(ada, plain, 2), ['02 12:00 0', '02 12:20 2']);
    assert.deepEqual((await ada.ask('DELETE', '/v1/ladders/default')).body.data.default, null);
    assert.deepEqual(await state(), ['service', 'default', null, null, null]);
  });

  test('a ladder that is deleted leaves labels, the account and tasks to the next choice', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const [kept, id] = [await make(ada, 'Kept'), await make(ada, 'Deleted')];
    const [byLabel, byTask] = [await create(ada, { kind: 'plants' }), await create(ada)];
    await ada.ask('PUT', '/v1/ladders/labels', { label: 'plants', ladder_id: id });
    await ada.ask('PUT', '/v1/ladders/labels', { label: 'pills', ladder_id: kept });
    await ada.ask('PUT', '/v1/ladders/default', { ladder_id: id });
    await ada.ask('PUT', `/v1/tasks/${byTask}/ladder`, { ladder_id: id });
    await ada.ask('DELETE', `/v1/ladders/${id}`);
    const { ladders, labels, default: chosen } = await get(ada, '/v1/ladders');
    assert.deepEqual(
      ladders.map((one: { id: string }) => one.id),
      [kept],
    );
    assert.deepEqual(labels, [{ label: 'pills', ladder: { ladder_id: kept } }]);
    assert.equal(chosen, null);
    for (const task of [byLabel, byTask]) {
      assert.equal((await get(ada, `/v1/tasks/${task}/ladder`)).from, 'service');
      assert.deepEqual(await forecast(ada, task, 2), ['02 12:00 0', '02 12:15 1']);
    }
  });

  test('a ladder that ends in another way moves the tasks that have it, and the engine looks at them at once', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    let [replanned, woken] = [0, 0];
    const ladders = new LaddersService(
      app.db,
      app.clock,
      async () => {
        replanned += 1;
      },
      () => {
        woken += 1;
      },
    );
    const caller = { kind: 'session', userId: ada.userId, sessionId: newId(), provenAt: app.clock.now() } as const;
    const id = await make(ada, 'Tens');
    await ladders.update(caller, id, { name: 'Still tens' });
    assert.equal(replanned, 0);
    await ladders.update(caller, id, { end: { repeat_last: 1, times: 3 } });
    assert.deepEqual([replanned, woken], [1, 2]);
    assert.equal((await ladders.update(caller, id, { end: null })).end, null);
    assert.equal(replanned, 2);
    const choice = { ladder_id: id };
    const changes = [
      () => ladders.setDefault(caller, choice),
      () => ladders.setLabel(caller, 'plants', choice),
      () => ladders.setLabel(caller, 'plants', null),
      () => ladders.delete(caller, id),
      () => ladders.restore(ada.userId, { own: [], labels: [], default: { preset: 'daily' } }),
    ];
    for (const change of changes) await change();
    assert.equal(replanned, 2 + changes.length, 'every other choice moves tasks too');
  });

  test('of changes at the same time none is lost', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const ids = [await make(ada, 'A'), await make(ada, 'B')];
    const changes = [
      ...ids.map((id) => ada.ask('PATCH', `/v1/ladders/${id}`, { name: `New ${id}` })),
      ...['one', 'two', 'three'].map((label) => ada.ask('PUT', '/v1/ladders/labels', { label, preset: 'gentle' })),
      ada.ask('POST', '/v1/ladders', { name: 'C', ...TENS }),
    ];
    for (const { status } of await Promise.all(changes)) assert.equal(status, 200);
    const { ladders, labels } = await get(ada, '/v1/ladders');
    assert.deepEqual(
      ladders.map(({ name }: { name: string }) => name).sort(),
      [...ids.map((id) => `New ${id}`), 'C'].sort(),
    );
    assert.equal(labels.length, 3);
  });

  it('a wrong ladder is refused with a sentence, and nothing is stored', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const task = await create(ada);
    const said = async (rungs: unknown, end: unknown = null) =>
      problemOf(await ada.ask('PUT', `/v1/tasks/${task}/ladder`, { rungs, end }));
    assert.match(await said([rung(5, 0)]), /^rungs: The first rung is the nudge at the due moment/);
    assert.match(await said([rung(0, 0), rung(4, 1)]), /^rungs: Later rungs come at least 5 minutes/);
    assert.match(await said([rung(0, 1), rung(10, 0)]), /^rungs: A rung has a lower stage/);
    for (const repeat_last of [1, 2])
      assert.match(
        await said([rung(0, 0)], { repeat_last, times: null }),
        /^rungs: A ladder that repeats needs a second/,
      );
    assert.match(await said([rung(0, 0), rung(9, 0)], { repeat_last: 2, times: 3 }), /cannot be repeated/);
    assert.match(await said([]), /^rungs: /);
    assert.match(await said(Array(21).fill(rung(0, 0))), /^rungs: /);
    assert.match(await said([rung('25:00', 0)]), /^rungs\.0\.after: /);
    assert.match(await said([rung(0, 3)]), /^rungs\.0\.stage: /);
    assert.match(await said([{ after: 0.5, stage: 0 }]), /^rungs\.0\.after: /);
    const minutely = [rung(0, 0), ...Array(19).fill(rung(1, 0))];
    const answer = await ada.ask('POST', '/v1/ladders', { name: 'x', rungs: minutely, end: FOR_EVER });
    assert.equal(problemOf(answer), 'rungs: This ladder has more than 300 nudges a day.');
    for (const choice of [{}, { preset: 'gentle', ladder_id: ada.userId }, { preset: 'gentle', rungs: TENS.rungs }])
      assert.match(problemOf(await ada.ask('PUT', `/v1/tasks/${task}/ladder`, choice)), /Send one of/);
    assert.match(problemOf(await ada.ask('PUT', '/v1/ladders/default', {})), /Send either/);
    assert.match(
      problemOf(await ada.ask('PUT', `/v1/tasks/${task}/ladder`, { preset: 'gentle', end: null })),
      /^end: /,
    );
    assert.equal((await get(ada, `/v1/tasks/${task}/ladder`)).from, 'service');
    assert.deepEqual((await get(ada, '/v1/ladders')).ladders, []);
  });

  it('waits under five minutes are for tasks that must not be missed alone', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const id = await make(ada, 'Minutes', MINUTELY);
    const [calm, urgent] = [await create(ada), await create(ada, { break_quiet_hours: true })];
    const choice = { ladder_id: id };
    for (const url of [`/v1/tasks/${calm}/ladder`, '/v1/ladders/default'])
      assert.match(problemOf(await ada.ask('PUT', url, choice)), /^ladder_id: .*at least 5 minutes/);
    assert.match(
      problemOf(await ada.ask('PUT', '/v1/ladders/labels', { label: 'x', ...choice })),
      /at least 5 minutes/,
    );
    assert.equal((await ada.ask('PUT', `/v1/tasks/${urgent}/ladder`, choice)).status, 200);
    assert.deepEqual(await forecast(ada, urgent, 2), ['02 12:00 0', '02 12:01 1']);
    // The contract's call is not refused: the planner fits the ladder, and the task says so.
    await ada.ask('PATCH', `/v1/tasks/${urgent}`, { break_quiet_hours: false });
    assert.deepEqual(await forecast(ada, urgent, 2), ['02 12:00 0', '02 12:05 1']);
    assert.deepEqual((await get(ada, `/v1/tasks/${urgent}/ladder`)).fitted, ['waits_lengthened']);
    const tens = await make(ada, 'Tens');
    await ada.ask('PUT', '/v1/ladders/labels', { label: 'x', ladder_id: tens });
    assert.match(problemOf(await ada.ask('PATCH', `/v1/ladders/${tens}`, MINUTELY)), /at least 5 minutes/);
    await ada.ask('DELETE', '/v1/ladders/labels?label=x');
    await ada.ask('PUT', '/v1/ladders/default', { ladder_id: tens });
    assert.match(problemOf(await ada.ask('PATCH', `/v1/ladders/${tens}`, MINUTELY)), /at least 5 minutes/);
    await ada.ask('DELETE', '/v1/ladders/default');
    assert.equal((await ada.ask('PATCH', `/v1/ladders/${tens}`, { rungs: MINUTELY.rungs })).body.data.name, 'Tens');
  });

  it('an account has at most 50 ladders, and 100 labels have one', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const own = Array.from({ length: 49 }, (_, n) => ({
      id: `00000000-0000-7000-8000-0000000000${n + 10}`,
      name: 'x',
      ...TENS,
    }));
    const labels = Array.from({ length: 99 }, (_, n) => ({ label: `label ${n}`, ladder: { preset: 'gentle' } }));
    const ladders = JSON.stringify({ own, labels, default: null });
    await app.db.updateTable('users').set({ ladders }).where('id', '=', ada.userId).execute();
    await make(ada, 'The last');
    const { status, body } = await ada.ask('POST', '/v1/ladders', { name: 'One more', ...TENS });
    assert.equal(status, 429);
    assert.match(body.error, /^too_many_ladders: .*Delete one first/);
    const label = (name: string) => ada.ask('PUT', '/v1/ladders/labels', { label: name, preset: 'daily' });
    assert.equal((await label('The last')).status, 200);
    assert.match(
      (await label('One more')).body.error,
      /^too_many_labels: 100 labels have a ladder already\. Remove the ladder of another label first\.$/,
    );
    assert.equal((await label('label 7')).status, 200);
  });
});
