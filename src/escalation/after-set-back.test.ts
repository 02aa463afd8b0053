import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minutesAfter, NO_HOLDS, TASK } from '../../test/support/simulated-engine.ts';
import { afterSetBack } from './after-set-back.ts';

const { due } = TASK;
const before = minutesAfter(due, -600);
const task = { ...TASK, runStartedAt: minutesAfter(due, -1_000) };

test('what a clock that ran ahead has sent before the task was due does not count', () => {
  const early = { ...task, step: 3, lastNudgeAt: minutesAfter(due, 30) };
  assert.deepEqual(afterSetBack(early, NO_HOLDS, before), { ...early, step: 0, lastNudgeAt: before });
});

test('what it has sent of a task that is due came now', () => {
  const now = minutesAfter(due, 10);
  const ahead = { ...task, step: 3, lastNudgeAt: minutesAfter(due, 30) };
  assert.deepEqual(afterSetBack(ahead, NO_HOLDS, now), { ...ahead, lastNudgeAt: now });
  assert.deepEqual(afterSetBack(ahead, NO_HOLDS, due), { ...ahead, lastNudgeAt: due }, 'at its very moment too');
});

test('a run that starts later than now starts now, and a heads-up from then comes again', () => {
  const ahead = { ...task, runStartedAt: minutesAfter(due, -30), headsUpAt: minutesAfter(due, -20) };
  assert.deepEqual(afterSetBack(ahead, NO_HOLDS, before), { ...ahead, runStartedAt: before, headsUpAt: null });
});

test('what lies in the past stays as it is', () => {
  const now = minutesAfter(due, 40);
  const usual = { ...task, step: 2, lastNudgeAt: minutesAfter(due, 15), headsUpAt: before };
  assert.deepEqual(afterSetBack(usual, NO_HOLDS, now), usual);
  assert.deepEqual(afterSetBack(task, NO_HOLDS, before), task);
  assert.deepEqual(afterSetBack({ ...usual, headsUpAt: now, lastNudgeAt: now }, NO_HOLDS, now).headsUpAt, now);
  const closed = { ...usual, isOpen: false };
  assert.deepEqual(afterSetBack(closed, NO_HOLDS, now), closed);
});
