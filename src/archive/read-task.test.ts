import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importOwner } from '../../test/support/import-owner.ts';
import { InvalidInput } from '../lib/errors.ts';
import { isDueAlready, isLongOverdue, readTask, withoutNudges } from './read-task.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const CONTEXT = { owner: importOwner(), canAdoptZone: false, now: NOW };
const PAST = '2026-02-01T08:00:00.000Z';
const FUTURE = '2026-04-01T08:00:00.000Z';
const DUE = { due_at: '2026-03-05T08:00:00Z', has_time: true };

const recordOf = (archived: object) => readTask({ title: 'x', ...archived }, CONTEXT);
const read = (archived: object) => recordOf(archived).task;

test('a closed task says when, as what, and is held no longer', () => {
  for (const [status, column] of [
    ['done', 'completed_at'],
    ['skipped', 'skipped_at'],
  ] as const) {
    const task = read({ status, updated_at: PAST, deferred_until: FUTURE });
    assert.deepEqual([task[column]?.toISOString(), task.closed_at?.toISOString()], [PAST, PAST]);
    assert.deepEqual([task.deferred_until, task.next_fire_at], [null, null]);
  }
  const dropped = read({ status: 'dropped', closed_at: PAST });
  assert.deepEqual([dropped.completed_at, dropped.skipped_at, dropped.closed_at?.toISOString()], [null, null, PAST]);
  const open = read({ closed_at: PAST, deferred_until: FUTURE });
  assert.deepEqual([open.closed_at, open.deferred_until?.toISOString()], [null, FUTURE]);
  assert.equal(read({ status: 'declined' }).accepted_by_owner, false);
  assert.equal(read({ accepted_by_owner: false }).accepted_by_owner, false);
});

test('a run goes on where it was, and one without a last nudge begins anew', () => {
  const run = { ...DUE, run: 3, run_started_at: PAST, step: 2, escalation_stage: 1, nudge_count: 5 };
  const under = read({ ...run, last_nudge_at: PAST });
  assert.deepEqual([under.run, under.step, under.escalation_stage, under.nudge_count], [3, 2, 1, 5]);
  assert.equal(under.run_started_at.toISOString(), PAST);
  const fresh = read(run);
  assert.deepEqual([fresh.run, fresh.step, fresh.escalation_stage], [3, 0, 0]);
});

test('what a wrong clock has dated in the future happened now, but a hold and a bell may be to come', () => {
  const dated = {
    created_at: FUTURE,
    updated_at: FUTURE,
    occurrence_started_at: FUTURE,
    run_started_at: FUTURE,
    last_nudge_at: FUTURE,
    heads_up_at: FUTURE,
  };
  const task = read({ ...DUE, ...dated, rings_anyway_at: FUTURE, deferred_until: FUTURE });
  for (const name of Object.keys(dated) as (keyof typeof dated)[]) assert.deepEqual(task[name], NOW, name);
  assert.deepEqual([task.rings_anyway_at?.toISOString(), task.deferred_until?.toISOString()], [FUTURE, FUTURE]);
  const past = read({ ...DUE, heads_up_at: PAST, created_at: PAST });
  assert.deepEqual(
    [past.heads_up_at, past.created_at, past.updated_at, past.occurrence_started_at].map((at) => at?.toISOString()),
    [PAST, PAST, PAST, PAST],
  );
});

test('how hard a task insists comes back', () => {
  const heads_ups = [{ minutes: 5 }];
  const task = read({ ...DUE, max_stage: 1, shortest_wait: 7, ladder_label: 'work', heads_ups });
  assert.deepEqual([task.max_stage, task.shortest_wait, task.ladder_label], [1, 7, 'work']);
  assert.deepEqual(JSON.parse(task.heads_ups ?? 'null'), heads_ups);
  const plain = read({ ...DUE, heads_ups: [] });
  assert.deepEqual(
    [plain.max_stage, plain.shortest_wait, plain.ladder_label, plain.heads_ups],
    [null, null, null, null],
  );
});

test('what was done is kept with its title, its times and what was missed', () => {
  const missing = { missed: 2, missed_from: PAST, missed_to: PAST };
  const base = { outcome: 'done', occurrence_due_at: PAST, recorded_at: '2026-02-01T09:00:00Z' };
  const { outcomes } = recordOf({
    created_at: PAST,
    outcomes: [
      { ...base, title: 'then', seconds_taken: 5, ...missing },
      base,
      { ...base, recorded_at: FUTURE, missed: 2 },
    ],
  });
  assert.deepEqual(
    outcomes.map(({ title, seconds_taken, missed }) => [title, seconds_taken, missed]),
    [
      ['then', 5, 2],
      ['x', 3_600, null],
      ['x', (NOW.getTime() - Date.parse(PAST)) / 1_000, null],
    ],
  );
  assert.deepEqual([outcomes[0]?.missed_from?.toISOString(), outcomes[0]?.missed_to?.toISOString()], [PAST, PAST]);
  assert.deepEqual([outcomes[1]?.missed_from, outcomes[2]?.missed_from, outcomes[2]?.missed_to], [null, null, null]);
  assert.equal(outcomes[1]?.occurrence_due_at?.toISOString(), PAST);
  assert.deepEqual(outcomes[2]?.recorded_at, NOW);
});

test('a task is known by its id in any spelling, or by all that it says', () => {
  const id = '0198c000-0000-7000-8000-00000000000a';
  assert.equal(recordOf({ id: id.toUpperCase() }).origin, id);
  assert.equal(recordOf({ notes: 'a' }).origin, recordOf({ notes: 'a' }).origin);
  assert.notEqual(recordOf({ notes: 'a' }).origin, recordOf({ notes: 'b' }).origin);
});

test('a date that was written elsewhere is the same moment, or the same day for a task without a time', () => {
  const due_at = '2026-03-08T23:00:00.000Z';
  const day = read({ due_at, due_written: '2026-03-09T00:00:00' });
  assert.equal(day.due_at?.toISOString(), '2026-03-09T00:00:00.000Z');
  for (const due_written of ['2026-03-11T00:00:00', '2026-03-09T00:00:00+02:00'])
    assert.throws(() => read({ due_at, due_written }), InvalidInput, due_written);
  assert.throws(() => read({ due_at, due_written: '2026-03-09T00:00:00', has_time: true }), InvalidInput);
  // A rule whose series would begin elsewhere has to have dates there as well.
  const series = { ...DUE, recurrence: { freq: 'yearly', interval: 4, by_month: [2], by_month_day: [29] } };
  const leap = '2028-02-29T08:00:00';
  assert.equal(read({ ...series, due_at: leap, series_first: leap }).series_first, leap);
  for (const series_first of ['2029-03-01T08:00:00', '2028-02-29T08:00:00Z', 'once'])
    assert.throws(() => read({ ...series, due_at: leap, series_first }), InvalidInput, series_first);
});

test('a task is due already if its date or its first reminder has passed, unless it is held or closed', () => {
  const late = read({ due_at: PAST, has_time: true });
  const isDue = (changes: object) => isDueAlready({ ...late, ...changes }, NOW);
  const [before, after] = [new Date(PAST), new Date(FUTURE)];
  assert.equal(isDue({}), true);
  assert.equal(isDue({ status: 'done' }), false);
  assert.equal(isDue({ deferred_until: before }), true);
  assert.equal(isDue({ deferred_until: after }), false);
  assert.equal(isDue({ overdue_at: after, wanted_at: after }), false);
  assert.equal(isDue({ overdue_at: after, wanted_at: before }), true);
  assert.equal(isDue({ overdue_at: before, wanted_at: null }), true);
  assert.equal(isDue({ overdue_at: null, wanted_at: null }), false);
});

test('only an open task is long overdue, a day after its date', () => {
  const dueAt = (hours: number) =>
    read({ due_at: new Date(NOW.getTime() - hours * 3_600_000).toISOString(), has_time: true });
  assert.deepEqual([isLongOverdue(dueAt(25), NOW), isLongOverdue(dueAt(24), NOW)], [true, false]);
  assert.equal(isLongOverdue({ ...dueAt(25), status: 'done' }, NOW), false);
  assert.equal(isLongOverdue(read({}), NOW), false);
});

test('a task without nudges has had its only one, now, and will ring no more', () => {
  const { task } = withoutNudges(recordOf({ due_at: PAST, has_time: true, run_started_at: PAST }), CONTEXT);
  assert.deepEqual([task.mode, task.step, task.last_nudge_at, task.run_started_at], ['notify_once', 1, NOW, NOW]);
  assert.deepEqual([task.next_fire_at, task.overdue_at?.toISOString()], [null, PAST]);
});
