import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from '../api/client.ts';
import { canStillRing, findHeld, ringsInHold } from './held.ts';
import type { Holds } from './release.ts';

const NIGHT: Holds = { zone: 'UTC', dayStart: '06:00', quiet: ['22:00', '07:00'], running: null, planned: null };
const NOW = Date.parse('2026-03-02T23:00:00Z');

/** Due in the night, and not sent to the service yet. */
const task = (fields: Partial<Task> = {}) =>
  ({
    status: 'open',
    accepted_by_owner: true,
    due_at: '2026-03-02T23:30:00.000Z',
    has_time: true,
    deferred_until: null,
    lead_time_days: null,
    break_quiet_hours: false,
    next_fire_at: null,
    last_nudge_at: null,
    ...fields,
  }) as Task;

test('nothing is said of a request, nor of a moment that has passed and may have rung', () => {
  assert.ok(findHeld(task(), NIGHT, NOW));
  assert.equal(findHeld(task({ accepted_by_owner: false }), NIGHT, NOW), undefined);
  assert.equal(findHeld(task({ due_at: '2026-03-02T23:00:00.000Z' }), NIGHT, NOW), undefined);
  assert.equal(findHeld(task({ due_at: null }), NIGHT, NOW), undefined);
});

test('a snooze that has ended counts only for a task without a date', () => {
  const ended = { deferred_until: '2026-03-02T22:30:00.000Z', next_fire_at: '2026-03-03T07:00:00.000Z' };
  const seven = Date.parse('2026-03-03T07:00:00Z');
  const held = (fields: Partial<Task>) => findHeld(task({ ...ended, ...fields }), NIGHT, NOW);
  assert.deepEqual(held({ due_at: null }), {
    at: seven,
    by: ['quiet_hours'],
    wanted: Date.parse('2026-03-02T22:30:00Z'),
  });
  assert.equal(held({})?.wanted, Date.parse('2026-03-02T23:30:00Z'));
});

test('only an open task whose next nudge is inside a hold rings there', () => {
  const rings = { next_fire_at: '2026-03-02T23:30:00.000Z' };
  assert.equal(ringsInHold(task(rings), NIGHT, NOW), true);
  assert.equal(ringsInHold(task({ ...rings, status: 'done' }), NIGHT, NOW), false);
  assert.equal(ringsInHold(task({ ...rings, break_quiet_hours: true }), NIGHT, NOW), false);
  assert.equal(ringsInHold(task({ ...rings, due_at: '2026-03-02T23:15:00.000Z' }), NIGHT, NOW), false);
});

test('for a quarter of an hour after its moment a nudge can still ring anyway', () => {
  const minutes = 60_000;
  assert.deepEqual([canStillRing(NOW - 15 * minutes + 1, NOW), canStillRing(NOW - 15 * minutes, NOW)], [true, false]);
  assert.equal(canStillRing(NOW + 60 * minutes, NOW), true);
});
