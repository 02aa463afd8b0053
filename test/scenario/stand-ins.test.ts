/** Who has agreed is told if the owner does not react, by their own rules; nobody else ever is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Housekeeping } from '../../src/engine/housekeeping.ts';
import { AppError } from '../../src/lib/errors.ts';
import type { AnyPush, Gateway } from '../../src/push/gateway.ts';
import { ReachedTasksService, standInCaller } from '../../src/tasks/stand-ins/reached-tasks.service.ts';
import { StandInLinks } from '../../src/tasks/stand-ins/stand-in-links.ts';
import type { StandInsService } from '../../src/tasks/stand-ins/stand-ins.service.ts';
import type { TasksService } from '../../src/tasks/tasks.service.ts';
import { NtfyRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice } from '../support/fake-phones.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace, joinSpace } from '../support/spaces.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const BOSS = 'boss@example.org';

/** The service with gateways that record what they send to whom. */
class World implements AsyncDisposable {
  readonly clock = new FakeClock();
  app!: TestApp;
  readonly #sent: string[] = [];
  readonly #names = new Map<string, string>();

  static async open(engine: Parameters<typeof startTestApp>[0]): Promise<World> {
    const world = new World();
    const gateway: Gateway = {
      capacity: () => 100,
      close: async () => undefined,
      send: async (push: AnyPush) => {
        world.#record(push);
        return { kind: 'accepted' };
      },
    };
    const gateways = { apns: gateway, apns_sandbox: gateway, fcm: gateway, web_push: gateway, telegram: gateway };
    world.app = await startTestApp(engine, { clock: world.clock, extra: { gateways }, settings: { ADMINS: BOSS } });
    return world;
  }

  #record(push: AnyPush): void {
    const target = 'token' in push.target ? push.target.token : push.target.channelId;
    const [name, platform] = (this.#names.get(target) ?? 'nobody ?').split(' ');
    const what = 'news' in push ? push.news.kind : push.kind;
    const title = 'task' in push ? push.task.title : '';
    this.#sent.push(`${this.clock.now().toISOString().slice(11, 16)} ${name} ${platform} ${what} ${title}`);
  }

  async person(name: string, ...platforms: ('ios' | 'web')[]): Promise<Person> {
    const person = await createPerson(this.app);
    await person.ask('PATCH', '/v1/me', { display_name: name });
    for (const platform of platforms) await addDevice(this.app, person.userId, platform);
    const devices = await this.app.db.selectFrom('devices').selectAll().where('user_id', '=', person.userId).execute();
    for (const { token, platform } of devices) this.#names.set(token, `${name} ${platform}`);
    return person;
  }

  /** A channel that gets what nobody has answered. */
  async addLastResort(name: string, { userId: user_id }: Person): Promise<void> {
    const channel = channelRow(this.clock.now(), { user_id, provider: 'telegram', tier: 1 });
    await this.app.db.insertInto('channels').values(channel).execute();
    this.#names.set(channel.id, `${name} telegram`);
  }

  async take(): Promise<string[]> {
    await this.app.engine?.settled();
    return this.#sent.splice(0).toSorted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]();
  }
}

const DUE = { due_at: '2026-03-02T10:00:00Z', has_time: true };

async function createTask(owner: Person, fields: object = {}): Promise<string> {
  const { status, body } = await owner.ask('POST', '/v1/tasks', { title: 'pills', ...DUE, ...fields });
  assert.equal(status, 200);
  return body.data.id;
}

async function ask(owner: Person, person: Person, space: string, fields: object): Promise<string> {
  const body = { person_id: person.userId, space_id: space, ...fields };
  const answer = await owner.ask('POST', '/v1/stand-ins', body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data.id;
}

const agree = (person: Person, id: string, body = {}) => person.ask('POST', `/v1/stand-ins/${id}/agree`, body);
const told = async (person: Person) => (await person.ask('GET', '/v1/stand-in/tasks')).body.data;

interface Agreed {
  readonly world: World;
  readonly ada: Person;
  readonly grace: Person;
  readonly space: string;
  readonly task: string;
  readonly id: string;
}

async function suspend({ app }: World, { userId }: Person): Promise<void> {
  const boss = await createPerson(app, BOSS);
  assert.equal((await boss.ask('POST', `/v1/admin/people/${userId}/suspend`)).status, 200);
}

const ENDS: Readonly<Record<string, (agreed: Agreed) => Promise<unknown>>> = {
  'the stand-in leaves the space': ({ grace, space }) => grace.ask('DELETE', `/v1/spaces/${space}/membership`),
  'the owner leaves the space': ({ ada, space }) => ada.ask('DELETE', `/v1/spaces/${space}/membership`),
  'the stand-in is suspended': ({ world, grace }) => suspend(world, grace),
  'the owner is suspended': ({ world, ada }) => suspend(world, ada),
  'the stand-in is deleted': ({ grace }) => grace.ask('DELETE', '/v1/me'),
  'the stand-in stops': ({ grace, id }) => grace.ask('DELETE', `/v1/stand-ins/${id}`),
  'the owner ends it': ({ ada, id }) => ada.ask('DELETE', `/v1/stand-ins/${id}`),
  'the owner leaves them out of the task': ({ ada, grace, space, task }) =>
    ask(ada, grace, space, { task_id: task, from_rung: null }),
};

onEveryEngine((engine, it) => {
  test('a stand-in is asked, told from their rung on once they agreed, and never before', async () => {
    await using world = await World.open(engine);
    const [ada, grace] = [await world.person('Ada', 'web'), await world.person('Grace', 'web')];
    const space = await createSpace(ada, grace);
    const task = await createTask(ada);
    const id = await ask(ada, grace, space, { task_id: task, from_rung: 2 });
    // Grace does not read the task: its title is not named.
    assert.deepEqual(await world.take(), ['09:00 Grace web stand_in_asked One task']);
    const [asked] = (await grace.ask('GET', '/v1/stand-ins')).body.data;
    assert.deepEqual([asked.role, asked.state, asked.task_title], ['stand_in', 'asked', null]);
    await world.clock.advance('100m');
    assert.ok((await world.take()).every((line) => !line.includes('Grace')));
    assert.deepEqual(await told(grace), []);

    assert.equal((await agree(grace, id)).status, 200);
    assert.deepEqual(await world.take(), ['10:40 Ada web stand_in_agreed pills']);
    await world.clock.advance('5m');
    assert.deepEqual(await world.take(), ['10:45 Ada web nudge pills', '10:45 Grace web nudge pills']);
    const [reached] = await told(grace);
    assert.deepEqual([reached.task_id, reached.title, reached.owner.display_name], [task, 'pills', 'Ada']);
    // Through the contract she still sees nothing of it.
    assert.equal((await grace.ask('GET', `/v1/tasks/${task}`)).status, 404);
    assert.deepEqual((await grace.ask('GET', '/v1/tasks')).body.data, []);
    assert.equal((await grace.ask('POST', `/v1/tasks/${task}/complete`)).status, 404);
    const [shown] = (await ada.ask('GET', `/v1/tasks/${task}/stand-ins`)).body.data;
    assert.deepEqual([shown.person.display_name, shown.told_at], ['Grace', '2026-03-02T10:45:00.000Z']);
    const kinds = (await ada.ask('GET', `/v1/tasks/${task}/timeline`)).body.data.map(
      (entry: { kind: string }) => entry.kind,
    );
    assert.ok(kinds.includes('stand_in_told'));
  });

  test('Done by a stand-in is one outcome of the owner, both are told by whom, and the stand-in takes it back', async () => {
    await using world = await World.open(engine);
    const [ada, grace] = [await world.person('Ada', 'web'), await world.person('Grace', 'web')];
    const space = await createSpace(ada, grace);
    const task = await createTask(ada, { recurrence: { freq: 'daily' } });
    await agree(grace, await ask(ada, grace, space, { task_id: task, from_rung: 0 }));
    await world.clock.advance('1h');
    await world.take();
    const path = `/v1/stand-in/tasks/${task}`;
    // What an older message shows acts on no later occurrence.
    const older = { occurrence_due_at: '2026-03-01T10:00:00Z' };
    assert.equal((await grace.ask('POST', `${path}/complete`, older)).status, 409);
    assert.equal((await grace.ask('POST', `${path}/snooze`, { until: '2026-03-02T11:00:00Z', ...older })).status, 409);
    const done = await grace.ask('POST', `${path}/complete`, { occurrence_due_at: DUE.due_at });
    assert.deepEqual([done.status, done.body.data.settled.is_own, done.body.data.settled.how], [200, true, 'done']);
    assert.equal((await grace.ask('POST', `/v1/stand-in/tasks/${task}/complete`)).status, 200);
    assert.deepEqual(await world.take(), ['10:00 Ada web stand_in_done pills']);
    const outcomes = (await ada.ask('GET', '/v1/outcomes')).body.data;
    assert.equal(outcomes.length, 1);
    assert.deepEqual((await grace.ask('GET', '/v1/outcomes')).body.data, []);
    const [entry] = (await ada.ask('GET', `/v1/tasks/${task}/timeline`)).body.data;
    assert.deepEqual([entry.kind, entry.by, entry.person_name], ['done', 'stand_in', 'Grace']);
    assert.equal((await grace.ask('POST', `/v1/stand-in/tasks/${task}/reopen`)).status, 200);
    assert.deepEqual((await ada.ask('GET', '/v1/outcomes')).body.data, []);

    // What the owner did, the stand-in does not take back; who settled it stands in the list.
    await world.clock.advance('1m');
    await ada.ask('POST', `/v1/tasks/${task}/complete`);
    assert.ok((await world.take()).includes('10:01 Grace web stand_in_done pills'));
    const [settled] = await told(grace);
    assert.deepEqual([settled.settled.by, settled.settled.is_own], ['Ada', false]);
    // Real time may be ahead of the clock of tasks: what it shows is not older for that.
    await new Housekeeping(world.app.db, new FakeClock('2026-03-05T10:00:00Z'), world.clock).runOnce();
    assert.equal((await told(grace))[0].settled.by, 'Ada');
    assert.equal((await grace.ask('POST', `/v1/stand-in/tasks/${task}/reopen`)).status, 409);
    await world.clock.advance('25h');
    assert.deepEqual(
      (await told(grace)).map(({ settled }: { settled: unknown }) => settled),
      [null],
    );
  });

  it('the quiet hours, the pause and the snooze of a stand-in hold what they are told, and nothing of the owner', async () => {
    await using world = await World.open(engine);
    const [ada, grace] = [await world.person('Ada', 'web'), await world.person('Grace', 'web')];
    const space = await createSpace(ada, grace);
    await grace.ask('PATCH', '/v1/me', { quiet_hours_start: '09:30', quiet_hours_end: '11:10', timezone: 'UTC' });
    const task = await createTask(ada, { break_quiet_hours: true });
    const id = await ask(ada, grace, space, { task_id: task, from_rung: 0 });
    await agree(grace, id);
    await world.take();
    await world.clock.advance('65m');
    assert.deepEqual(await world.take(), ['10:00 Ada web nudge pills']);
    const [shown] = (await ada.ask('GET', `/v1/tasks/${task}/stand-ins`)).body.data;
    assert.deepEqual([shown.told_at, shown.held_until], ['2026-03-02T10:00:00.000Z', '2026-03-02T11:10:00.000Z']);
    // Only if the stand-in has agreed to exactly that, must-not-miss passes their quiet hours.
    await agree(grace, id, { passes_quiet_hours: true });
    await world.clock.advance('10m');
    assert.deepEqual(await world.take(), [
      '10:06 Grace web nudge pills',
      '10:15 Ada web nudge pills',
      '10:15 Grace web nudge pills',
    ]);
    await grace.ask('POST', `/v1/stand-in/tasks/${task}/snooze`, { until: '2026-03-02T10:40:00Z' });
    await world.clock.advance('30m');
    const lines = await world.take();
    assert.deepEqual(
      lines.filter((line) => line.includes('Grace')),
      ['10:45 Grace web nudge pills'],
    );
    assert.equal(lines.filter((line) => line.includes('Ada')).length, 2);
    const heldUntil = async () => (await ada.ask('GET', `/v1/tasks/${task}/stand-ins`)).body.data[0].held_until;
    assert.equal(await heldUntil(), null);
    await ada.ask('PATCH', `/v1/tasks/${task}`, { break_quiet_hours: false });
    assert.equal(await heldUntil(), '2026-03-02T11:10:00.000Z', 'what may be missed passes no quiet hours');
  });

  it('what a stand-in has seen falls no further, and what they have not seen does, whatever its owner has', async () => {
    await using world = await World.open(engine);
    const [ada, grace] = [await world.person('Ada', 'web'), await world.person('Grace', 'web')];
    await grace.ask('PATCH', '/v1/channels', { fallback_minutes: 5 });
    await world.addLastResort('Grace', grace);
    const space = await createSpace(ada, grace);
    const task = await createTask(ada);
    await agree(grace, await ask(ada, grace, space, { task_id: task, from_rung: 0 }));
    await world.clock.advance('61m');
    await world.take();
    assert.equal((await grace.ask('POST', `/v1/stand-in/tasks/${task}/seen`)).status, 200);
    await world.clock.advance('10m');
    assert.deepEqual(await world.take(), []);
    // The owner answers the next nudge, and for themself alone.
    await world.clock.advance('5m');
    for (const stage of [0, 1]) await ada.ask('POST', '/v1/deliveries/ack', { task_id: task, stage });
    await world.clock.advance('5m');
    const lines = (await world.take()).filter((line) => line.includes('Grace'));
    assert.deepEqual(lines, ['10:15 Grace web nudge pills', '10:20 Grace telegram channel_nudge pills']);
    const { data } = (await ada.ask('GET', `/v1/tasks/${task}/timeline`)).body;
    assert.ok(
      data.every(({ kind }: { kind: string }) => kind !== 'fell_back'),
      'through what a stand-in is told is their own',
    );
  });

  it('what a stand-in saw and snoozed says nothing of the next occurrence', async () => {
    await using world = await World.open(engine);
    const [ada, grace] = [await world.person('Ada', 'web'), await world.person('Grace', 'web')];
    const space = await createSpace(ada, grace);
    const task = await createTask(ada, { recurrence: { freq: 'daily' } });
    await agree(grace, await ask(ada, grace, space, { task_id: task, from_rung: 0 }));
    await world.clock.advance('61m');
    const about = `/v1/stand-in/tasks/${task}`;
    assert.equal((await grace.ask('POST', `${about}/seen`)).status, 200);
    assert.equal((await grace.ask('POST', `${about}/snooze`, { until: '2026-03-05T10:00:00Z' })).status, 200);
    assert.equal((await ada.ask('POST', `/v1/tasks/${task}/complete`)).status, 200);
    await world.take();
    await world.clock.advance('24h');
    assert.ok((await world.take()).includes('10:00 Grace web nudge pills'));
    const [row] = await told(grace);
    const due = '2026-03-03T10:00:00.000Z';
    assert.deepEqual([row.due_at, row.told_at, row.seen_at, row.snoozed_until], [due, due, null, null]);
    // And what they see now, they did not see then.
    const answered = async () => {
      const sent = world.app.db.selectFrom('deliveries').select(['run', 'acked_at']).where('kind', '=', 'nudge');
      const rows = await sent.where('task_id', '=', task).where('recipient_id', '=', grace.userId).execute();
      return rows.filter(({ acked_at }) => acked_at !== null).map(({ run }) => run);
    };
    await world.app.db.updateTable('deliveries').set({ acked_at: null }).execute();
    await grace.ask('POST', `${about}/seen`);
    assert.deepEqual(await answered(), [2]);
  });

  it('Done that a stand-in took back before the owner could be told is not told', async () => {
    await using world = await World.open(engine);
    const [ada, grace] = [await world.person('Ada', 'web'), await world.person('Grace', 'web')];
    const space = await createSpace(ada, grace);
    await ada.ask('PATCH', '/v1/me', { quiet_hours_start: '09:30', quiet_hours_end: '11:10', timezone: 'UTC' });
    const task = await createTask(ada, { break_quiet_hours: true });
    await agree(grace, await ask(ada, grace, space, { task_id: task, from_rung: 0 }));
    await world.clock.advance('61m');
    const press = async (action: string) => {
      assert.equal((await grace.ask('POST', `/v1/stand-in/tasks/${task}/${action}`)).status, 200);
      await world.take();
    };
    await press('complete');
    const waiting = world.app.db.selectFrom('request_messages').select('kind').where('due_at', 'is not', null);
    assert.deepEqual(await waiting.execute(), [{ kind: 'stand_in_done' }]);
    await press('reopen');
    await world.clock.advance('2h');
    const lines = await world.take();
    assert.ok(
      lines.every((line) => !line.includes('stand_in_done')),
      lines.join(),
    );
  });

  for (const [how, end] of Object.entries(ENDS))
    it(`it ends at once and for good when ${how}`, async () => {
      await using world = await World.open(engine);
      const [ada, grace] = [await world.person('Ada', 'web'), await world.person('Grace', 'web')];
      const space = await createSpace(ada, grace);
      const task = await createTask(ada);
      const id = await ask(ada, grace, space, { from_rung: 0 });
      await agree(grace, id);
      await world.clock.advance('1h');
      assert.equal((await told(grace)).length, 1);
      await world.take();
      await end({ world, ada, grace, space, task, id });
      await world.clock.advance('1h');
      const lines = await world.take();
      assert.ok(
        lines.every((line) => line.includes('Ada')),
        lines.join(),
      );
      assert.equal((await world.app.db.selectFrom('stand_in_tasks').selectAll().execute()).length, 0);
      const left = await world.app.db.selectFrom('stand_ins').select('from_rung').execute();
      assert.deepEqual(
        left,
        how === 'the owner leaves them out of the task' ? [{ from_rung: 0 }, { from_rung: null }] : [],
      );
    });

  test('a phone gets only what its person reads in the space, a browser gets everything', async () => {
    await using world = await World.open(engine);
    const [ada, grace] = [await world.person('Ada'), await world.person('Grace', 'ios', 'web')];
    const space = await createSpace(ada, grace);
    await agree(grace, await ask(ada, grace, space, { from_rung: 0 }));
    await createTask(ada, { title: 'own' });
    await createTask(ada, { title: 'shared', space_id: space });
    await world.take();
    await world.clock.advance('1h');
    const lines = (await world.take()).filter((line) => line.includes('Grace'));
    assert.deepEqual(lines, [
      '10:00 Grace ios nudge shared',
      '10:00 Grace web nudge own',
      '10:00 Grace web nudge shared',
    ]);
  });

  test('the narrowest choice counts, and what was agreed to is not stretched without a question', async () => {
    await using world = await World.open(engine);
    const [ada, grace] = [await world.person('Ada'), await world.person('Grace', 'web')];
    const space = await createSpace(ada, grace);
    const all = await ask(ada, grace, space, { from_rung: 2 });
    await agree(grace, all);
    const task = await createTask(ada);
    const state = async (fields: object) => {
      const answer = await ada.ask('POST', '/v1/stand-ins', { person_id: grace.userId, space_id: space, ...fields });
      return answer.body.data.state;
    };
    assert.equal(await state({ task_id: task, from_rung: 3 }), 'agreed', 'later than agreed asks nobody');
    assert.equal(await state({ task_id: task, from_rung: 1 }), 'asked', 'earlier than agreed asks again');
    assert.equal(await state({ from_rung: 1 }), 'asked');
    await agree(grace, all);
    await world.take();
    await world.clock.advance('90m');
    // The task's own question is not answered, so the wider agreement counts.
    const lines = (await world.take()).filter((line) => line.includes('nudge'));
    assert.deepEqual(lines, ['10:15 Grace web nudge pills', '10:30 Grace web nudge pills']);
  });

  it('a person who stands in for many tasks still gets every nudge of their own', async () => {
    await using world = await World.open(engine);
    const [ada, grace] = [await world.person('Ada'), await world.person('Grace', 'web')];
    // Without a row, as before her first nudge, two batches at once would each have the whole budget.
    const none = { open: 0, done: 0, skipped: 0, nudges_sent: 0, seconds_to_done: 0, booked_ms: 0, booked_at_ms: 0 };
    await world.app.db
      .insertInto('task_counts')
      .values({ user_id: grace.userId, ...none })
      .execute();
    const space = await createSpace(ada, grace);
    await agree(grace, await ask(ada, grace, space, { from_rung: 0 }));
    for (let number = 0; number < 300; number += 1) await createTask(ada, { title: 'of Ada' });
    await createTask(grace, { title: 'of Grace', due_at: '2026-03-02T10:00:01Z' });
    await world.take();
    await world.clock.advance('61m');
    const lines = await world.take();
    assert.equal(lines.filter((line) => line.endsWith('of Ada')).length, 250);
    assert.deepEqual(
      lines.filter((line) => line.endsWith('of Grace')),
      ['10:00 Grace web nudge of Grace'],
    );
  });

  it('asking and taking back again and again sends three messages a day, and the question stands in the app', async () => {
    await using world = await World.open(engine);
    const [ada, grace] = [await world.person('Ada'), await world.person('Grace', 'web')];
    const space = await createSpace(ada, grace);
    for (let round = 0; round < 5; round += 1) {
      const id = await ask(ada, grace, space, { from_rung: round });
      await ask(ada, grace, space, { from_rung: round });
      await world.app.engine?.settled();
      if (round < 4) await ada.ask('DELETE', `/v1/stand-ins/${id}`);
    }
    assert.equal((await world.take()).length, 3);
    assert.equal((await grace.ask('GET', '/v1/stand-ins')).body.data.length, 1);
    // Another person still asks her, and so does Ada on another day.
    const hal = await world.person('Hal');
    await joinSpace(space, ada, hal);
    await ask(hal, grace, space, { from_rung: 0 });
    assert.equal((await world.take()).length, 1);
    await world.clock.advance('25h');
    await ask(ada, grace, space, { label: 'todo', from_rung: 0 });
    assert.deepEqual(await world.take(), ['10:00 Grace web stand_in_asked Tasks with the label todo']);
  });

  it('an access token chooses among those who agreed, asks nobody, and sees no stand-in task', async () => {
    await using world = await World.open(engine);
    const [ada, grace, hal] = [await world.person('Ada'), await world.person('Grace'), await world.person('Hal')];
    const space = await createSpace(ada, grace, hal);
    const task = await createTask(ada);
    await agree(grace, await ask(ada, grace, space, { from_rung: 2 }));
    const scopes = ['tasks:read', 'tasks:write'];
    const { token } = (await ada.ask('POST', '/v1/tokens', { name: 'helper', scopes })).body.data;
    const choose = (person: Person, from_rung: number | null) =>
      ada.ask('POST', '/v1/stand-ins', { person_id: person.userId, space_id: space, task_id: task, from_rung }, token);
    assert.equal((await choose(grace, 4)).status, 200);
    assert.equal((await choose(grace, 1)).status, 403);
    assert.equal((await choose(hal, 4)).status, 403);
    assert.equal((await choose(grace, null)).status, 200);
    assert.equal((await ada.ask('GET', '/v1/stand-in/tasks', undefined, token)).status, 403);
    assert.equal((await ada.ask('GET', `/v1/tasks/${task}/stand-ins`, undefined, token)).status, 200);
  });

  it('the button of an older question agrees to nothing, and an assigner reads nothing of stand-ins', async () => {
    await using scenario = await ChannelScenario.open(engine, await NtfyRig.start());
    const { ada, rig, app, clock } = scenario;
    const [grace, hal] = [await createPerson(app), await createPerson(app)];
    await rig.connect(grace);
    const space = await createSpace(ada, grace);
    const task = (await hal.ask('POST', '/v1/tasks', { title: 'pills', owner_id: ada.userId, ...DUE })).body.data.id;
    await ada.ask('POST', `/v1/tasks/${task}/accept`);
    await ask(ada, grace, space, { task_id: task, from_rung: 50 });
    await app.engine?.settled();
    const [older] = rig.take();
    await ask(ada, grace, space, { task_id: task, from_rung: 0 });
    await app.engine?.settled();
    const [question] = rig.take();
    assert.equal((await scenario.press(older?.page ?? '', 'accept')).body.data.state, 'request_gone');
    assert.equal((await scenario.press(question?.page ?? '', 'accept')).body.data.state, 'agreed_to_stand_in');
    await clock.advance('1h');
    const kindsFor = async (person: Person) =>
      (await person.ask('GET', `/v1/tasks/${task}/timeline`)).body.data.map(({ kind }: { kind: string }) => kind);
    assert.ok((await kindsFor(ada)).includes('stand_in_told'));
    assert.ok(!(await kindsFor(hal)).includes('stand_in_told'));
  });

  test('Done by the link of an occurrence that is settled is not one of the next, which comes in that moment', async () => {
    await using world = await World.open(engine);
    const { app, clock } = world;
    const [ada, grace] = [await world.person('Ada', 'web'), await world.person('Grace', 'web')];
    const space = await createSpace(ada, grace);
    const task = await createTask(ada, { recurrence: { freq: 'daily' } });
    await agree(grace, await ask(ada, grace, space, { task_id: task, from_rung: 0 }));
    await clock.advance('60m');
    await world.take();
    await ada.ask('POST', `/v1/tasks/${task}/complete`);
    const acted: string[] = [];
    const tasks = { act: async (_: unknown, id: string) => void acted.push(id) } as unknown as TasksService;
    const reached = new ReachedTasksService(app.db, clock, tasks);
    const links = new StandInLinks({} as StandInsService, reached, clock);
    const get = reached.get.bind(reached);
    reached.get = async (...asked) => {
      const answer = await get(...asked);
      await clock.advance('24h');
      await world.take();
      return answer;
    };
    await links.act({ userId: grace.userId, via: 'ntfy' }, task, 'done', new Date(DUE.due_at));
    assert.equal((await told(grace))[0]?.due_at, '2026-03-03T10:00:00.000Z');
    assert.deepEqual(acted, []);
  });

  test('Done that another action was faster than is refused, unless that was Done too', async () => {
    await using world = await World.open(engine);
    const { app, clock } = world;
    const [ada, grace] = [await world.person('Ada', 'web'), await world.person('Grace', 'web')];
    const space = await createSpace(ada, grace);
    await agree(grace, await ask(ada, grace, space, { from_rung: 0 }));
    for (const [action, isRefused] of [
      ['complete', false],
      ['skip', true],
    ] as const) {
      const task = await createTask(ada, { due_at: new Date(clock.now().getTime() + 60_000).toISOString() });
      await clock.advance('2m');
      await world.take();
      const act = async () => {
        await ada.ask('POST', `/v1/tasks/${task}/${action}`);
        throw new AppError('occurrence_passed');
      };
      const reached = new ReachedTasksService(app.db, clock, { act } as unknown as TasksService);
      const done = reached.complete(standInCaller(grace.userId), task);
      if (isRefused) await assert.rejects(done, { code: 'occurrence_passed' });
      else assert.equal((await done).settled?.how, 'done');
    }
  });

  it('the message of a stand-in has buttons for the occurrence, and is taken back when anybody settles it', async () => {
    await using scenario = await ChannelScenario.open(engine, await NtfyRig.start());
    const { ada, rig, clock, app } = scenario;
    const grace = await createPerson(app);
    await rig.connect(grace);
    const space = await createSpace(ada, grace);
    const task = await scenario.create({ recurrence: { freq: 'daily' } });
    const id = await ask(ada, grace, space, { task_id: task, from_rung: 0 });
    await app.engine?.settled();
    const [question] = rig.take();
    assert.ok(question);
    assert.equal((await scenario.press(question.page, 'accept')).status, 200);
    assert.equal((await grace.ask('GET', '/v1/stand-ins')).body.data[0].state, 'agreed');
    await app.engine?.settled();
    rig.take();
    assert.equal(rig.takeRetracted(), 1, 'the question is taken back');
    await clock.advance('1h');
    const [message] = rig.take();
    assert.ok(message);
    assert.equal((await scenario.press(message.page, 'seen')).body.data.state, 'seen');
    assert.ok((await ada.ask('GET', `/v1/tasks/${task}/stand-ins`)).body.data[0].seen_at);
    assert.equal((await scenario.press(message.page, 'done')).body.data.state, 'done');
    await app.engine?.settled();
    assert.equal(rig.takeRetracted(), 1);
    await clock.advance('24h');
    const [next] = rig.take().filter(({ title }) => title === 'pills');
    assert.ok(next);
    assert.equal((await scenario.press(message.page, 'done')).body.data.state, 'passed', 'of an older occurrence');
    await ada.ask('POST', `/v1/tasks/${task}/complete`);
    await app.engine?.settled();
    assert.equal(rig.takeRetracted(), 1);
    await clock.advance('24h');
    const [last] = rig.take().filter(({ title }) => title === 'pills');
    const sentBefore = (ms: number) =>
      app.db
        .updateTable('timeline')
        .set({ at: new Date(clock.now().getTime() - ms) })
        .execute();
    await sentBefore(7 * 86_400_000 + 1);
    assert.equal((await scenario.press(last?.page ?? '', 'leave')).body.data.state, 'expired');
    await sentBefore(7 * 86_400_000);
    assert.equal((await scenario.press(last?.page ?? '', 'leave')).body.data.state, 'left');
    assert.deepEqual(await grace.ask('GET', '/v1/stand-ins').then(({ body }) => body.data), []);
    await app.engine?.settled();
    assert.equal(rig.takeRetracted(), 1);
    assert.equal((await grace.ask('DELETE', `/v1/stand-ins/${id}`)).status, 404);
  });
});
