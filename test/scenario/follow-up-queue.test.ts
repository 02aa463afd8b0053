/** Which follow-ups wait, without an engine that runs them. */
import assert from 'node:assert/strict';
import {
  cancelFollowUp,
  type FollowUp,
  findFollowUpAfter,
  type RunSlice,
  recordSlice,
  startFollowUp,
} from '../../src/follow-ups/follow-ups.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { createSpace } from '../support/spaces.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  it('what waits is one thing of a kind for an account and a space, and whoever cancels one leaves the others', async () => {
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
  });
});
