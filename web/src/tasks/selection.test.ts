import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_SELECTION, extend, keepShown, type Selection, toggle } from './selection.ts';

const ORDER = ['a', 'b', 'c', 'd', 'e'];
const idsOf = ({ ids }: Selection) => [...ids].sort().join('');

test('a range goes from the task selected last to the one with Shift, in both directions', () => {
  const fromB = toggle(EMPTY_SELECTION, 'b');
  assert.equal(idsOf(extend(fromB, 'd', ORDER)), 'bcd');
  assert.equal(idsOf(extend(fromB, 'a', ORDER)), 'ab');
  assert.equal(idsOf(extend(extend(fromB, 'd', ORDER), 'a', ORDER)), 'abcd');
  assert.equal(idsOf(extend(EMPTY_SELECTION, 'c', ORDER)), 'c');
});

test('a range keeps what was selected before, and a second press takes a task out', () => {
  const separate = toggle(toggle(EMPTY_SELECTION, 'e'), 'a');
  assert.equal(idsOf(extend(separate, 'b', ORDER)), 'abe');
  assert.equal(idsOf(toggle(separate, 'e')), 'a');
});

test('a task that has left the screen is not acted on, and no range begins there', () => {
  const selection = toggle(toggle(EMPTY_SELECTION, 'a'), 'c');
  const shown = ['a', 'b', 'd'];
  assert.equal(idsOf(keepShown(selection, shown)), 'a');
  assert.equal(idsOf(extend(keepShown(selection, shown), 'd', shown)), 'ad');
  assert.equal(keepShown(selection, ORDER), selection);
});
