import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../api/client.ts';
import { countByDelay, countByWeek } from './figures.ts';

/** A Monday, a minute after midnight in Amsterdam: in UTC it is still Sunday. */
const NOW = Date.parse('2026-03-01T23:01:00Z');

const outcome = (recorded_at: string, kind = 'done', occurrence_due_at: string | null = null): Outcome => ({
  id: recorded_at,
  task_id: 'a',
  title: 'a',
  outcome: kind,
  recorded_at,
  occurrence_due_at,
});

test('an outcome counts in the week of the account, not of the server', () => {
  const recorded = [
    outcome('2026-03-01T23:00:30Z'),
    outcome('2026-03-01T22:59:00Z', 'skipped'),
    outcome('2024-01-01T00:00:00Z'),
  ];
  const weeks = countByWeek(recorded, NOW, 'Europe/Amsterdam');
  assert.equal(weeks.length, 12);
  assert.deepEqual(
    weeks.slice(-2).map(({ done, skipped }) => [done, skipped]),
    [
      [0, 1],
      [1, 0],
    ],
  );
  assert.equal(
    weeks.reduce((sum, { done, skipped }) => sum + done + skipped, 0),
    2,
  );
});

test('a week begins on the day that the person chose', () => {
  const sunday = [outcome('2026-03-01T12:00:00Z')];
  const done = (first: number) =>
    countByWeek(sunday, Date.parse('2026-03-02T12:00:00Z'), 'UTC', first).map((week) => week.done);
  assert.deepEqual(
    [done(1).slice(-2), done(7).slice(-2)],
    [
      [1, 0],
      [0, 1],
    ],
  );
  assert.equal(countByWeek([], NOW, 'UTC', 7).at(-1)?.start, Date.parse('2026-03-01T00:00:00Z'));
});

test('a task that was done a quarter of an hour after it was due counts as done within it', () => {
  const due = '2026-03-01T09:00:00Z';
  const after = (clock: string) => countByDelay([outcome(`2026-03-01T${clock}Z`, 'done', due)]).indexOf(1);
  assert.deepEqual(['09:00:00', '09:00:01', '09:15:00', '09:15:01'].map(after), [0, 1, 1, 2]);
});

test('only done tasks count as delays, each in one bin', () => {
  const due = '2026-03-01T09:00:00Z';
  const at = ['08:00', '09:10', '09:59', '12:00', '23:00'].map((clock) =>
    outcome(`2026-03-01T${clock}:00Z`, 'done', due),
  );
  assert.deepEqual(
    countByDelay([
      ...at,
      outcome('2026-03-05T09:00:00Z', 'done', due),
      outcome('2026-03-01T09:00:00Z', 'skipped', due),
    ]),
    [1, 1, 1, 1, 1, 1],
  );
});
