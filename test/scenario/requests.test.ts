/** Who is asked by somebody of a shared space hears of it, and who asked hears of the answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { lockUntilCommit, transact } from '../../src/db/transact.ts';
import { listReplacedRefs } from '../../src/deliveries/request-messages.store.ts';
import { Housekeeping } from '../../src/engine/housekeeping.ts';
import { postponeRequestMessage } from '../../src/engine/request-sweep.store.ts';
import { newId } from '../../src/lib/ids.ts';
import type { AnyPush, Gateway } from '../../src/push/gateway.ts';
import { NtfyRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { addDevice } from '../support/fake-phones.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace, joinSpace } from '../support/spaces.ts';
import { channelRow } from '../support/stored-channel.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROVIDERS = ['apns', 'fcm', 'web_push', 'email', 'sms', 'pushover'] as const;

/** The service with gateways that record what they send. */
class World implements AsyncDisposable {
  readonly clock: FakeClock;
  readonly app: TestApp;
  readonly #sent: string[];

  private constructor(clock: FakeClock, app: TestApp, sent: string[]) {
    this.clock = clock;
    this.app = app;
    this.#sent = sent;
  }

  static async open(engine: Parameters<typeof startTestApp>[0], startsAt?: string): Promise<World> {
    const clock = new FakeClock(startsAt);
    const sent: string[] = [];
    const gatewayOf = (provider: string): Gateway => ({
      isForNudgesOnly: provider === 'sms',
      capacity: () => 100,
      close: async () => undefined,
      send: async (push: AnyPush) => {
        sent.push(lineOf(clock, provider, push));
        return { kind: 'accepted' };
      },
    });
    const gateways = Object.fromEntries(PROVIDERS.map((name) => [name, gatewayOf(name)]));
    return new World(clock, await startTestApp(engine, { clock, extra: { gateways } }), sent);
  }

  /** A person with a phone of each kind, a browser, and a channel of each kind. */
  async person(): Promise<Person> {
    const person = await createPerson(this.app);
    await person.ask('PATCH', '/v1/me', { display_name: person.email.slice(7, 12) });
    for (const platform of ['ios', 'android', 'web'] as const) await addDevice(this.app, person.userId, platform);
    const channels = (['email', 'sms', 'pushover'] as const).map((provider) =>
      channelRow(this.clock.now(), { user_id: person.userId, provider, tier: provider === 'pushover' ? 2 : 0 }),
    );
    await this.app.db.insertInto('channels').values(channels).execute();
    return person;
  }

  /** What was sent since the last call: "time provider kind title". */
  async take(): Promise<string[]> {
    await this.app.engine?.settled();
    return this.#sent.splice(0).toSorted();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.app[Symbol.asyncDispose]();
  }
}

function lineOf(clock: FakeClock, provider: string, push: AnyPush): string {
  const kind = 'news' in push ? push.news.kind : push.kind;
  return `${clock.now().toISOString().slice(5, 16)} ${provider} ${kind} ${'task' in push ? push.task.title : ''}`;
}

const onAll = (moment: string, what: string) =>
  ['email', 'pushover', 'web_push'].map((provider) => `${moment} ${provider} ${what}`);

async function request(asker: Person, owner: Person, space: string | null, title = 'milk'): Promise<string> {
  const body = { title, owner_id: owner.userId, space_id: space, due_at: '2026-03-20T09:00:00Z', has_time: true };
  const answer = await asker.ask('POST', '/v1/tasks', body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data.id;
}

onEveryEngine((engine, it) => {
  it('a request is one message to browsers and channels, never a nudge: no phone, no text message', async () => {
    await using world = await World.open(engine);
    const [ada, bob] = [await world.person(), await world.person()];
    const space = await createSpace(ada, bob);
    const id = await request(ada, bob, space);
    assert.deepEqual(await world.take(), onAll('03-02T09:00', 'asked milk'));
    assert.equal((await bob.ask('GET', `/v1/tasks/${id}`)).body.data.next_fire_at, null);
    await world.clock.advance('10h');
    assert.deepEqual(await world.take(), []);
    await bob.ask('POST', `/v1/tasks/${id}/accept`);
    assert.deepEqual(await world.take(), onAll('03-02T19:00', 'accepted milk'));
    await bob.ask('POST', `/v1/tasks/${id}/complete`);
    assert.deepEqual(await world.take(), onAll('03-02T19:00', 'done milk'));
    await bob.ask('POST', `/v1/tasks/${await request(ada, bob, space, 'bread')}/decline`);
    const lines = await world.take();
    assert.ok(lines.includes('03-02T19:00 email declined bread'));
    // Outside of a space nobody is told, and neither is an assigner of what they did themselves.
    await request(ada, bob, null, 'outside');
    const own = await request(ada, bob, space, 'own');
    await bob.ask('POST', `/v1/tasks/${own}/accept`);
    await world.take();
    await ada.ask('POST', `/v1/tasks/${own}/complete`);
    assert.deepEqual(await world.take(), []);
  });

  test('an unanswered request is repeated at three starts of the day, then the asker is told once', async () => {
    await using world = await World.open(engine);
    const [ada, bob, cem] = [await world.person(), await world.person(), await world.person()];
    const space = await createSpace(ada, bob, cem);
    await bob.ask('PATCH', '/v1/me', { day_start: '07:30' });
    const id = await request(ada, bob, space);
    await world.take();
    await world.clock.advance('3d');
    const repeats = ['03-03T07:30', '03-04T07:30', '03-05T07:30'].flatMap((moment) => onAll(moment, 'asked milk'));
    assert.deepEqual(await world.take(), repeats);
    const [listed] = (await ada.ask('GET', '/v1/requests')).body.data;
    assert.deepEqual([listed.task_id, listed.messages_sent, listed.unanswered], [id, 4, false]);
    await world.clock.advance('10d');
    assert.deepEqual(await world.take(), onAll('03-06T07:30', 'unanswered milk'));
    assert.equal((await ada.ask('GET', '/v1/requests')).body.data[0].unanswered, true);
    const asked = await ada.ask('POST', `/v1/tasks/${id}/ask`, { owner_id: cem.userId });
    assert.equal(asked.status, 200, JSON.stringify(asked.body));
    assert.equal(asked.body.data.title, 'milk');
    assert.deepEqual(await world.take(), onAll('03-15T09:00', 'asked milk'));
    assert.equal((await bob.ask('GET', `/v1/tasks/${id}`)).body.data.status, 'dropped');
    const mine = await ada.ask('POST', `/v1/tasks/${asked.body.data.id}/ask`, { owner_id: ada.userId });
    const { owner_id, assigner_id, accepted_by_owner } = mine.body.data;
    assert.deepEqual([owner_id, assigner_id, accepted_by_owner], [ada.userId, null, true]);
    await world.clock.advance('4d');
    assert.deepEqual(await world.take(), []);
  });

  it('quiet hours, the pause, the switch and a suspension hold messages back', async () => {
    await using world = await World.open(engine, '2026-03-02T23:00:00Z');
    const [ada, bob] = [await world.person(), await world.person()];
    const space = await createSpace(ada, bob);
    await bob.ask('PATCH', '/v1/me', { quiet_hours_start: '22:00', quiet_hours_end: '06:00' });
    const held = await request(ada, bob, space);
    await world.clock.advance('6h');
    assert.deepEqual(await world.take(), []);
    await world.clock.advance('1h');
    assert.deepEqual(await world.take(), onAll('03-03T06:00', 'asked milk'));
    await bob.ask('POST', '/v1/me/pause', { until: '2026-03-05T12:00:00Z' });
    await world.clock.advance('1d');
    assert.deepEqual(await world.take(), []);
    await ada.ask('POST', `/v1/tasks/${held}/drop`);
    await bob.ask('DELETE', '/v1/me/pause');
    await world.clock.advance('1d');
    assert.deepEqual(await world.take(), [], 'a request that was taken back is told no more');
    assert.deepEqual((await bob.ask('PUT', '/v1/me/request-messages', { enabled: false })).body.data, {
      enabled: false,
    });
    await request(ada, bob, space, 'off');
    assert.deepEqual(await world.take(), []);
    assert.deepEqual((await ada.ask('GET', '/v1/me/request-messages')).body.data, { enabled: true });
    await bob.ask('PUT', '/v1/me/request-messages', { enabled: true });
    await world.app.db
      .updateTable('users')
      .set({ suspended_at: world.clock.now() })
      .where('id', '=', bob.userId)
      .execute();
    await world.clock.advance('2d');
    assert.deepEqual(await world.take(), []);
  });

  test('housekeeping forgets no message that waits, and what was decided meanwhile is not put off', async () => {
    await using world = await World.open(engine);
    const { app, clock } = world;
    const [ada, bob] = [await world.person(), await world.person()];
    const space = await createSpace(ada, bob);
    const decided = await request(ada, bob, space, 'decided');
    // On PostgreSQL, an answer that comes while the message is sent leaves its repeat waiting for its day.
    await world.take();
    await bob.ask('POST', `/v1/tasks/${decided}/accept`);
    await world.take();
    const until = new Date(clock.now().getTime() + 100 * 86_400_000).toISOString();
    await bob.ask('POST', '/v1/me/pause', { until });
    const waiting = await request(ada, bob, space, 'waiting');
    await app.engine?.settled();
    const messages = () => app.db.selectFrom('request_messages').select(['id', 'task_id', 'due_at']).execute();
    for (const { id, due_at } of await messages()) if (!due_at) await postponeRequestMessage(app.db, id, clock.now());
    assert.ok((await messages()).every(({ task_id, due_at }) => (due_at !== null) === (task_id === waiting)));
    const created_at = new Date(clock.now().getTime() - 91 * 86_400_000);
    await app.db.updateTable('request_messages').set({ created_at }).execute();
    await new Housekeeping(app.db, clock).runOnce();
    assert.deepEqual(
      (await messages()).map(({ task_id }) => task_id),
      [waiting],
    );
  });

  it('an answer that was taken back before its asker was told is not told', async () => {
    await using world = await World.open(engine);
    const [ada, bob] = [await world.person(), await world.person()];
    const space = await createSpace(ada, bob);
    const id = await request(ada, bob, space);
    await bob.ask('POST', `/v1/tasks/${id}/accept`);
    await world.take();
    await ada.ask('PATCH', '/v1/me', { quiet_hours_start: '08:00', quiet_hours_end: '11:00', timezone: 'UTC' });
    await bob.ask('POST', `/v1/tasks/${id}/complete`);
    await bob.ask('POST', `/v1/tasks/${id}/reopen`);
    await world.clock.advance('3h');
    assert.deepEqual(await world.take(), []);
    await bob.ask('POST', `/v1/tasks/${id}/complete`);
    assert.deepEqual(await world.take(), onAll('03-02T12:00', 'done milk'));
  });

  test('a person gets ten messages a day, of which one asker can use seven, and no loop adds to them', async () => {
    await using world = await World.open(engine);
    const [ada, bob, cem] = [await world.person(), await world.person(), await world.person()];
    const space = await createSpace(ada, bob);
    // In every space that bob is in, there is nobody but ada.
    await createSpace(ada, bob);
    const ids: string[] = [];
    for (let index = 0; index < 12; index += 1) ids.push(await request(ada, bob, space, `t${index}`));
    const mails = async () => (await world.take()).filter((line) => line.includes(' email ')).length;
    assert.equal(await mails(), 10);
    await joinSpace(space, ada, cem);
    await world.clock.advance('1d');
    assert.equal(await mails(), 7, 'the rest of the day is for others');
    for (let index = 0; index < 4; index += 1) await request(cem, bob, space, `c${index}`);
    assert.equal(await mails(), 3);
    for (const id of ids) await ada.ask('POST', `/v1/tasks/${id}/drop`);
    await world.clock.advance('1d');
    await world.take();
    const again = await request(ada, bob, space, 'again');
    assert.equal(await mails(), 1);
    for (let index = 0; index < 5; index += 1) {
      await ada.ask('POST', `/v1/tasks/${again}/drop`);
      await ada.ask('POST', `/v1/tasks/${again}/reopen`);
    }
    assert.equal(await mails(), 0, 'taking back and asking again repeats nothing on the same day');
    await world.clock.advance('1d');
    assert.ok((await world.take()).includes('03-05T09:00 email asked again'));
  });

  test('who left the space, or is deleted, neither hears nor is heard', async () => {
    await using world = await World.open(engine);
    const [ada, bob, cem] = [await world.person(), await world.person(), await world.person()];
    const space = await createSpace(ada, bob, cem);
    await request(ada, bob, space);
    await request(cem, bob, space, 'bread');
    await world.take();
    await bob.ask('POST', '/v1/me/pause', { until: '2026-03-02T12:00:00Z' });
    await request(ada, bob, space, 'late');
    await request(cem, bob, space, 'later');
    await ada.ask('DELETE', `/v1/spaces/${space}/membership`);
    await cem.ask('DELETE', '/v1/me');
    await world.clock.advance('5d');
    assert.deepEqual(await world.take(), []);
  });

  it('the buttons of a message answer the request, once, and its page says when it is too late', async () => {
    const rig = await NtfyRig.start();
    await using scenario = await ChannelScenario.open(engine, rig);
    const { ada, app } = scenario;
    const bob = await createPerson(app);
    await bob.ask('PATCH', '/v1/me', { display_name: 'Bob' });
    const space = await createSpace(ada, bob);
    await rig.connect(ada, { private_title: false });
    await rig.connect(bob, { private_title: true });
    const posts = async () => {
      await app.engine?.settled();
      return rig.server.requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body));
    };
    const first = await request(bob, ada, space);
    const asked = (await posts()).at(-1);
    assert.deepEqual([asked.title, asked.priority], ['Request: milk', 3]);
    assert.match(asked.message, /^Bob \(Home\) asks you to do this\. Due on Fri 20 Mar/);
    assert.deepEqual(
      asked.actions.map(({ label }: { label: string }) => label),
      ['Accept', 'Decline'],
    );
    const [accept, decline] = asked.actions.map(({ url }: { url: string }) => new URL(url));
    const page = await app.fastify.inject({ url: accept.pathname, headers: { accept: 'text/html' } });
    assert.match(page.body, /Will you do this\?.*Request: milk.*do=accept.*do=decline/s);
    assert.equal((await ada.ask('GET', `/v1/tasks/${first}`)).body.data.accepted_by_owner, false);
    const press = async ({ pathname, search }: URL) =>
      (await app.ask({ method: 'POST', url: `${pathname}${search}` })).body.data.state;
    rig.takeRetracted();
    assert.equal(await press(accept), 'accepted');
    const news = (await posts()).at(-1);
    const codes: { task_id: string; code: string }[] = (await bob.ask('GET', '/v1/channels')).body.data.task_codes;
    const { code } = codes.find(({ task_id }) => task_id === first) ?? assert.fail('the app does not show the code');
    assert.deepEqual([news.title, news.actions], [`A request of yours was accepted (${code})`, undefined]);
    assert.ok(!JSON.stringify(news).includes('milk'));
    assert.equal(rig.takeRetracted(), 1, 'the question is taken back');
    assert.equal(await press(decline), 'accepted', 'a later press changes nothing');
    assert.equal((await ada.ask('GET', `/v1/tasks/${first}`)).body.data.accepted_by_owner, true);
    const second = await request(bob, ada, space, 'bread');
    const [, no] = (await posts()).at(-1).actions.map(({ url }: { url: string }) => new URL(url));
    await bob.ask('POST', `/v1/tasks/${second}/drop`);
    assert.equal(await press(no), 'request_gone');
    const third = await request(bob, ada, space, 'salt');
    const [late] = (await posts()).at(-1).actions.map(({ url }: { url: string }) => new URL(url));
    const created_at = new Date(app.clock.now().getTime() - 7 * 86_400_000 - 1);
    await app.db.updateTable('deliveries').set({ created_at }).where('task_id', '=', third).execute();
    assert.equal(await press(late), 'expired');
    assert.equal((await ada.ask('GET', `/v1/tasks/${third}`)).body.data.accepted_by_owner, false);
    assert.equal((await ada.ask('GET', `/v1/tasks/${second}`)).body.data.status, 'dropped');
    let presses = 1;
    while ((await app.ask({ method: 'POST', url: `${late.pathname}${late.search}` })).status !== 429) presses += 1;
    assert.equal(presses, 30, 'a link is pressed thirty times in a minute at most');
    // Whoever gets the messages now is another person.
    const [{ id }] = (await ada.ask('GET', '/v1/channels')).body.data.channels;
    assert.equal((await ada.ask('PATCH', `/v1/channels/${id}`, { fields: { topic: 'elsewhere' } })).status, 200);
    // Long before the message was sent: a date says nothing about who got it.
    await app.db
      .updateTable('channels')
      .set({ verified_at: new Date(0) })
      .execute();
    assert.equal(await press(accept), 'expired');
  });

  test('a message that was taken back leaves the newer one that is shown in its place', async () => {
    await using world = await World.open(engine);
    const { db } = world.app;
    const [ada, bob] = [await world.person(), await world.person()];
    const task = { id: await request(ada, bob, await createSpace(ada, bob)), owner_id: bob.userId };
    await world.app.engine?.stop();
    const [message] = await db.selectFrom('request_messages').selectAll().execute();
    assert.ok(message);
    const ids = [newId(), newId()] as const;
    const settled_at = world.clock.now();
    const messages = [
      { ...message, id: ids[0], settled_at },
      { ...message, id: ids[1], repeat: 1, settled_at: null },
    ];
    await db.insertInto('request_messages').values(messages).execute();
    const about = { kind: 'request', target_id: newId(), provider: 'ntfy', status: 'sent' } as const;
    const show = (refs: readonly string[]) =>
      Promise.all(
        ids.map(async (entry_id, index) => {
          await db.deleteFrom('deliveries').where('entry_id', '=', entry_id).execute();
          const row = storedDelivery(task, { ...about, entry_id, ref: refs[index] ?? null });
          await db.insertInto('deliveries').values(row).execute();
        }),
      );
    const retraction = {
      entry_id: ids[0],
      task_id: task.id,
      target_id: about.target_id,
      kind: 'request_retract',
    } as const;
    await show(['same', 'same']);
    assert.deepEqual(await listReplacedRefs(db, retraction), []);
    await show(['own', 'other']);
    assert.deepEqual(await listReplacedRefs(db, retraction), ['own']);
  });

  it('a question and its repeats, which are one notification, are taken back by one call', async () => {
    const rig = await NtfyRig.start();
    await using scenario = await ChannelScenario.open(engine, rig);
    const { ada, app, clock } = scenario;
    const bob = await createPerson(app);
    const space = await createSpace(ada, bob);
    await rig.connect(ada, { private_title: false });
    const id = await request(bob, ada, space);
    await clock.advance('73h');
    await app.engine?.settled();
    assert.equal(rig.take().length, 4);
    await ada.ask('POST', `/v1/tasks/${id}/accept`);
    await app.engine?.settled();
    assert.equal(rig.takeRetracted(), 1);
  });

  test('a question is taken back on each channel that showed it, also if two gave it one reference', async () => {
    await using world = await World.open(engine);
    const { app } = world;
    const [ada, bob] = [await world.person(), await world.person()];
    const id = await request(ada, bob, await createSpace(ada, bob));
    await world.clock.advance('1d');
    await world.take();
    const list = (kind: 'request' | 'request_retract') =>
      app.db
        .selectFrom('deliveries')
        .select(['entry_id', 'target_id'])
        .where('task_id', '=', id)
        .where('kind', '=', kind)
        .orderBy('entry_id')
        .execute();
    // One showed the question, the other only its repeat.
    const [first, ...others] = await list('request');
    const repeat = others.findLast(({ target_id }) => target_id !== first?.target_id);
    assert.ok(first && repeat && first.entry_id !== repeat.entry_id);
    for (const { entry_id, target_id } of [first, repeat]) {
      const shown = app.db.updateTable('deliveries').set({ ref: 'the same' }).where('entry_id', '=', entry_id);
      await shown.where('target_id', '=', target_id).execute();
    }
    await bob.ask('POST', `/v1/tasks/${id}/accept`);
    assert.deepEqual(await list('request_retract'), [first, repeat]);
  });
});

onlyOn('postgres', () => {
  test('two engines count the messages to one person one after the other', async () => {
    await using world = await World.open('postgres');
    const { app } = world;
    const [ada, bob] = [await world.person(), await world.person()];
    const space = await createSpace(ada, bob);
    const [counting, counted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const other = transact(app.db, async (trx) => {
      await lockUntilCommit(trx, `messages to ${bob.userId}`);
      counting.resolve();
      await counted.promise;
    });
    await counting.promise;
    await request(ada, bob, space);
    try {
      await waitUntil(async () => {
        const waiting = sql`select pid from pg_locks where locktype = 'advisory' and not granted`;
        return (await waiting.execute(app.db)).rows.length > 0;
      }, 5_000);
    } finally {
      counted.resolve();
      await other;
    }
    assert.deepEqual(await world.take(), onAll('03-02T09:00', 'asked milk'));
  });
});
