/** What becomes of deliveries that were leased, without a dispatch. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findNewestDelivery, isAcknowledged } from '../../src/deliveries/acknowledgements.store.ts';
import { findStoppedMessages } from '../../src/deliveries/last-messages.ts';
import { leaseChosen, leaseDeliveries, listDue, NOTHING } from '../../src/deliveries/leases.store.ts';
import { countMessages } from '../../src/deliveries/message-limits.store.ts';
import { listChannels, listRefs, recordChannelResults } from '../../src/deliveries/messages.store.ts';
import { recordDeadTokens, recordResults } from '../../src/deliveries/outbox.store.ts';
import { preparePushes } from '../../src/deliveries/outbox.ts';
import { listReplacedRefs } from '../../src/deliveries/request-messages.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { NOT_PROVEN } from '../../src/push/gateway.ts';
import { onEveryEngine } from '../support/engines.ts';
import { addDevice } from '../support/fake-phones.ts';
import { createPerson, type Person } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { channelRow } from '../support/stored-channel.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

type Delivery = ReturnType<typeof storedDelivery>;

/** Ada with a phone and a task that nothing has been sent about, and Bob, in a service that sends nothing. */
async function begin(app: TestApp) {
  const { db, clock } = app;
  for (const table of ['deliveries', 'channels', 'devices', 'tasks', 'spaces'] as const)
    await db.deleteFrom(table).execute();
  const [ada, bob] = [await createPerson(app), await createPerson(app)];
  const device = await addDevice(app, ada.userId);
  const task = { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true };
  const { id } = (await ada.ask('POST', '/v1/tasks', task)).body.data;
  return { ...toolsFor(app, ada, bob, { id, owner_id: ada.userId }), app, db, clock, ada, bob, device };
}

function toolsFor({ db, clock }: TestApp, ada: Person, bob: Person, task: { id: string; owner_id: string }) {
  const insert = async (...rows: readonly Delivery[]) =>
    db.insertInto('deliveries').values(rows).returningAll().execute();
  const prepare = async (provider: 'apns' | 'fcm' | 'web_push' | 'ntfy', ...rows: readonly Delivery[]) => {
    const parts = { db, clock, wallClock: clock, limits: undefined, logger: createLogger('silent') };
    return preparePushes(parts, provider, await insert(...rows));
  };
  const addChannel = async (fields: Partial<Parameters<typeof channelRow>[1]> = {}) => {
    const address_hash = newId();
    const row = channelRow(clock.now(), { user_id: ada.userId, provider: 'ntfy', address_hash, ...fields });
    await db.insertInto('channels').values(row).execute();
    return row.id;
  };
  const insertMessage = async (fields: object = {}) => {
    const about = { id: newId(), task_id: task.id, recipient_id: ada.userId, other_id: bob.userId, kind: 'asked' };
    const times = { due_at: null, sent_at: null, settled_at: null, created_at: clock.now() };
    await db
      .insertInto('request_messages')
      .values({ ...about, kind: 'asked', ...times, ...fields })
      .execute();
    return about.id;
  };
  /** Bob asks Ada for the task, in a space of both. */
  const ask = async () => {
    const space_id = await createSpace(bob, ada);
    await db.updateTable('tasks').set({ space_id, assigner_id: bob.userId, accepted_by_owner: false }).execute();
  };
  return { task, insert, prepare, addChannel, insertMessage, ask };
}

onEveryEngine((engine, it) => {
  let app: TestApp;
  before(async () => {
    app = await startTestApp(engine);
    await app.engine?.stop();
  });
  after(() => app[Symbol.asyncDispose]());

  it('nothing is sent to a phone, a browser or a channel that is another person’s by now, or that was switched off', async () => {
    const world = await begin(app);
    const { task, bob, ada, device, addChannel, insertMessage } = world;
    const others = await addDevice(app, bob.userId);
    const toPhones = [
      storedDelivery(task, { provider: 'apns', target_id: device }),
      storedDelivery(task, { provider: 'apns', target_id: others }),
      storedDelivery(task, { provider: 'apns', target_id: device, kind: 'activity_start' }),
    ];
    const phones = await world.prepare('apns', ...toPhones);
    assert.deepEqual(
      phones.pushes.map(({ key }) => key.target_id),
      [device],
      'and no Live Activity starts without its token',
    );
    const mine = await addChannel();
    const channels = [
      mine,
      await addChannel({ user_id: bob.userId }),
      await addChannel({ valid: false }),
      await addChannel({ verified_at: null }),
    ];
    const messages = await world.prepare(
      'ntfy',
      ...channels.map((target_id) => storedDelivery(task, { provider: 'ntfy', target_id })),
    );
    assert.deepEqual(
      messages.pushes.map(({ key }) => key.target_id),
      [mine],
    );
    assert.deepEqual(new Set(messages.unsent.map(({ result }) => result.reason)), new Set(['channel_removed']));

    await world.ask();
    const entry_id = await insertMessage();
    const browsers = [await addDevice(app, ada.userId, 'web'), await addDevice(app, bob.userId, 'web')];
    const asked = (target_id: string) =>
      storedDelivery(task, { provider: 'ntfy', kind: 'request', entry_id, target_id });
    const requests = await world.prepare('ntfy', ...[...channels, ...browsers].map(asked));
    assert.deepEqual(
      requests.pushes.map(({ key }) => key.target_id),
      [mine, browsers[0]],
    );
  });

  it('a message about a request is sent while it is true and wanted, for a day, and beside a nudge that waits', async () => {
    const world = await begin(app);
    const { db, clock, task, bob, ada, addChannel, insertMessage } = world;
    await world.ask();
    const channel = await addChannel();
    const entry_id = await insertMessage();
    await db.updateTable('channels').set({ last_mail_entry_id: entry_id }).execute();
    const ask = (fields: object = {}) =>
      storedDelivery(task, { provider: 'ntfy', kind: 'request', entry_id, target_id: channel, ...fields });
    const first = await world.prepare('ntfy', ask(), storedDelivery(task, { provider: 'ntfy', target_id: newId() }));
    const [push] = first.pushes.map((outgoing) => outgoing.push);
    assert.ok(push?.kind === 'channel_request');
    assert.deepEqual([push.isLast, push.expiresAt.getTime() - clock.now().getTime()], [true, 86_400_000]);
    assert.deepEqual(
      first.unsent.map(({ result }) => result.reason),
      ['channel_removed'],
      'the nudge has an answer of its own',
    );
    const settled = async () => {
      await db.deleteFrom('deliveries').execute();
      return (await world.prepare('ntfy', ask())).unsent.map(({ result }) => result.reason);
    };
    assert.deepEqual(await settled(), []);
    await db.updateTable('users').set({ hears_requests: false }).where('id', '=', ada.userId).execute();
    assert.deepEqual(await settled(), ['settled']);
    await db.updateTable('users').set({ hears_requests: true }).execute();
    await db.updateTable('users').set({ suspended_at: clock.now() }).where('id', '=', bob.userId).execute();
    assert.deepEqual(await settled(), ['settled']);
    await db.updateTable('users').set({ suspended_at: null }).execute();
    const news = { kind: 'stand_in_done', recipient_id: ada.userId } as const;
    await db.updateTable('request_messages').set(news).execute();
    assert.deepEqual(await settled(), []);
    await db
      .updateTable('request_messages')
      .set({ created_at: new Date(clock.now().getTime() - 86_400_000) })
      .execute();
    assert.deepEqual(await settled(), ['settled'], 'it is old news');
  });

  it('who was told that no more mail comes gets none about a request either', async () => {
    const world = await begin(app);
    const { db, clock, task, ada, addChannel, insertMessage } = world;
    await world.ask();
    await db.deleteFrom('sessions').where('user_id', '=', ada.userId).execute();
    const target_id = await addChannel({ provider: 'email', last_mail_at: clock.now(), last_mail_entry_id: newId() });
    const entry_id = await insertMessage();
    const rows = (['request', 'request_retract'] as const).map((kind) =>
      storedDelivery(task, { provider: 'email', kind, entry_id, target_id }),
    );
    const leased = await world.insert(...rows);
    const limits = { mostPerDay: 8, repeatsUpToPerDay: 8, stopsAfterIdleMs: 86_400_000 };
    const parts = { db, clock, wallClock: clock, limits, logger: createLogger('silent') };
    const { pushes, unsent } = await preparePushes(parts, 'email', leased);
    assert.deepEqual(
      [pushes.map(({ key }) => key.kind), unsent.map(({ result }) => result.reason)],
      [['request_retract'], ['mail_paused']],
    );
  });

  test('a message about a request replaces the earlier ones of its kind, and of no other', async () => {
    const world = await begin(app);
    const { db, task, insertMessage } = world;
    const target_id = newId();
    const show = async (kind: 'asked' | 'accepted', ref: string) => {
      const entry_id = await insertMessage({ kind });
      await world.insert(storedDelivery(task, { entry_id, target_id, kind: 'request', status: 'sent', ref }));
      return entry_id;
    };
    await show('asked', 'first');
    await show('accepted', 'news');
    const present = await show('asked', 'second');
    const key = { entry_id: present, target_id, kind: 'request', task_id: task.id } as const;
    assert.deepEqual(await listReplacedRefs(db, key), ['first']);
  });

  test('what is leased waits for nothing, and what has waited the longest is leased first', async () => {
    const world = await begin(app);
    const { db, clock, task } = world;
    const ago = (seconds: number) => new Date(clock.now().getTime() - seconds * 1_000);
    const rows = [10, 30, 20].map((seconds) =>
      storedDelivery(task, { provider: 'apns', waits_for: 'retry', created_at: ago(seconds) }),
    );
    const [, oldest, next] = rows;
    await world.insert(...rows);
    const until = new Date(clock.now().getTime() + 8_000);
    const lease = { now: clock.now(), until, newestMigration: '9999' };
    const leased = await leaseDeliveries(db, 'apns', { ...lease, limit: 1, except: NOTHING });
    assert.ok(next && oldest);
    const chosen = await leaseChosen(db, [{ ...next, kind: 'nudge' }], lease);
    assert.deepEqual(
      [...leased, ...chosen].map(({ entry_id, waits_for, next_attempt_at }) => [entry_id, waits_for, next_attempt_at]),
      [oldest, next].map(({ entry_id }) => [entry_id, null, until]),
    );
  });

  test('what one process has leased no other gets until the lease is over, though it chose it before', async () => {
    const world = await begin(app);
    const { db, clock, task } = world;
    await world.insert(storedDelivery(task, { provider: 'ntfy', server: 'https://ntfy.example' }));
    const due = { now: clock.now(), limit: 10, except: NOTHING };
    const [here, there] = [await listDue(db, 'ntfy', due), await listDue(db, 'ntfy', due)];
    const leasedBy = async (chosen: typeof here, now: Date) => {
      const until = new Date(now.getTime() + 8_000);
      return (await leaseChosen(db, chosen, { now, until, newestMigration: '9999' })).length;
    };
    const later = new Date(clock.now().getTime() + 8_000);
    assert.deepEqual(
      [await leasedBy(here, clock.now()), await leasedBy(there, clock.now()), await leasedBy(there, later)],
      [1, 0, 1],
    );
  });

  test('a delivery that was cancelled while it was in flight is not tried again, and a refused message is not taken back', async () => {
    const world = await begin(app);
    const { db, clock, task } = world;
    const rows = (['cancelled', 'pending', 'pending'] as const).map((status) =>
      storedDelivery(task, { provider: 'ntfy', status, ref: 'message' }),
    );
    await world.insert(...rows);
    const results = (['pending', 'failed_permanent', 'failed_transient'] as const).map((status, index) => {
      const { entry_id = '', target_id = '' } = rows[index] ?? {};
      const attempt = { reason: null, attempts: 1, next_attempt_at: clock.now(), ref: null };
      return { entry_id, target_id, kind: 'nudge', status, waits_for: null, ...attempt } as const;
    });
    await recordResults(db, results);
    const stored = await db.selectFrom('deliveries').select(['entry_id', 'status', 'ref']).execute();
    assert.deepEqual(
      rows.map(({ entry_id }) => stored.find((row) => row.entry_id === entry_id)).map((row) => [row?.status, row?.ref]),
      [
        ['cancelled', 'message'],
        ['failed_permanent', null],
        ['failed_transient', 'message'],
      ],
      'a message without an answer may have arrived',
    );
  });

  test('a browser whose token is dead at a request is invalid, and a Live Activity whose token is dead is gone', async () => {
    const world = await begin(app);
    const { db, clock, ada, device, task } = world;
    const browser = await addDevice(app, ada.userId, 'web');
    const running = ['updated', 'ended', 'other'].map((token) => {
      const activity = { id: newId(), task_id: task.id, device_id: device, push_env: 'production' as const };
      return { ...activity, token, token_hash: token, started_at: clock.now(), ended_at: null };
    });
    await db.insertInto('live_activities').values(running).execute();
    const dead = { isChannel: false, token: 'any', reason: 'Unregistered', since: clock.now() };
    const [updated, ended] = running;
    await recordDeadTokens(db, [
      { ...dead, kind: 'request', target_id: browser },
      { ...dead, kind: 'activity_update', target_id: updated?.id ?? '' },
      { ...dead, kind: 'activity_end', target_id: ended?.id ?? '' },
    ]);
    const valid = await db.selectFrom('devices').select('id').where('valid', '=', true).execute();
    assert.deepEqual(valid, [{ id: device }]);
    assert.deepEqual(await db.selectFrom('live_activities').select('token').execute(), [{ token: 'other' }]);
  });

  test('Seen in the app counts for the newest nudge of this person to a device, and for no message to a channel', async () => {
    const world = await begin(app);
    const { db, clock, task, bob } = world;
    const own = storedDelivery(task, { provider: 'fcm', status: 'sent' });
    await world.insert(own);
    const find = async () => (await findNewestDelivery(db, task.owner_id, task.id, 0))?.target_id;
    await world.insert(storedDelivery(task, { provider: 'fcm', recipient_id: bob.userId, status: 'sent' }));
    await world.insert(storedDelivery(task, { provider: 'ntfy', status: 'sent', acked_at: clock.now() }));
    await world.insert(storedDelivery(task, { provider: 'fcm', kind: 'activity_update', status: 'sent' }));
    assert.equal(await find(), own.target_id);
    assert.equal(await isAcknowledged(db, task.owner_id, task.id, 0), false);
    const seen = db.updateTable('deliveries').set({ acked_at: clock.now() });
    await seen.where('recipient_id', '=', bob.userId).execute();
    assert.equal(await isAcknowledged(db, task.owner_id, task.id, 0), false);
    await seen.where('target_id', '=', own.target_id).execute();
    assert.equal(await isAcknowledged(db, task.owner_id, task.id, 0), true);
  });

  test('a stand-in’s message is taken back once they snoozed the task, the newest first', async () => {
    const world = await begin(app);
    const { db, clock, task, bob, ada } = world;
    const [target_id, now] = [newId(), clock.now()];
    const [owner_id, person_id] = [ada.userId, bob.userId];
    const space_id = await createSpace(ada, bob);
    const agreement = { id: newId(), owner_id, person_id, space_id, task_id: task.id, label: null, from_rung: 0 };
    await db
      .insertInto('stand_ins')
      .values({ ...agreement, passes_quiet_hours: false, asked_at: now, agreed_at: now })
      .execute();
    const { run } = await db.selectFrom('tasks').select('run').executeTakeFirstOrThrow();
    const told = { task_id: task.id, person_id, stand_in_id: agreement.id, run, occurrence_due_at: null };
    const times = { told_at: now, last_told_at: now, seen_at: null, snoozed_until: null, settled_at: null };
    await db
      .insertInto('stand_in_tasks')
      .values({ ...told, ...times, settled_by: null, settled_how: null })
      .execute();
    for (const nudge of [1, 3, 2])
      await world.insert(
        storedDelivery(task, { target_id, recipient_id: person_id, run, nudge, status: 'sent', ref: `${nudge}` }),
      );
    const refs = (kind: 'nudge' | 'retract') => listRefs(db, { entry_id: newId(), task_id: task.id, target_id, kind });
    assert.deepEqual([await refs('nudge'), await refs('retract')], [['3', '2', '1'], []]);
    await db
      .updateTable('stand_in_tasks')
      .set({ snoozed_until: new Date('2026-03-03') })
      .execute();
    assert.deepEqual(await refs('retract'), ['3', '2', '1']);
  });

  it('a channel that nobody has proven says so until it is proven, whatever arrives', async () => {
    const world = await begin(app);
    const { db } = world;
    const errors = [NOT_PROVEN, 'http_500'];
    const ids = await Promise.all(errors.map((last_error) => world.addChannel({ last_error })));
    await recordChannelResults(
      db,
      ids.map((id) => ({ id, error: null, isRefused: false })),
    );
    const rows = await db.selectFrom('channels').select(['id', 'last_error']).execute();
    assert.deepEqual(
      ids.map((id) => rows.find((row) => row.id === id)?.last_error),
      [NOT_PROVEN, null],
    );
  });

  it('by a clock that runs faster, what quiet hours hold is looked at by real time, however long it has waited', async () => {
    const world = await begin(app);
    const { db, clock, task, device, addChannel, insertMessage } = world;
    await world.ask();
    await db.updateTable('tasks').set({ accepted_by_owner: true }).execute();
    const now = clock.now();
    const [hourAgo, fast] = [new Date(now.getTime() - 3_600_000), { clockSpeed: 20 }];
    const retriesIn = async (provider: 'apns' | 'ntfy', row: Delivery, quietUntil: string, more: object = {}) => {
      await db.updateTable('users').set({ quiet_hours_start: '08:30', quiet_hours_end: quietUntil }).execute();
      const parts = { db, clock, wallClock: clock, limits: undefined, logger: createLogger('silent'), ...more };
      const { unsent } = await preparePushes(parts, provider, await world.insert(row));
      return unsent.map(({ result }) => result.retryInMs);
    };
    const held = () => storedDelivery(task, { provider: 'apns', target_id: device, created_at: hourAgo });
    assert.deepEqual(await retriesIn('apns', held(), '23:00'), [900_000]);
    assert.deepEqual(await retriesIn('apns', held(), '23:00', fast), [45_000]);
    await db.updateTable('tasks').set({ accepted_by_owner: false }).execute();
    const [target_id, entry_id] = [await addChannel(), await insertMessage()];
    const asked = () => storedDelivery(task, { provider: 'ntfy', kind: 'request', entry_id, target_id });
    assert.deepEqual(await retriesIn('ntfy', asked(), '09:05', fast), [15_000]);
    await db.deleteFrom('deliveries').execute();
    assert.deepEqual(await retriesIn('ntfy', asked(), '09:05'), [30_000]);
    await db.updateTable('users').set({ quiet_hours_start: null, quiet_hours_end: null }).execute();
  });

  test('of two processes that each send a mail to an idle owner, one sends the last one and the other none', async () => {
    const world = await begin(app);
    const { db, clock, task, addChannel } = world;
    await db.deleteFrom('sessions').execute();
    const target_id = await addChannel({ provider: 'email' });
    const rows = await world.insert(
      ...[1, 2].map((nudge) => storedDelivery(task, { provider: 'email', target_id, nudge })),
    );
    const limits = { mostPerDay: 8, repeatsUpToPerDay: 8, stopsAfterIdleMs: 86_400_000 };
    const read = async () => new Map((await listChannels(db, [target_id])).map((channel) => [channel.id, channel]));
    const processes = [await read(), await read()];
    const stopped: number[] = [];
    for (const [index, channels] of processes.entries())
      stopped.push((await findStoppedMessages(db, rows.slice(index, index + 1), channels, limits, clock.now())).size);
    assert.deepEqual(stopped, [0, 1]);
  });

  test('a message counts for the day once its provider was asked, also without an answer, and not if it was cancelled before', async () => {
    const world = await begin(app);
    const { db, clock, task } = world;
    const [target_id, created_at] = [newId(), clock.now()];
    const about = { provider: 'email', target_id, created_at };
    await world.insert(
      storedDelivery(task, { ...about, status: 'sent', attempts: 1 }),
      storedDelivery(task, { ...about, status: 'pending', attempts: 1 }),
      storedDelivery(task, { ...about, status: 'superseded', attempts: 2 }),
      storedDelivery(task, { ...about, status: 'cancelled', attempts: 0 }),
      storedDelivery(task, { ...about, status: 'pending', attempts: 0 }),
      storedDelivery(task, { ...about, status: 'sent', attempts: 1, kind: 'retract' }),
      storedDelivery(task, { ...about, status: 'sent', attempts: 1, created_at: new Date(0) }),
    );
    const counts = await countMessages(db, [task.id], new Date(created_at.getTime() - 1));
    assert.deepEqual(
      counts.map((one) => [one.target_id, Number(one.count)]),
      [[target_id, 3]],
    );
  });

  test('a fall whose delivery is leased again stands in the timeline once, and its message is sent', async () => {
    const world = await begin(app);
    const { db, clock, task, addChannel } = world;
    const target_id = await addChannel({ tier: 1 });
    const fall = { provider: 'ntfy', target_id, tier: 1, fell_because: 'unanswered', created_at: clock.now() } as const;
    const leased = await world.insert(storedDelivery(task, fall));
    const parts = { db, clock, wallClock: clock, limits: undefined, logger: createLogger('silent') };
    for (let lease = 0; lease < 2; lease += 1)
      assert.equal((await preparePushes(parts, 'ntfy', leased)).pushes.length, 1);
    const falls = db.selectFrom('timeline').select('id').where('kind', '=', 'fell_back');
    assert.equal((await falls.where('task_id', '=', task.id).execute()).length, 1);
  });

  test('a server that fails refuses nobody: its errors bring no channel nearer to its end', async () => {
    const world = await begin(app);
    const { db } = world;
    const id = await world.addChannel();
    const record = (error: string, isRefused: boolean) => recordChannelResults(db, [{ id, error, isRefused }]);
    for (let count = 0; count < 3; count += 1) await record('http_500', false);
    await record('http_401', true);
    const channel = await db.selectFrom('channels').select(['valid', 'refusals']).executeTakeFirstOrThrow();
    assert.deepEqual([channel.valid, channel.refusals], [true, 1]);
  });
});
