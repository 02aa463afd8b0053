/** Text messages that a messaging service holds for people who have nothing but a phone. */
import assert from 'node:assert/strict';
import { ThrottleService } from '../../src/limits/throttle.service.ts';
import { countSegments } from '../../src/push/sms/sms-segments.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { type EngineName, onEveryEngineWith } from '../support/engines.ts';
import type { Recorded } from '../support/http-recorder.ts';
import { createPerson, type Person } from '../support/people.ts';
import { SmsRig } from '../support/provider-rigs.ts';

const DAY_MS = 86_400_000;
const ON = { SMS_FROM: SmsRig.service, SMS_UNDERSTUDIES: 'on', SMS_SEGMENTS_PER_DAY: '1000' };

const isCreation = ({ method, path, body }: Recorded) =>
  method === 'POST' && path.endsWith('/Messages.json') && body.includes('ScheduleType');
const isCancelling = ({ body }: Recorded) => body.startsWith('Status=canceled');

/** Ada at 09:00, with a phone. */
async function start(engine: EngineName, settings: Record<string, string> = ON) {
  const scenario = await ChannelScenario.open(engine, await SmsRig.start(), settings);
  const { rig, app, ada, clock } = scenario;
  rig.now = () => clock.now();
  await rig.connect(ada);
  /** Lets the engine look after them. */
  const look = async (person: Person = ada) => {
    app.engine?.noteChanges([person.userId]);
    await app.engine?.settled();
  };
  const advance = async (minutes: number) => {
    for (let passed = 0; passed < minutes; passed += 1) {
      await clock.advance('1m');
      rig.tick();
    }
  };
  /** The next requests of this kind are obeyed, and their answers lost. */
  const lose = (isMeant: (request: Recorded) => boolean, times = 1) => {
    let left = times;
    rig.server.losesAnswer = (request) => isMeant(request) && left-- > 0;
  };
  /** What the service knows of, and what is really held, are the same. */
  const assertNoStray = async () => {
    const known = await app.db.selectFrom('understudies').select('ref').execute();
    assert.deepEqual(new Set(rig.held.map(({ sid }) => sid)), new Set(known.map(({ ref }) => ref)));
  };
  const { ask } = ada;
  const create = (fields: object = {}) => scenario.create(fields);
  const dispose = () => scenario[Symbol.asyncDispose]();
  return { app, ada, clock, rig, ask, create, look, advance, lose, assertNoStray, [Symbol.asyncDispose]: dispose };
}

const times = ({ held }: SmsRig) => held.map(({ at }) => at.slice(11));

onEveryEngineWith(
  async (engine) => ({
    start: (settings?: Record<string, string>) => start(engine, settings),
    async [Symbol.asyncDispose]() {},
  }),
  (it, test) => {
    it('unless the operator allows it, no text message is held', async ({ start: startWith }) => {
      await using world = await startWith({ SMS_FROM: SmsRig.service });
      await world.create();
      await world.look();
      assert.deepEqual(world.rig.held, []);
    });

    it('one message is held for all tasks, and one for each of three must-not-miss tasks', async ({
      start: startWith,
    }) => {
      await using world = await startWith();
      await world.create();
      for (const minute of [10, 20, 30, 40]) {
        const due_at = `2026-03-02T10:${minute}:00Z`;
        await world.create({ title: `insulin ${minute}`, due_at, break_quiet_hours: true });
      }
      await world.look();
      assert.deepEqual(times(world.rig), ['10:10', '10:20', '10:30', '10:40']);
      const [general, own] = world.rig.held;
      assert.match(
        general?.body ?? '',
        /^(A task is|2 tasks are) due, and Crescendo is silent\. Crescendo has not been heard of since/,
      );
      assert.match(own?.body ?? '', /^insulin 10\. Crescendo has not been heard of since Mon 09:00\. Its reminder was/);
      for (const { body } of world.rig.held) {
        assert.ok(countSegments(body) <= 2, body);
        assert.doesNotMatch(body, /http/);
      }
      await world.assertNoStray();
    });

    test('a service that lives moves it and lets none be sent, and one message is always held', async ({
      start: startWith,
    }) => {
      await using world = await startWith();
      await world.create();
      await world.look();
      for (let hour = 0; hour < 5; hour += 1) {
        await world.advance(60);
        assert.equal(world.rig.held.length, 1);
      }
      assert.deepEqual(world.rig.sounded, []);
      assert.ok(world.rig.messages.filter(({ status }) => status === 'canceled').length > 3);
      await world.assertNoStray();
    });

    it('the new message is there before the old one is cancelled', async ({ start: startWith }) => {
      await using world = await startWith();
      const { rig } = world;
      const id = await world.create();
      await world.look();
      let fewest = 1;
      const usual = rig.server.respondTo;
      rig.server.respondTo = async (request) => {
        const answer = await usual(request);
        fewest = Math.min(fewest, rig.held.length);
        return answer;
      };
      await world.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-02T09:30:00Z' });
      await world.look();
      assert.deepEqual([times(rig), fewest], [['09:40'], 1]);
    });

    it('Done takes its message back, and the end of the account all of them', async ({ start: startWith }) => {
      await using world = await startWith();
      const id = await world.create({ break_quiet_hours: true });
      await world.look();
      assert.deepEqual(times(world.rig), ['10:10']);
      await world.ask('POST', `/v1/tasks/${id}/complete`);
      await world.look();
      assert.match(world.rig.held[0]?.body ?? '', /Nothing rings until it is back/);
      assert.equal(world.rig.held.length, 1);
      await world.ask('DELETE', '/v1/me');
      await world.look();
      assert.deepEqual(world.rig.held, []);
    });

    it('a message whose answer was lost is found again, so that none is left behind', async ({ start: startWith }) => {
      await using world = await startWith();
      world.lose(isCreation);
      await world.create();
      await world.look();
      assert.equal(world.rig.held.length, 1, 'obeyed, but nobody knows');
      await world.advance(2);
      assert.deepEqual(times(world.rig), ['10:10']);
      await world.assertNoStray();
    });

    it('what was lost twice and is not wanted any more is taken back', async ({ start: startWith }) => {
      await using world = await startWith();
      world.lose(isCreation, 2);
      const id = await world.create();
      await world.look();
      await world.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-02T09:40:00Z' });
      await world.look();
      await world.ask('DELETE', '/v1/me');
      await world.look();
      await world.advance(3);
      assert.deepEqual(world.rig.held, []);
    });

    it('a cancelling that was lost or refused leaves no second message', async ({ start: startWith }) => {
      await using world = await startWith();
      const { rig } = world;
      const id = await world.create();
      await world.look();
      world.lose(isCancelling);
      await world.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-02T09:50:00Z' });
      await world.look();
      await world.advance(2);
      assert.deepEqual(times(rig), ['10:00']);
      const usual = rig.server.respondTo;
      let refusals = 2;
      rig.server.respondTo = (request) =>
        isCancelling(request) && refusals-- > 0 ? { status: 503, body: { code: 20503 } } : usual(request);
      await world.ask('PATCH', `/v1/tasks/${id}`, { due_at: '2026-03-02T09:40:00Z' });
      await world.look();
      assert.equal(rig.held.length, 2);
      await world.advance(3);
      assert.deepEqual(times(rig), ['09:50']);
      await world.assertNoStray();
    });

    it('messages of other accounts and of other programs to the same number are left alone', async ({
      start: startWith,
    }) => {
      await using world = await startWith();
      const { rig, app, look } = world;
      rig.mostPerPage = 2;
      await world.create();
      await look();
      const form = { To: SmsRig.number, MessagingServiceSid: SmsRig.service, Body: 'Your table is booked' };
      const body = new URLSearchParams({ ...form, ScheduleType: 'fixed', SendAt: '2026-03-02T18:00:00Z' }).toString();
      const { authorization } = rig.server.requests.at(-1)?.headers ?? {};
      const path = `/2010-04-01/Accounts/${SmsRig.accountSid}/Messages.json`;
      await fetch(rig.server.origin + path, { method: 'POST', body, headers: { authorization: authorization ?? '' } });
      const bob = await createPerson(app);
      await rig.connect(bob);
      const ofAda = rig.held.map(({ sid }) => sid);
      assert.equal(ofAda.length, 2);
      world.lose(isCreation);
      const task = { title: 'eggs', due_at: '2026-03-02T11:00:00Z', has_time: true };
      assert.equal((await bob.ask('POST', '/v1/tasks', task)).status, 200);
      await look(bob);
      await world.advance(3);
      assert.deepEqual(times(rig), ['10:10', '11:10', '18:00']);
      assert.ok(ofAda.every((sid) => rig.held.some((one) => one.sid === sid)));
    });

    it('what was sent is counted with what the day may cost, and stands in the timeline', async ({
      start: startWith,
    }) => {
      await using world = await startWith();
      const { rig, app, clock } = world;
      const id = await world.create();
      await world.look();
      const throttle = new ThrottleService(app.db, clock);
      const count = () => throttle.countMessages(`sms segments to ${SmsRig.number}`, 0, DAY_MS);
      rig.server.faults.always = { status: 503, body: { code: 20503 } };
      const before = await count();
      await world.advance(75);
      assert.equal(rig.sounded.length, 1);
      assert.equal(await count(), before, 'no nudge was sent');
      rig.server.faults.always = undefined;
      const texts = rig.texts.length;
      await world.advance(5);
      const nudged = rig.texts.slice(texts).reduce((sum, text) => sum + countSegments(text), 0);
      assert.equal((await count()) - before - nudged, countSegments(rig.sounded[0]?.body ?? ''));
      const { data } = (await world.ask('GET', `/v1/tasks/${id}/timeline`)).body;
      const kinds = data.filter(({ kind }: { kind: string }) => kind === 'understudy');
      assert.deepEqual(
        kinds.map(({ via }: { via: string }) => via),
        ['sms'],
      );
      await world.assertNoStray();
    });

    it('a fifth of what a day may cost is held, for all people together', async ({ start: startWith }) => {
      await using world = await startWith({ ...ON, SMS_SEGMENTS_PER_DAY: '20' });
      const { rig, app, look } = world;
      await world.create();
      for (const due_at of ['2026-03-02T10:20:00Z', '2026-03-02T10:30:00Z'])
        await world.create({ due_at, break_quiet_hours: true });
      await look();
      assert.equal(rig.held.length, 2, 'two messages of two segments');
      const bob = await createPerson(app);
      await rig.connect(bob);
      await bob.ask('POST', '/v1/tasks', { title: 'eggs', due_at: '2026-03-02T10:00:00Z', has_time: true });
      await look(bob);
      assert.equal(rig.held.length, 2);
      const states = await app.db.selectFrom('understudy_people').select(['user_id', 'state']).execute();
      assert.equal(states.find(({ user_id }) => user_id === bob.userId)?.state, 'none_left');
    });

    it('a service that wants a quarter of an hour gets it', async ({ start: startWith }) => {
      await using world = await startWith();
      world.rig.shortestDelaySeconds = 900;
      await world.create({ due_at: '2026-03-02T09:01:00Z' });
      await world.look();
      assert.deepEqual(times(world.rig), ['09:16']);
    });
  },
);
