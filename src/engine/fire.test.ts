import assert from 'node:assert/strict';
import { test } from 'node:test';
import { local, minutesAfter, NO_HOLDS, TASK } from '../../test/support/simulated-engine.ts';
import { fire } from './fire.ts';

const SETTINGS = { ...NO_HOLDS, timezone: 'Asia/Kolkata', quiet_hours_start: '22:00', quiet_hours_end: '07:00' };
const DUE = TASK.due;

test('a due task fires, climbs one step and has a next moment', () => {
  const { fired, next } = fire(TASK, SETTINGS, DUE, DUE);
  assert.ok(fired);
  assert.deepEqual([fired.stage, fired.held, fired.after.step], [0, null, 1]);
  assert.deepEqual(next?.at, minutesAfter(DUE, 15));
});

test('a task that is not due after all does not fire, and has a next moment', () => {
  const { fired, next } = fire(TASK, SETTINGS, minutesAfter(DUE, -60), minutesAfter(DUE, -60));
  assert.equal(fired, null);
  assert.deepEqual(next?.at, DUE);
  assert.deepEqual(fire({ ...TASK, isOpen: false }, SETTINGS, DUE, DUE), { fired: null, next: null });
});

test('a nudge that waited for the morning records what held it and since when', () => {
  const due = local('2026-06-30T23:00');
  const morning = local('2026-07-01T07:00');
  const { fired } = fire({ ...TASK, due }, SETTINGS, morning, morning);
  assert.deepEqual(fired?.held, { from: due, holds: ['quiet_hours'] });
});

test('a nudge that is merely late was not held', () => {
  assert.equal(fire(TASK, SETTINGS, DUE, minutesAfter(DUE, 45)).fired?.held, null);
});
