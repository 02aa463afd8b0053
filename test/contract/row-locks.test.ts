/**
 * What a change is decided by may be changing in another transaction: on PostgreSQL the second one waits for the first,
 * and is decided by what that leaves. SQLite has one transaction at a time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lockUser } from '../../src/accounts/users.store.ts';
import { lockByAddress } from '../../src/channels/channels.store.ts';
import type { Db } from '../../src/db/schema.ts';
import { lockUntilCommit } from '../../src/db/transact.ts';
import { lockOwnTask, setAnswered } from '../../src/deliveries/acknowledgements.store.ts';
import { newId } from '../../src/lib/ids.ts';
import { lockMembership } from '../../src/tasks/space-tasks.store.ts';
import { insertStandIn, lockStandIn, updateStandIn } from '../../src/tasks/stand-ins/stand-ins.store.ts';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { create, verify } from '../support/channel-rig.ts';
import { WebhookRig } from '../support/channel-rigs.ts';
import { ChannelScenario } from '../support/channel-scenario.ts';
import { insertDueTasks } from '../support/due-tasks.ts';
import { askDuring } from '../support/during-transaction.ts';
import { onlyOn } from '../support/engines.ts';
import { startSweep } from '../support/lone-sweep.ts';
import { createPerson } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { storedDelivery } from '../support/stored-delivery.ts';
import { startTestApp } from '../support/test-app.ts';

const standIn = (owner_id: string, person_id: string, space_id: string, asked_at: Date) => ({
  ...{ id: newId(), owner_id, person_id, space_id, task_id: null, label: null, from_rung: 0 },
  ...{ passes_quiet_hours: false, asked_at, agreed_at: null },
});

onlyOn('postgres', () => {
  test('a nudge that two taps acknowledge at once is acknowledged once', async () => {
    await using app = await startTestApp('postgres');
    const ada = await createPerson(app);
    const { id } = (await ada.ask('POST', '/v1/tasks', { title: 'milk' })).body.data;
    const delivery = storedDelivery({ id, owner_id: ada.userId }, { provider: 'apns', status: 'sent' });
    await app.db.insertInto('deliveries').values(delivery).execute();
    const acknowledge = async (trx: Db) => {
      assert.ok(await lockOwnTask(trx, ada.userId, id));
      await setAnswered(trx, delivery, 'acked_at', app.clock.now());
    };
    const { body } = await askDuring(app.db, acknowledge, () =>
      ada.ask('POST', '/v1/deliveries/ack', { task_id: id, stage: 0 }),
    );
    assert.deepEqual(body.data, { acked: false });
    const entries = app.db.selectFrom('timeline').select('kind').where('kind', '=', 'acknowledged');
    assert.deepEqual(await entries.execute(), []);
  });

  test('colours of labels that come at once stay within the most that an account may have', async () => {
    await using app = await startTestApp('postgres');
    const ada = await createPerson(app);
    const fill = async (trx: Db) => {
      await lockUntilCommit(trx, `tasks of ${ada.userId}`);
      const rows = Array.from({ length: 500 }, (_, index) => ({ label: `label ${index}`, colour: 'red' as const }));
      const own = rows.map((row) => ({ ...row, user_id: ada.userId }));
      await trx.insertInto('label_colours').values(own).execute();
    };
    const { status } = await askDuring(app.db, fill, () =>
      ada.ask('PUT', '/v1/labels', { labels: [{ label: 'one more', colour: 'red' }] }),
    );
    assert.equal(status, 409);
  });

  test('who agrees twice at once to stand in is told of once', async () => {
    await using app = await startTestApp('postgres');
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const asked = standIn(ada.userId, grace.userId, await createSpace(ada, grace), app.clock.now());
    await insertStandIn(app.db, asked);
    const agree = async (trx: Db) => {
      assert.ok(await lockStandIn(trx, asked.id, grace.userId));
      await updateStandIn(trx, asked.id, { agreed_at: app.clock.now() });
    };
    const ask = () => grace.ask('POST', `/v1/stand-ins/${asked.id}/agree`, {});
    assert.equal((await askDuring(app.db, agree, ask)).status, 200);
    assert.deepEqual(await app.db.selectFrom('request_messages').select('kind').execute(), []);
  });

  test('who leaves a space stands in for nobody there, also if they were asked in that moment', async () => {
    await using app = await startTestApp('postgres');
    const [ada, grace] = [await createPerson(app), await createPerson(app)];
    const space = await createSpace(ada, grace);
    const ask = async (trx: Db) => {
      assert.ok(await lockMembership(trx, space, grace.userId));
      await insertStandIn(trx, standIn(ada.userId, grace.userId, space, app.clock.now()));
    };
    const leave = () => grace.ask('DELETE', `/v1/spaces/${space}/membership`);
    assert.equal((await askDuring(app.db, ask, leave)).status, 200);
    assert.deepEqual(await app.db.selectFrom('stand_ins').select('id').execute(), []);
  });

  test('an address that a tenth account proves is proven by no eleventh in the same moment', async () => {
    await using scenario = await ChannelScenario.open('postgres', await WebhookRig.start());
    const { rig, app, ada } = scenario;
    const { id } = await create(ada, { provider: 'webhook', fields: { url: `${rig.server.origin}/home` } });
    const own = await app.db.selectFrom('channels').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const others = await Promise.all(Array.from({ length: 10 }, () => createPerson(app)));
    const proof = { verified_at: app.clock.now(), proven_by: 'code' as const };
    const theirs = others.map(({ userId }, index) => ({
      ...own,
      id: newId(),
      user_id: userId,
      ...(index > 0 && proof),
    }));
    await app.db.insertInto('channels').values(theirs).execute();
    const prove = async (trx: Db) => {
      await lockByAddress(trx, own.provider, [own.address_hash]);
      const tenth = theirs[0]?.id ?? '';
      await trx.updateTable('channels').set(proof).where('id', '=', tenth).execute();
    };
    const { status, body } = await askDuring(app.db, prove, () => verify(ada, id));
    assert.deepEqual([status, body.error?.split(':')[0]], [409, 'channel_crowded']);
  });

  test('a passkey that is removed while it signs in opens nothing, and nobody is told of a copy', async () => {
    await using app = await startTestApp('postgres');
    const [ada, phone] = [await createPerson(app), new Authenticator()];
    assert.equal((await addPasskey(ada, phone)).status, 200);
    const { options } = (await app.ask({ method: 'POST', url: '/v1/auth/passkey/begin' })).body.data;
    const payload = { credential: phone.get(options) };
    const remove = async (trx: Db) => {
      await lockUser(trx, ada.userId);
      await trx.deleteFrom('passkeys').where('user_id', '=', ada.userId).execute();
    };
    const enter = () => app.ask({ method: 'POST', url: '/v1/auth/passkey', payload });
    const { status, body } = await askDuring(app.db, remove, enter);
    assert.deepEqual([status, body.error?.split(':')[0]], [401, 'unknown_passkey']);
    assert.ok(!app.printed.some((text) => text.includes('may have been copied')));
  });

  test('two batches that nudge one account at once use its budget one after the other', async () => {
    await using world = await startSweep('postgres');
    const { db, clock, sweep } = world;
    const dueAt = new Date(clock.now().getTime() - 60_000);
    const [owner = ''] = await insertDueTasks(db, { tasks: 1, owners: 1, dueAt });
    const counts = { open: 1, done: 0, skipped: 0, nudges_sent: 0, seconds_to_done: 0 };
    const none = { booked_ms: 0, booked_at_ms: clock.now().getTime() };
    await db
      .insertInto('task_counts')
      .values({ user_id: owner, ...counts, ...none })
      .execute();
    // A minute beyond the burst of half a minute.
    const book = (trx: Db) =>
      trx.updateTable('task_counts').set({ booked_ms: 90_000 }).where('user_id', '=', owner).execute();
    await askDuring(db, book, () => sweep.runOnce());
    const waiting = await db.selectFrom('deliveries').select('waits_for').execute();
    assert.deepEqual([...new Set(waiting.map(({ waits_for }) => waits_for))], ['budget']);
  });
});
