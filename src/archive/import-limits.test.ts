import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImportBatch } from './import-limits.ts';
import type { ReadItem } from './read-task.ts';

/** A task with as many outcomes, each with a title of this length. */
const itemOf = ({ notes = 0, outcomes = 0, title = 0 }): ReadItem =>
  ({
    title: 'x',
    record: {
      task: { title: 'x', notes: 'n'.repeat(notes), kind: 'todo', recurrence: null },
      outcomes: Array.from({ length: outcomes }, () => ({ title: 't'.repeat(title) })),
    },
  }) as unknown as ReadItem;

const takenOf = (item: ReadItem, isRepeating = false): number => {
  const batch = new ImportBatch();
  while (!batch.isFull && batch.add(item, isRepeating));
  return batch.size;
};

test('one import takes so much and no more, of each kind of work', () => {
  assert.equal(takenOf(itemOf({})), 2_000);
  assert.equal(takenOf({ title: null, reason: 'It is not valid' }), 500);
  assert.equal(takenOf(itemOf({}), true), 500);
  assert.equal(takenOf(itemOf({ outcomes: 1_000 })), 5);
  assert.equal(takenOf(itemOf({ notes: 1_000_000 })), 3);
  assert.equal(takenOf(itemOf({ outcomes: 10, title: 200_000 })), 1);
});

test('a task that is larger than one import is taken by itself', () => {
  const batch = new ImportBatch();
  const large = itemOf({ outcomes: 20_000 });
  assert.equal(batch.add(large, false), true);
  assert.equal(batch.add(itemOf({ outcomes: 1 }), false), false);
  assert.equal(batch.size, 1);
  assert.equal(batch.add(itemOf({}), false), false);
});
