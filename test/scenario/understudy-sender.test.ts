import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import type { Understudy } from '../../src/db/tables/understudies.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { AnyPush, PushResult } from '../../src/push/gateway.ts';
import { claimPerson } from '../../src/understudies/understudies.store.ts';
import { UnderstudySender } from '../../src/understudies/understudy-sender.ts';
import { insertUnderstudies, leaseWishes, updateWish } from '../../src/understudies/wishes.store.ts';
import { onEveryEngine, onlyOn } from '../support/engines.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { understudyRow } from '../support/stored-understudy.ts';
import { startTestApp } from '../support/test-app.ts';
import { waitUntil } from '../support/wait-until.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const content = JSON.stringify({ kind: 'gone', isPrivate: false, timezone: 'UTC', named: [], count: 0 });

type SenderParts = ConstructorParameters<typeof UnderstudySender>[0];

/** A sender on a database without an engine. `send` is the provider. */
async function start(
  engine: Parameters<typeof startTestApp>[0],
  send: (push: AnyPush) => Promise<PushResult>,
  parts: Partial<SenderParts> = {},
) {
  const app = await startTestApp(engine);
  await app.engine?.stop();
  const clock = new FakeClock(NOW.toISOString());
  const holds = { minMs: 30_000, maxMs: 86_400_000, isElsewhere: () => true };
  const gateway = { send, holds, capacity: () => 100, close: async () => undefined };
  const woken = { times: 0 };
  const sender = new UnderstudySender({
    db: app.db,
    clock,
    wallClock: clock,
    clockSpeed: 1,
    gateways: { telegram: gateway },
    schema: new SchemaWatch(createLogger('silent')),
    logger: createLogger('silent'),
    codeOf: () => '',
    mayHold: async () => true,
    onTooFar: () => undefined,
    onUnfit: () => undefined,
    counts: { placed: 0, moved: 0, cancelled: 0, sounded: 0, failed: 0 },
    onAnswered: () => {
      woken.times += 1;
    },
    isNudging: () => false,
    ...parts,
  });
  const add = async (changes: Partial<Understudy>) => {
    const row = understudyRow({ id: newId(), user_id: newId(), provider: 'telegram' }, { content, ...changes });
    await insertUnderstudies(app.db, [row]);
    return row.id;
  };
  return { app, sender, clock, add, woken, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

onEveryEngine((engine, it) => {
  it('what could not be taken back is forgotten only long after its moment, and after many attempts', async () => {
    await using world = await start(engine, async () => ({ kind: 'retry', reason: 'away' }));
    const { app, sender, add } = world;
    const hours = (count: number) => new Date(NOW.getTime() + count * 3_600_000);
    const kept = [
      // A clock that was set forward makes the moment pass here, and not at the provider.
      await add({ held_until: hours(-48), attempts: 58 }),
      await add({ held_until: hours(-0.9), attempts: 200 }),
      await add({ held_until: hours(1), attempts: 200 }),
      // It is to be held.
      await add({ held_until: hours(-48), attempts: 200, sounds_at: hours(1) }),
    ];
    await add({ held_until: hours(-1.1), attempts: 59 });
    await sender.runAll(new AbortController().signal);
    await sender.stop();
    const rows = await app.db.selectFrom('understudies').select(['id', 'error']).execute();
    assert.deepEqual(rows.map(({ id }) => id).sort(), kept.sort());
    assert.deepEqual([...new Set(rows.map(({ error }) => error))], ['away']);
  });

  it('a clock that was set back delays no attempt: what waits longer than any attempt does is due', async () => {
    const tried: string[] = [];
    await using world = await start(engine, async (push) => {
      tried.push((push as AnyPush & { ref: string }).ref);
      return { kind: 'accepted' };
    });
    const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000);
    await world.add({ ref: 'waits', next_attempt_at: minutes(15) });
    await world.add({ ref: 'of a clock that was ahead', next_attempt_at: minutes(16) });
    await world.sender.runAll(new AbortController().signal);
    await world.sender.stop();
    assert.deepEqual(tried, ['of a clock that was ahead']);
    assert.equal(world.woken.times, 1, 'a newer wish may wait for the answer');
  });

  it('what waited for its server until its lease was nearly over is left to the next attempt', async () => {
    let sent = 0;
    await using world = await start(engine, async () => {
      sent += 1;
      await world.clock.advance('25s');
      return { kind: 'accepted' };
    });
    const { sender, clock, add } = world;
    for (let count = 0; count < 2; count += 1) await add({ held_until: NOW });
    for (const sends of [1, 2]) {
      await sender.runAll(new AbortController().signal);
      await sender.stop();
      assert.equal(sent, sends);
      await clock.advance('6s');
    }
  });

  it('a wish that was changed while the one before it failed is brought at once', async () => {
    const stages: number[] = [];
    await using world = await start(engine, async (push) => {
      if (push.kind !== 'channel_hold') return { kind: 'accepted' };
      stages.push(push.stage);
      if (stages.length > 1) return { kind: 'accepted' };
      await updateWish(world.app.db, { id, sounds_at, content, stage: 2 }, world.clock.now());
      return { kind: 'retry', reason: 'away', afterMs: 600_000 };
    });
    const sounds_at = new Date(NOW.getTime() + 3_600_000);
    const id = await world.add({ sounds_at, stage: 1 });
    for (let runs = 0; runs < 2; runs += 1) {
      await world.sender.runAll(new AbortController().signal);
      await world.sender.stop();
    }
    assert.deepEqual(stages, [1, 2]);
  });

  it('what is only taken back never waits for the budget of the day', async () => {
    const kinds: string[] = [];
    const send = async ({ kind }: AnyPush): Promise<PushResult> => {
      kinds.push(kind);
      return { kind: 'accepted' };
    };
    await using world = await start(engine, send, { mayHold: async () => false });
    const { app, sender, add } = world;
    await add({ held_until: NOW });
    const wanted = await add({ sounds_at: new Date(NOW.getTime() + 3_600_000) });
    await sender.runAll(new AbortController().signal);
    await sender.stop();
    assert.deepEqual(kinds, ['channel_release']);
    const rows = await app.db.selectFrom('understudies').select(['id', 'error']).execute();
    assert.deepEqual(rows, [{ id: wanted, error: 'looked_at_again' }]);
  });

  it('a message is held in real time, no shorter than its provider takes, and known to be held until then', async () => {
    const delays: number[] = [];
    const send = async (push: AnyPush): Promise<PushResult> => {
      delays.push((push as AnyPush & { delayMs: number }).delayMs);
      return { kind: 'accepted' };
    };
    await using world = await start(engine, send, { clockSpeed: 60 });
    const { app, sender, add } = world;
    const later = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);
    await add({ sounds_at: later(120), slot: 'first' });
    await add({ sounds_at: later(1), slot: 'second' });
    await sender.runAll(new AbortController().signal);
    await sender.stop();
    assert.deepEqual(new Set(delays), new Set([30_000, 120_000]));
    const held = await app.db.selectFrom('understudies').select('held_until').orderBy('held_until').execute();
    assert.deepEqual(
      held.map(({ held_until }) => held_until),
      [later(30), later(120)],
    );
  });

  it('a server that asks to wait is left alone that long, one that refuses a quarter of an hour, one that cannot hold is told of', async () => {
    const unfit: string[] = [];
    let answer: PushResult = { kind: 'accepted' };
    const onUnfit = (channelId: string) => unfit.push(channelId);
    await using world = await start(engine, async () => answer, { onUnfit });
    const { app, sender, add } = world;
    const seconds = async (result: PushResult) => {
      answer = result;
      const id = await add({ sounds_at: new Date(NOW.getTime() + 3_600_000) });
      await sender.runAll(new AbortController().signal);
      await sender.stop();
      const row = app.db.selectFrom('understudies').select('next_attempt_at').where('id', '=', id);
      return ((await row.executeTakeFirstOrThrow()).next_attempt_at.getTime() - NOW.getTime()) / 1_000;
    };
    assert.equal(await seconds({ kind: 'retry', reason: 'http_429', afterMs: 600_000 }), 600);
    assert.equal(await seconds({ kind: 'retry', reason: 'http_429', afterMs: 86_400_000 }), 900);
    assert.ok((await seconds({ kind: 'retry', reason: 'away' })) <= 5);
    assert.equal(await seconds({ kind: 'rejected', reason: 'http_400' }), 900);
    assert.equal(unfit.length, 0);
    for (const reason of ['same_machine', 'server_too_old', 'cannot_hold']) await seconds({ kind: 'rejected', reason });
    assert.equal(unfit.length, 3);
  });

  it('a stop sends nothing of what waits for its server', async () => {
    const stopping = new AbortController();
    let sent = 0;
    const send = async (): Promise<PushResult> => {
      sent += 1;
      stopping.abort();
      return { kind: 'accepted' };
    };
    await using world = await start(engine, send);
    for (let count = 0; count < 3; count += 1) await world.add({ held_until: NOW });
    await world.sender.runAll(stopping.signal);
    await world.sender.stop();
    assert.equal(sent, 1);
  });

  it('a server that does not answer keeps no other server waiting', async () => {
    const hangs = Promise.withResolvers<PushResult>();
    const answered: string[] = [];
    await using world = await start(engine, async (push) => {
      const { ref } = push as AnyPush & { ref: string };
      if (ref !== 'of another server') return hangs.promise;
      answered.push(ref);
      return { kind: 'accepted' };
    });
    const { sender, add } = world;
    const slow = { server: 'https://slow.test', sounds_at: new Date(NOW.getTime() + 3_600_000) };
    for (let count = 0; count < 320; count += 1) await add(slow);
    await add({ ref: 'of another server', next_attempt_at: new Date(1) });
    const running = sender.runAll(new AbortController().signal);
    await waitUntil(() => answered.length === 1);
    const leased = await world.app.db.selectFrom('understudies').select('id').where('attempts', '>', 0).execute();
    assert.ok(leased.length <= 51, `${leased.length} are leased: those of a busy server wait`);
    hangs.resolve({ kind: 'accepted' });
    assert.equal(await running, null, 'nothing is asked for again and again while a server is busy');
    await sender.stop();
  });
});

onlyOn('postgres', () => {
  test('what one engine leases or looks at, another one leaves to it without waiting', async () => {
    await using world = await start('postgres', async () => ({ kind: 'accepted' }));
    const { db } = world.app;
    const [first, second] = [await world.add({}), await world.add({})];
    const lease = { now: NOW, latest: NOW, until: new Date(NOW.getTime() + 30_000) };
    const person = newId();
    await claimPerson(db, person, NOW);
    await db.transaction().execute(async (one) => {
      assert.equal((await leaseWishes(one, lease, 1)).length, 1);
      assert.equal(await claimPerson(one, person, NOW), true);
      await db.transaction().execute(async (other) => {
        await sql`set local lock_timeout = '2s'`.execute(other);
        assert.equal(await claimPerson(other, person, NOW), false);
        assert.equal((await leaseWishes(other, lease, 10)).length, 1);
      });
    });
    const attempts = await db.selectFrom('understudies').select(['id', 'attempts']).execute();
    assert.deepEqual(
      new Map(attempts.map((row) => [row.id, row.attempts])),
      new Map([
        [first, 1],
        [second, 1],
      ]),
    );
  });
});
