import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HistoryReader } from './history.ts';

/** Rows in the order of their tasks, read as a store reads them. */
function readerOf(counts: Readonly<Record<string, number>>) {
  const rows = Object.entries(counts).flatMap(([task_id, count]) =>
    Array.from({ length: count }, (_, index) => ({ task_id, index })),
  );
  return new HistoryReader<(typeof rows)[number]>(async (last, limit) => {
    const from = last ? rows.indexOf(last) + 1 : 0;
    return rows.slice(from, from + limit);
  });
}

test('each task gets every row of its own, however the pages fall', async () => {
  const counts = { a: 1, c: 1_000, d: 2_500, f: 499, g: 3 };
  const reader = readerOf(counts);
  const found: Record<string, number> = {};
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
    for await (const page of reader.rowsOf(id)) {
      assert.ok(page.every(({ task_id }) => task_id === id));
      found[id] = (found[id] ?? 0) + page.length;
    }
  }
  assert.deepEqual(found, counts);
});
