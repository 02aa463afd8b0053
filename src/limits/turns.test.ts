import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from './turns.ts';

const SHARE = 20;
const LIMIT = 8;

/** Claims until nothing is left, the oldest first. Returns the accounts in the order in which they were served. */
function serveAll(turns: Turns, due: string[]): string[] {
  const served: string[] = [];
  for (;;) {
    const claimed = due.filter((owner) => !turns.spent.includes(owner)).slice(0, LIMIT);
    for (const owner of claimed) {
      due.splice(due.indexOf(owner), 1);
      turns.use(owner, 1);
      served.push(owner);
    }
    if (!turns.claimed(claimed.length, LIMIT) && claimed.length < LIMIT) return served;
  }
}

test('an account waits for one share of each other account, however much they have waiting', () => {
  for (const loud of [1, 2, 3]) {
    const due = Array.from({ length: loud }, (_, index) => Array<string>(200).fill(`loud ${index}`)).flat();
    const served = serveAll(new Turns(() => SHARE), [...due, 'quiet']);
    assert.equal(served.length, due.length + 1, 'everything is served in the end');
    // A claim may go beyond the share of the account that it ends with.
    const before = served.indexOf('quiet');
    assert.ok(before <= loud * (SHARE + LIMIT), `${before} came before it, of ${loud} loud accounts`);
  }
});

test('an account has waited in the round in which its share was used, and in the next one', () => {
  const turns = new Turns(() => SHARE);
  turns.use('loud', SHARE);
  assert.deepEqual([turns.left('loud'), turns.spent, turns.hasWaited('loud')], [0, ['loud'], true]);
  assert.equal(turns.claimed(LIMIT, LIMIT), false, 'a full claim starts no round');
  assert.deepEqual(turns.spent, ['loud']);
  assert.equal(turns.startRound(), true);
  assert.deepEqual([turns.left('loud'), turns.spent, turns.hasWaited('loud')], [SHARE, [], true]);
  assert.equal(turns.startRound(), false);
  assert.deepEqual([turns.hasWaited('loud'), turns.hasWaited('quiet')], [false, false]);
});
