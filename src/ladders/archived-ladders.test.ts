import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addArchived } from './archived-ladders.ts';

test('a label of an archive has one ladder, whatever the archive says', () => {
  const labels = [
    { label: 'bill', ladder: { preset: 'gentle' } },
    { label: 'bill', ladder: { preset: 'daily' } },
  ] as const;
  const book = addArchived({ own: [], labels: [], default: null }, { own: [], labels, default: null });
  assert.deepEqual(book.labels, labels.slice(0, 1));
});
