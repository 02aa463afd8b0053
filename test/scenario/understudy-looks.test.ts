import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import type { Understudy } from '../../src/db/tables/understudies.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { AnyPush } from '../../src/push/gateway.ts';
import { Holders } from '../../src/understudies/holders.ts';
import { Understudies } from '../../src/understudies/understudies.ts';
import {
  insertUnderstudies,
  leaseWishes,
  recordFailure,
  recordHeld,
  updateWish,
  wishRelease,
} from '../../src/understudies/wishes.store.ts';
import { createDatabase, onEveryEngine } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeHolder } from '../support/fake-holder.ts';
import { createPerson } from '../support/people.ts';
import { channelRow } from '../support/stored-channel.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  it('when the operator switches it off, what is held is taken back', async () => {
    const clock = new FakeClock();
    const holder = new FakeHolder(clock);
    const database = await createDatabase(engine);
    await using parts = new AsyncDisposableStack();
    parts.defer(database.drop);
    {
      await using app = await startTestApp(engine, {
        clock,
        databaseUrl: database.url,
        extra: { gateways: { telegram: holder } },
      });
      const ada = await createPerson(app);
      const row = channelRow(clock.now(), { user_id: ada.userId, provider: 'telegram', server: 'https://there.test' });
      await app.db.insertInto('channels').values(row).execute();
      await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true });
      app.engine?.noteChanges([ada.userId]);
      await app.engine?.settled();
      assert.equal(holder.waiting.size, 3);
    }
    const off = { send: (push: AnyPush) => holder.send(push), capacity: () => 100, close: async () => undefined };
    // Without ntfy, no provider at all holds messages.
    await using app = await startTestApp(engine, {
      clock,
      databaseUrl: database.url,
      settings: { UNDERSTUDIES: 'off' },
      extra: { gateways: { telegram: off } },
    });
    await clock.advance('15m');
    assert.equal(holder.waiting.size, 0);
    assert.deepEqual(await app.db.selectFrom('understudies').select('id').execute(), []);
  });

  it('what changed when the process died is found by the next one, which looks at everybody', async () => {
    const clock = new FakeClock();
    const holder = new FakeHolder(clock);
    const database = await createDatabase(engine);
    await using parts = new AsyncDisposableStack();
    parts.defer(database.drop);
    const start = () =>
      startTestApp(engine, { clock, databaseUrl: database.url, extra: { gateways: { telegram: holder } } });
    {
      await using app = await start();
      const ada = await createPerson(app);
      const row = channelRow(clock.now(), { user_id: ada.userId, provider: 'telegram', server: 'https://there.test' });
      await app.db.insertInto('channels').values(row).execute();
      await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true });
      app.engine?.noteChanges([ada.userId]);
      await app.engine?.settled();
      assert.equal(holder.waiting.size, 3);
      // It was stored, and the process died before it announced it.
      const pause_until = new Date('2026-03-02T20:00:00Z');
      await app.db.updateTable('users').set({ pause_from: clock.now(), pause_until }).execute();
    }
    await using app = await start();
    await app.engine?.settled();
    // What is only put off waits for five minutes; without a reason, a person is looked at every ten.
    await clock.advance('6m');
    const moments = [...holder.waiting.values()].map(({ at }) => at.toISOString());
    assert.deepEqual([...new Set(moments)], ['2026-03-02T20:00:00.000Z']);
  });

  test('a new wish waits for the answer of the one on its way, and that an attempt was made is not forgotten', async () => {
    await using app = await startTestApp(engine);
    const { db } = app;
    // It would take the wish.
    await app.engine?.stop();
    const now = new Date('2026-03-03T09:00:00Z');
    const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
    const row: Understudy = {
      id: newId(),
      user_id: newId(),
      channel_id: newId(),
      slot: 'first',
      provider: 'telegram',
      server: null,
      address: 'sealed',
      sounds_at: later(3_600),
      content: '{}',
      stage: 0,
      version: 1,
      stored_version: 0,
      held_until: null,
      ref: 'chosen by us',
      moved_at: null,
      attempts: 0,
      next_attempt_at: now,
      error: null,
    };
    await insertUnderstudies(db, [row]);
    const lease = async (seconds: number) =>
      (await leaseWishes(db, { now: later(seconds), latest: later(seconds + 900), until: later(seconds + 30) }, 10))[0];
    const first = await lease(0);
    assert.equal(first?.version, 1);
    await wishRelease(db, row, later(1), 'first');
    assert.equal(await lease(1), undefined);
    await recordHeld(db, first ?? row, { ref: 'chosen by them', heldUntil: later(3_600), wallNow: later(2) });
    const second = await lease(2);
    assert.deepEqual([second?.version, second?.ref, second?.attempts], [2, 'chosen by them', 1]);
    await updateWish(db, { ...row, sounds_at: later(7_200) }, later(3));
    // The process that sends it has died: its lease ends.
    assert.equal(await lease(31), undefined);
    const third = await lease(33);
    assert.deepEqual([third?.version, third?.attempts], [3, 2]);
    await recordFailure(db, third ?? row, 'away', later(900), later(34));
    assert.equal(await lease(35), undefined);
    await updateWish(db, { ...row, sounds_at: later(9_000) }, later(36));
    assert.equal((await lease(36))?.version, 4);
  });

  it('a person whose nudge is overdue is looked at again long before what is held would sound', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const row = channelRow(app.clock.now(), {
      user_id: ada.userId,
      provider: 'telegram',
      server: 'https://there.test',
    });
    await app.db.insertInto('channels').values(row).execute();
    await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-02T10:00:00Z', has_time: true });
    // For the engine it is 09:00, so the nudge of 10:00 is not sent.
    const clock = new FakeClock('2026-03-02T10:00:00Z');
    const parts = {
      db: app.db,
      clock,
      wallClock: clock,
      clockSpeed: 1,
      gateways: { telegram: new FakeHolder(clock) },
      schema: new SchemaWatch(createLogger('silent')),
      counts: { placed: 0, moved: 0, cancelled: 0, sounded: 0, failed: 0 },
      countOfDay: async () => 0,
      isNudging: () => false,
      onWish: () => undefined,
    };
    const understudies = new Understudies({ ...parts, holders: new Holders(parts) });
    assert.deepEqual(await understudies.runAll(new AbortController().signal), new Date('2026-03-02T10:01:00Z'));
  });
});
