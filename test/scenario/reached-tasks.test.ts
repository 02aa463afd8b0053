/** What a task that has reached stand-ins shows to them and to its owner, and what their buttons do. */
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { newId } from '../../src/lib/ids.ts';
import { storeReached } from '../../src/tasks/stand-ins/reached-tasks.store.ts';
import { NtfyRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const HOUR_MS = 3_600_000;

/** From a rung on, for all tasks of the owner. */
async function standIn(person: Person, owner: Person, space_id: string, from_rung: number): Promise<void> {
  const { data } = (await owner.ask('POST', '/v1/stand-ins', { person_id: person.userId, space_id, from_rung })).body;
  assert.equal((await person.ask('POST', `/v1/stand-ins/${data.id}/agree`, {})).status, 200);
}

const reached = async (person: Person) => (await person.ask('GET', '/v1/stand-in/tasks')).body.data;

onEveryEngine((engine, it) => {
  it('a stand-in is shown what settled a task, newest first, and its owner alone sees who stands in from when on', async () => {
    const clock = new FakeClock();
    await using app = await startTestApp(engine, { clock });
    const [ada, grace, hal] = [await createPerson(app), await createPerson(app), await createPerson(app)];
    await ada.ask('PATCH', '/v1/me', { display_name: 'Ada' });
    const space_id = await createSpace(ada, grace, hal);
    for (const person of [grace, hal]) await standIn(person, ada, space_id, person === grace ? 2 : 0);
    const create = async (fields: object) => {
      const task = { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true, space_id, ...fields };
      return (await ada.ask('POST', '/v1/tasks', task)).body.data.id;
    };
    const daily = await create({ recurrence: { freq: 'daily' } });
    await ada.ask('PUT', `/v1/tasks/${daily}/heads-ups`, { heads_ups: [{ minutes: 30 }] });
    const url = `/v1/tasks/${daily}/stand-ins`;
    const ofGrace = async () => {
      const { data } = (await ada.ask('GET', url)).body;
      const found = data.find(({ person }: { person: { id: string } }) => person.id === grace.userId);
      return { starts_at: found.starts_at, told_at: found.told_at };
    };
    assert.equal((await hal.ask('GET', `/v1/tasks/${daily}`)).status, 200);
    assert.equal((await hal.ask('GET', url)).status, 404);
    const third = '2026-03-02T10:30:00.000Z';
    assert.deepEqual(await ofGrace(), { starts_at: third, told_at: null });
    await clock.advance('61m');
    assert.deepEqual(await ofGrace(), { starts_at: third, told_at: null }, 'after the first nudge');
    await clock.advance('30m');
    assert.deepEqual(await ofGrace(), { starts_at: null, told_at: third });

    const other = await create({ due_at: '2026-03-02T10:32:00Z' });
    await clock.advance('2m');
    const shownTo = async (person: Person) =>
      (await reached(person)).map(({ task_id, settled }: { task_id: string; settled: { how: string } | null }) =>
        [task_id === other ? 'other' : 'daily', settled?.how].join(' '),
      );
    assert.deepEqual(await shownTo(hal), ['other ', 'daily ']);
    const snooze = (ms: number) => {
      const until = new Date(clock.now().getTime() + ms).toISOString();
      return hal.ask('POST', `/v1/stand-in/tasks/${daily}/snooze`, { until });
    };
    assert.equal((await snooze(0)).status, 422, 'not in the future');
    await ada.ask('POST', `/v1/tasks/${other}/drop`);
    await ada.ask('POST', `/v1/tasks/${daily}/complete`);
    assert.deepEqual(await shownTo(hal), ['other dropped', 'daily done']);
    assert.deepEqual(await shownTo(grace), ['daily done']);
    assert.equal((await reached(grace))[0].settled.by, 'Ada');
    assert.deepEqual(await ofGrace(), { starts_at: '2026-03-03T10:30:00.000Z', told_at: null });
    const told = await app.db.selectFrom('request_messages').selectAll().where('kind', '=', 'stand_in_done').execute();
    assert.deepEqual(
      told.map(({ recipient_id }) => recipient_id).toSorted(),
      [grace.userId, hal.userId].toSorted(),
      'everybody whom it had reached is told of Done, and nobody of what was dropped',
    );
    assert.equal((await snooze(HOUR_MS)).status, 409, 'nothing to be told of any more');
  });

  it('the buttons of a stand-in silence them for an hour, and act on no other occurrence', async () => {
    await using scenario = await ChannelScenario.open(engine, await NtfyRig.start());
    const { ada, rig, clock, app } = scenario;
    const grace = await createPerson(app);
    await rig.connect(grace);
    const space = await createSpace(ada, grace);
    const task = await scenario.create({ recurrence: { freq: 'daily' } });
    const stateAfter = async (page: string, action: string) => (await scenario.press(page, action)).body.data.state;
    const asked = { person_id: grace.userId, space_id: space, from_rung: 0 };
    for (const [action, state] of [
      ['decline', 'refused_to_stand_in'],
      ['accept', 'agreed_to_stand_in'],
    ] as const) {
      await ada.ask('POST', '/v1/stand-ins', asked);
      await app.engine?.settled();
      const [question] = rig.take();
      assert.equal(await stateAfter(question?.page ?? '', action), state);
      const { data } = (await grace.ask('GET', '/v1/stand-ins')).body;
      const agreed = data.map((one: { passes_quiet_hours: boolean }) => one.passes_quiet_hours);
      assert.deepEqual(agreed, action === 'decline' ? [] : [false], 'a button lets nothing pass quiet hours');
    }
    await app.engine?.settled();
    rig.takeRetracted();
    const kinds = async () =>
      (await ada.ask('GET', `/v1/tasks/${task}/timeline`)).body.data.map(({ kind }: { kind: string }) => kind);

    await clock.advance('1h');
    const [older] = rig.take();
    assert.equal(await stateAfter(older?.page ?? '', 'snooze'), 'snoozed');
    await clock.advance('1m');
    assert.equal(rig.takeRetracted(), 1, 'what she was told is taken back');
    assert.equal((await reached(grace))[0].snoozed_until, '2026-03-02T11:00:00.000Z');
    await clock.advance('58m');
    assert.deepEqual(rig.take(), []);
    await clock.advance('20m');
    assert.ok(rig.take().length > 0, 'she is told again');
    await ada.ask('POST', `/v1/tasks/${task}/complete`);
    await clock.advance('23h');
    const [newer] = rig.take().filter(({ title }) => title === 'pills');
    for (const action of ['seen', 'snooze', 'done'])
      assert.equal(await stateAfter(older?.page ?? '', action), 'passed');
    assert.equal((await reached(grace))[0].seen_at, null);
    assert.equal(await stateAfter(newer?.page ?? '', 'done'), 'done');
    assert.ok(!(await kinds()).includes('acknowledged'), 'nothing is seen after it is done');
    assert.equal(await stateAfter(older?.page ?? '', 'undo'), 'too_late_to_undo');
    assert.equal((await ada.ask('GET', '/v1/outcomes')).body.data.length, 2);
  });
});

onEveryEngine((engine, it) => {
  let opened: Promise<TestApp> | undefined;
  after(async () => (await opened)?.[Symbol.asyncDispose]());

  /** A person who stands in for all tasks of another, who has one. */
  async function agreed() {
    opened ??= startTestApp(engine);
    const app = await opened;
    const [owner, person] = [await createPerson(app), await createPerson(app)];
    const space_id = await createSpace(owner, person);
    await standIn(person, owner, space_id, 0);
    const task_id = (await owner.ask('POST', '/v1/tasks', { title: 'pills', space_id })).body.data.id as string;
    const stand_in_id = (await person.ask('GET', '/v1/stand-ins')).body.data[0].id as string;
    const reach = (run: number, told_at: Date) =>
      storeReached(app.db, [{ task_id, person_id: person.userId, stand_in_id, run, occurrence_due_at: null, told_at }]);
    return { app, owner, person, space_id, task_id, stand_in_id, reach };
  }

  it('a stand-in knows of a task since they were first told in its run', async () => {
    const { app, task_id, reach } = await agreed();
    const at = (minute: number) => new Date(app.clock.now().getTime() + minute * 60_000);
    const told = async () => {
      const row = app.db.selectFrom('stand_in_tasks').select(['told_at', 'last_told_at']);
      return row.where('task_id', '=', task_id).executeTakeFirst();
    };
    await reach(1, at(0));
    await reach(1, at(15));
    assert.deepEqual(await told(), { told_at: at(0), last_told_at: at(15) });
    await reach(2, at(60));
    assert.deepEqual(await told(), { told_at: at(60), last_told_at: at(60) });
  });

  it('of a person who stands in no more each message is taken back, also one whose answer was lost', async () => {
    const { app, person, task_id, stand_in_id, reach } = await agreed();
    await reach(1, app.clock.now());
    const to = { id: task_id, owner_id: person.userId };
    const rows = (['sent', 'failed_transient', 'pending'] as const).map((status) =>
      storedDelivery(to, { status, ref: newId() }),
    );
    const unsent = storedDelivery(to, {});
    await app.db
      .insertInto('deliveries')
      .values([...rows, unsent])
      .execute();
    assert.equal((await person.ask('DELETE', `/v1/stand-ins/${stand_in_id}`)).status, 200);
    const deliveries = app.db.selectFrom('deliveries').select(['entry_id', 'kind']).where('task_id', '=', task_id);
    const retracted = await deliveries.where('kind', '=', 'retract').execute();
    assert.deepEqual(
      retracted.map(({ entry_id }) => entry_id).toSorted(),
      rows.map(({ entry_id }) => entry_id).toSorted(),
    );
    assert.deepEqual(await deliveries.where('status', '=', 'pending').where('kind', '=', 'nudge').execute(), []);
  });

  it('who is asked for less than they agreed to has agreed since then', async () => {
    const { app, owner, person, space_id } = await agreed();
    const before = (await person.ask('GET', '/v1/stand-ins')).body.data[0];
    await app.clock.advance('1h');
    const less = { person_id: person.userId, space_id, from_rung: 2 };
    const { data } = (await owner.ask('POST', '/v1/stand-ins', less)).body;
    assert.deepEqual([data.id, data.from_rung, data.agreed_at], [before.id, 2, before.agreed_at]);
  });
});
