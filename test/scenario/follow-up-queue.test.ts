/** Which follow-ups wait, without an engine that runs them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { Engine } from '../../src/engine/engine.ts';
import {
  cancelFollowUp,
  type FollowUp,
  findFollowUpAfter,
  type RunSlice,
  recordSlice,
  type Slices,
  startFollowUp,
} from '../../src/follow-ups/follow-ups.ts';
import { FollowUps } from '../../src/follow-ups/run-follow-ups.ts';
import type { BatchSize } from '../../src/lib/batch-size.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { startTestApp } from '../support/test-app.ts';

/** Takes as many rows more as the slice before has changed. */
function learningBatchSize(): BatchSize {
  let size = 10;
  return {
    concurrency: 1,
    get size() {
      return size;
    },
    async measure(count, work) {
      const result = await work();
      size += count(result);
      return result;
    },
  };
}

onEveryEngine((engine, it) => {
  it('what waits is one thing of a kind for an account and a space, whoever cancels one leaves the others, and each kind has slices of its own size', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const { db } = app;
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const [home, club] = [await createSpace(ada, bob), await createSpace(ada, bob)];
    const unfinished: RunSlice = async () => ({ rows: 1, isDone: false, cursor: 'next' });
    const of = (kind: FollowUp['kind'], user_id: string, space_id: string | null) => ({ kind, user_id, space_id });
    const start = (one: ReturnType<typeof of>) => startFollowUp(db, { ...one, cursor: null }, unfinished, 25);
    const all = [
      of('leave_space', ada.userId, home),
      of('leave_space', ada.userId, club),
      of('leave_space', bob.userId, home),
      of('replan', ada.userId, null),
      of('move_in', ada.userId, null),
    ];
    for (const one of [...all, ...all]) await start(one);
    const stored = async () => {
      const rows = await db.selectFrom('follow_ups').selectAll().execute();
      return rows.map(({ kind, user_id, space_id }) => JSON.stringify(of(kind, user_id, space_id))).sort();
    };
    const texts = (some: typeof all) => some.map((one) => JSON.stringify(one)).sort();
    assert.deepEqual(await stored(), texts(all));
    for (const index of [0, 3]) await cancelFollowUp(db, all[index] as ReturnType<typeof of>);
    const left = all.filter((_, index) => index !== 0 && index !== 3);
    assert.deepEqual(await stored(), texts(left));

    const turns: FollowUp[] = [];
    for (let last: string | undefined; turns.length < 4; last = turns.at(-1)?.id) {
      const next = await findFollowUpAfter(db, last);
      assert.ok(next);
      turns.push(next);
    }
    const [first, second, third, again] = turns;
    assert.equal(new Set([first?.id, second?.id, third?.id]).size, 3);
    assert.equal(again?.id, first?.id, 'after the last one comes the first');
    assert.ok(first && second);
    await recordSlice(db, first, { rows: 1, isDone: false });
    assert.equal((await findFollowUpAfter(db, undefined))?.cursor, 'next', 'a slice that names no place keeps it');
    await recordSlice(db, first, { rows: 1, isDone: true });
    assert.equal((await findFollowUpAfter(db, undefined))?.id, second.id);

    // Each kind learns for itself how many rows fit into a slice.
    await db.deleteFrom('follow_ups').execute();
    for (const kind of ['replan', 'move_in'] as const) await start(of(kind, ada.userId, null));
    const limits: string[] = [];
    const record: RunSlice = async (_trx, { kind }, limit) => {
      limits.push(`${kind} ${limit}`);
      return { rows: 3, isDone: false };
    };
    const slices = { replan: record, move_in: record } as Partial<Slices> as Slices;
    const schema = new SchemaWatch(createLogger('silent'));
    const followUps = new FollowUps(db, slices, schema, learningBatchSize);
    for (let turn = 0; turn < 4; turn += 1) assert.ok(await followUps.runOnce());
    // Their ids, made in one millisecond, decide which of the two comes first.
    const turnsOf = (kind: string) => limits.filter((limit) => limit.startsWith(kind));
    assert.deepEqual(
      [turnsOf('replan'), turnsOf('move_in')],
      [
        ['replan 10', 'replan 13'],
        ['move_in 10', 'move_in 13'],
      ],
    );
  });

  test('the first slice of a follow-up is small: 100 rows, and where requests wait for it ten', async () => {
    await using app = await startTestApp(engine);
    await app.engine?.stop();
    const { db, clock } = app;
    const ada = await createPerson(app);
    const limits: number[] = [];
    const record: RunSlice = async (_trx, _followUp, limit) => {
      limits.push(limit);
      return { rows: 1, isDone: true };
    };
    const about = { kind: 'replan', user_id: ada.userId, space_id: null, cursor: null } as const;
    await db
      .insertInto('follow_ups')
      .values({ id: newId(), ...about })
      .execute();
    const slices = { replan: record } as Partial<Slices> as Slices;
    const parts = { gateways: {}, addOwnChannels: async () => false, deliveriesPerMinute: 100, slices };
    const alone = new Engine({ db, clock, wallClock: clock, logger: createLogger('silent'), ...parts });
    alone.start();
    await alone.settled();
    await alone.stop();
    assert.deepEqual(limits, [engine === 'postgres' ? 100 : 10]);
  });
});
