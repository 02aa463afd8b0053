import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinBatches } from './join-batches.ts';

const batch = (batch_id: string, at: string, as = 'done') => ({
  batch_id,
  as,
  at: `2026-03-02T${at}Z`,
  task_ids: [batch_id],
});

test('the requests of one press are one bulk change with one Undo, the newest first', () => {
  const joined = joinBatches([
    batch('f', '10:01:00'),
    batch('e', '10:00:40'),
    batch('d', '10:00:20'),
    batch('c', '09:59:59'),
    batch('b', '09:59:58', 'dropped'),
    batch('a', '09:59:57'),
  ]);
  assert.deepEqual(
    joined.map(({ as, at, batchIds, taskIds }) => [as, at.slice(11, 19), batchIds.join(''), taskIds.join('')]),
    [
      ['done', '10:01:00', 'fed', 'fed'],
      ['done', '09:59:59', 'c', 'c'],
      ['dropped', '09:59:58', 'b', 'b'],
      ['done', '09:59:57', 'a', 'a'],
    ],
  );
  assert.deepEqual(joinBatches([]), []);
});
