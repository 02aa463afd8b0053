import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { DayBudgets } from './day-budgets.ts';
import { NONE, ONE, THREE } from './plan-understudies.ts';

const BUDGET = { key: 'there.test', most: 100 };

function counting() {
  const clock = new FakeClock();
  const state = { used: 0, asked: 0 };
  const budgets = new DayBudgets(clock, async () => {
    state.asked += 1;
    return state.used;
  });
  return { clock, state, budgets };
}

test('nudges come first: with half of the day left a person has one message held, with a quarter none', async () => {
  for (const [used, allowed] of [
    [49, THREE],
    [50, ONE],
    [74, ONE],
    [75, NONE],
    [200, NONE],
  ] as const) {
    const { state, budgets } = counting();
    state.used = used;
    assert.equal(await budgets.allowedBy(BUDGET), allowed, String(used));
    assert.equal(await budgets.take(BUDGET), allowed !== NONE, String(used));
  }
  assert.equal(await counting().budgets.allowedBy(null), THREE);
  assert.equal(await counting().budgets.take(null), true);
});

test('what is taken counts until the counter is read again, which is after half a minute or a clock that was set back', async () => {
  const { clock, state, budgets } = counting();
  state.used = 73;
  const take = () => budgets.take(BUDGET);
  assert.deepEqual([await take(), await take(), await take()], [true, true, false]);
  assert.equal(state.asked, 1);
  await clock.advance('30s');
  assert.equal(await take(), true);
  clock.set('2026-03-01T09:00:00Z');
  state.used = 80;
  assert.equal(await take(), false);
  assert.equal(state.asked, 3);
});
