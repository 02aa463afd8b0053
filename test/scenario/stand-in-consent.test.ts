/** What a person agreed to is not stretched, ends with one press, and is theirs alone; also if two things happen at once. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { NtfyRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { type EngineName, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace, joinSpace } from '../support/spaces.ts';
import { startTestApp } from '../support/test-app.ts';

const BOSS = 'boss@example.org';

async function createTask(owner: Person, fields: object = {}): Promise<string> {
  const task = { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true, ...fields };
  return (await owner.ask('POST', '/v1/tasks', task)).body.data.id;
}

const choose = (owner: Person, person: Person, space_id: string, fields: object) =>
  owner.ask('POST', '/v1/stand-ins', { person_id: person.userId, space_id, ...fields });

const agree = (person: Person, id: string) => person.ask('POST', `/v1/stand-ins/${id}/agree`, {});
const told = async (person: Person) => (await person.ask('GET', '/v1/stand-in/tasks')).body.data;

/** Grace stands in for Ada, for everything and from the first nudge on. */
async function open(engine: EngineName) {
  const clock = new FakeClock();
  const app = await startTestApp(engine, { clock, settings: { ADMINS: BOSS } });
  const [ada, grace] = [await createPerson(app), await createPerson(app)];
  const space = await createSpace(ada, grace);
  const { id } = (await choose(ada, grace, space, { from_rung: 0 })).body.data;
  await agree(grace, id);
  return { clock, app, ada, grace, space, id, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

onEveryEngine((engine, it) => {
  it('members of a space ask members, for tasks of their own; the person asked agrees, and nobody else ends it', async () => {
    await using scene = await open(engine);
    const { app, ada, grace, space } = scene;
    const hal = await createPerson(app);
    const statusOf = async (answer: ReturnType<Person['ask']>) => (await answer).status;
    const end = (person: Person, id: string) => statusOf(person.ask('DELETE', `/v1/stand-ins/${id}`));
    const all = { from_rung: 0 };
    assert.equal(await statusOf(choose(ada, hal, space, all)), 404, 'somebody outside of the space is asked');
    assert.equal(await statusOf(choose(hal, grace, space, all)), 404, 'somebody outside of the space asks');
    assert.deepEqual((await hal.ask('GET', '/v1/stand-ins')).body.data, []);
    const ofGrace = await createTask(grace, { title: 'a secret of Grace' });
    assert.equal(await statusOf(choose(ada, grace, space, { ...all, task_id: ofGrace })), 404);

    await joinSpace(space, ada, hal);
    const { id } = (await choose(ada, hal, space, all)).body.data;
    assert.equal(await statusOf(agree(ada, id)), 403, 'the owner agrees to their own question');
    assert.equal(await statusOf(agree(grace, id)), 404);
    assert.equal(await end(grace, id), 404);
    const task_id = await createTask(ada);
    const leftOut = (await choose(ada, hal, space, { task_id, from_rung: null })).body.data;
    assert.deepEqual([await statusOf(agree(hal, leftOut.id)), await end(hal, leftOut.id)], [404, 404]);
    const messages = await app.db.selectFrom('request_messages').select('stand_in_id').execute();
    assert.ok(messages.every(({ stand_in_id }) => stand_in_id !== leftOut.id));
    const states = (await ada.ask('GET', '/v1/stand-ins')).body.data.map(({ state }: { state: string }) => state);
    assert.deepEqual(states.toSorted(), ['agreed', 'asked', 'left_out']);
    assert.deepEqual([await statusOf(agree(hal, id)), await end(ada, leftOut.id)], [200, 200]);
  });

  it('who is asked for one task reads its title in its space only, and not before the owner has accepted it', async () => {
    await using scene = await open(engine);
    const { app, ada, grace, space } = scene;
    const hal = await createPerson(app);
    await joinSpace(space, ada, hal);
    const other = await createSpace(ada, grace);
    const tasks = {
      own: await createTask(ada),
      shared: await createTask(ada, { space_id: space }),
      'of another space': await createTask(ada, { space_id: other }),
      asked: await createTask(hal, { space_id: space, owner_id: ada.userId }),
    };
    for (const task_id of Object.values(tasks)) await choose(ada, grace, space, { task_id, from_rung: 3 });
    const titles = async (person: Person) => {
      const { data } = (await person.ask('GET', '/v1/stand-ins')).body;
      const named = data.filter(({ task_title }: { task_title: string | null }) => task_title !== null);
      return named.map(({ task_id }: { task_id: string }) => task_id);
    };
    assert.deepEqual(await titles(grace), [tasks.shared]);
    assert.deepEqual((await titles(ada)).toSorted(), Object.values(tasks).toSorted());
  });

  it('twenty questions of a person wait at once, and a hundred stand-ins are all that they have', async () => {
    await using scene = await open(engine);
    const { app, ada, grace, space, clock } = scene;
    const hal = await createPerson(app);
    await joinSpace(space, ada, hal);
    const add = (count: number, agreed_at: Date | null) => {
      const pair = { owner_id: ada.userId, person_id: hal.userId, space_id: space, task_id: null, from_rung: 0 };
      const row = { ...pair, passes_quiet_hours: false, asked_at: clock.now(), agreed_at };
      const rows = Array.from({ length: count }, () => ({ ...row, id: newId(), label: newId() }));
      return app.db.insertInto('stand_ins').values(rows).execute();
    };
    const ask = async () => {
      const { status, body } = await choose(ada, hal, space, { from_rung: 3 });
      return status === 200 ? 'asked' : body.error.split(':')[0];
    };
    const forget = () => app.db.deleteFrom('stand_ins').where('person_id', '=', hal.userId).execute();
    for (const [waiting, agreed, isAsked] of [
      [19, 79, true],
      [20, 0, false],
      [0, 99, false],
    ] as const) {
      if (waiting > 0) await add(waiting, null);
      if (agreed > 0) await add(agreed, clock.now());
      assert.equal(await ask(), isAsked ? 'asked' : 'too_many_stand_ins', `${waiting} and ${agreed}`);
      if (isAsked) assert.equal(await ask(), 'asked', 'the same question once more is no other one');
      await forget();
    }
    assert.equal((await choose(ada, grace, space, { from_rung: 1 })).body.data.state, 'agreed');
  });

  test('whoever is left out of a task does not learn of it', async () => {
    await using scene = await open(engine);
    const { ada, grace, space, id } = scene;
    const task = await createTask(ada, { title: 'a present for Grace', space_id: space });
    assert.equal((await choose(ada, grace, space, { task_id: task, from_rung: null })).body.data.state, 'left_out');
    const listed = (await grace.ask('GET', '/v1/stand-ins')).body.data;
    assert.deepEqual(
      listed.map((one: { id: string }) => one.id),
      [id],
    );
    const exported = async (person: Person) => (await person.ask('GET', '/v1/me/export')).body.data.stand_ins.length;
    assert.deepEqual([await exported(ada), await exported(grace)], [2, 1]);
  });

  test('one press ends an agreement with everything that was chosen within it', async () => {
    await using scene = await open(engine);
    const { ada, grace, space, id, clock } = scene;
    const task = await createTask(ada);
    assert.equal((await choose(ada, grace, space, { task_id: task, from_rung: 0 })).body.data.state, 'agreed');
    assert.equal((await choose(ada, grace, space, { label: 'todo', from_rung: 1 })).body.data.state, 'agreed');
    assert.equal((await grace.ask('DELETE', `/v1/stand-ins/${id}`)).status, 200);
    await clock.advance('90m');
    assert.deepEqual(await told(grace), []);
    assert.deepEqual((await grace.ask('GET', '/v1/stand-ins')).body.data, []);
  });

  test('an agreement does not move to another space without a question', async () => {
    await using scene = await open(engine);
    const { ada, grace, space, clock } = scene;
    const task = await createTask(ada);
    const other = await createSpace(ada, grace);
    assert.equal((await choose(ada, grace, other, { task_id: task, from_rung: 3 })).body.data.state, 'asked');
    const moved = (await choose(ada, grace, other, { from_rung: 0 })).body.data;
    assert.deepEqual([moved.state, moved.space_id], ['asked', other]);
    await grace.ask('DELETE', `/v1/spaces/${space}/membership`);
    await clock.advance('90m');
    assert.deepEqual(await told(grace), []);
  });

  test('who leaves a space still stands in for what was agreed in another one', async () => {
    await using scene = await open(engine);
    const { ada, grace, clock } = scene;
    const task = await createTask(ada);
    const other = await createSpace(ada, grace);
    assert.equal((await grace.ask('DELETE', `/v1/spaces/${other}/membership`)).status, 200);
    await clock.advance('90m');
    assert.deepEqual(
      (await told(grace)).map(({ task_id }: { task_id: string }) => task_id),
      [task],
    );
  });

  test('of what is chosen while a person is suspended or stops, nothing is left', async () => {
    await using scene = await open(engine);
    const { app, ada, grace, space, id } = scene;
    const boss = await createPerson(app, BOSS);
    const tasks: string[] = [];
    for (let number = 0; number < 8; number += 1) tasks.push(await createTask(ada));
    const chooseAll = (some: readonly string[]) =>
      some.map((task_id) => choose(ada, grace, space, { task_id, from_rung: 0 }));
    const agreed = () => app.db.selectFrom('stand_ins').select('id').where('agreed_at', 'is not', null).execute();
    const stop = grace.ask('DELETE', `/v1/stand-ins/${id}`);
    await Promise.all([...chooseAll(tasks.slice(0, 4)), stop, ...chooseAll(tasks.slice(4))]);
    assert.deepEqual(await agreed(), []);
    await agree(grace, (await choose(ada, grace, space, { from_rung: 0 })).body.data.id);
    const suspend = boss.ask('POST', `/v1/admin/people/${grace.userId}/suspend`);
    await Promise.all([...chooseAll(tasks.slice(0, 4)), suspend, ...chooseAll(tasks.slice(4))]);
    assert.equal((await suspend).status, 200);
    assert.deepEqual(await agreed(), []);
  });

  test('Done and Seen at once are one outcome and one entry, and no stand-in is refused', async () => {
    await using scene = await open(engine);
    const { app, ada, grace, clock } = scene;
    const task = await createTask(ada, { recurrence: { freq: 'daily' } });
    await clock.advance('61m');
    const press = (action: string) => grace.ask('POST', `/v1/stand-in/tasks/${task}/${action}`, {});
    const seen = await Promise.all(Array.from({ length: 6 }, () => press('seen')));
    const { due_at: occurrence_due_at } = (await ada.ask('GET', `/v1/tasks/${task}`)).body.data;
    const [own, ...done] = await Promise.all([
      ada.ask('POST', `/v1/tasks/${task}/complete`, { occurrence_due_at }),
      press('complete'),
      press('complete'),
    ]);
    assert.deepEqual(new Set([...seen, ...done].map(({ status }) => status)), new Set([200]));
    // The owner is told that somebody was faster, and completes nothing else.
    assert.match(own.body.error ?? '', /^(occurrence_passed: .*)?$/);
    const entries = await app.db.selectFrom('timeline').select('kind').where('task_id', '=', task).execute();
    const count = (kind: string) => entries.filter((entry) => entry.kind === kind).length;
    assert.deepEqual([count('acknowledged'), count('done')], [1, 1]);
    assert.equal((await ada.ask('GET', '/v1/outcomes')).body.data.length, 1);
  });

  it('the page of a message says that Undo has undone', async () => {
    await using scenario = await ChannelScenario.open(engine, await NtfyRig.start());
    const { ada, rig, clock, app } = scenario;
    const grace = await createPerson(app);
    await rig.connect(grace);
    const space = await createSpace(ada, grace);
    await scenario.create({ recurrence: { freq: 'daily' } });
    await agree(grace, (await choose(ada, grace, space, { from_rung: 0 })).body.data.id);
    await clock.advance('1h');
    const message = rig.take().find(({ title }) => title === 'pills');
    assert.ok(message);
    assert.equal((await scenario.press(message.page, 'done')).body.data.state, 'done');
    assert.equal((await scenario.press(message.page, 'undo')).body.data.state, 'undone');
    assert.deepEqual((await ada.ask('GET', '/v1/outcomes')).body.data, []);
  });
});
