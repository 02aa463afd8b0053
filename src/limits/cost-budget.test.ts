import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { CostBudget } from './cost-budget.ts';

const PER_MINUTE = 600;

function start() {
  const clock = new FakeClock();
  const budget = new CostBudget(PER_MINUTE, clock);
  const waitOf = (check: () => void): number => {
    try {
      check();
      return 0;
    } catch (error) {
      return (error as { retryAfterSeconds: number }).retryAfterSeconds;
    }
  };
  return {
    clock,
    budget,
    waitOf: (userId: string) => waitOf(() => budget.check(userId)),
    waitOfOthers: (userId: string, isSync: boolean) => waitOf(() => budget.checkOthers(userId, isSync)),
  };
}

test('a call of any size is allowed while something is left, and the answer after it says how long to wait', async () => {
  const { clock, budget, waitOf } = start();
  budget.charge('ada', PER_MINUTE - 1);
  assert.equal(waitOf('ada'), 0);
  budget.charge('ada', 1);
  assert.equal(waitOf('ada'), 1);
  budget.charge('ada', 10 * PER_MINUTE);
  assert.equal(waitOf('ada'), 601);
  assert.equal(waitOf('eve'), 0);
  await clock.advance('600s');
  assert.equal(waitOf('ada'), 1);
  await clock.advance('1s');
  assert.equal(waitOf('ada'), 0);
});

test('an account that rested for long has the budget of a minute and no more', async () => {
  const { clock, budget, waitOf } = start();
  budget.charge('ada', 1);
  await clock.advance('1h');
  budget.charge('ada', PER_MINUTE);
  assert.equal(waitOf('ada'), 1);
});

test('what an account spent is remembered until it has refilled, whatever others spend meanwhile', async () => {
  const { clock, budget, waitOf } = start();
  budget.charge('ada', 4 * PER_MINUTE);
  await clock.advance('2m');
  budget.charge('eve', 1);
  assert.equal(waitOf('ada'), 61);
});

test('rows of others are counted apart, and a sync of changes is answered every five seconds while they are spent', async () => {
  const { clock, budget, waitOf, waitOfOthers } = start();
  budget.chargeOthers('ada', 100 * PER_MINUTE);
  assert.equal(waitOf('ada'), 0);
  assert.ok(waitOfOthers('ada', false) > 60);
  assert.equal(waitOfOthers('ada', true), 0);
  assert.equal(waitOfOthers('ada', true), 5);
  await clock.advance('4s');
  assert.equal(waitOfOthers('ada', true), 1);
  await clock.advance('1s');
  assert.equal(waitOfOthers('ada', true), 0);
  assert.equal(waitOfOthers('ada', true), 5);
});

test('a clock that is set back neither refills nor makes anybody wait for a sync', async () => {
  const { clock, budget, waitOf, waitOfOthers } = start();
  budget.charge('ada', PER_MINUTE);
  budget.chargeOthers('ada', 10 * PER_MINUTE);
  assert.equal(waitOfOthers('ada', true), 0);
  clock.set('2026-03-01T09:00:00Z');
  assert.equal(waitOf('ada'), 1);
  assert.equal(waitOfOthers('ada', true), 0);
});
