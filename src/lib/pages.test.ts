import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  BYTES_PER_PAGE,
  groupsOfText,
  pagesIn,
  ROWS_PER_LATER_PAGE,
  ROWS_PER_PAGE,
  readInPages,
  slicesOf,
  sortInTurns,
} from './pages.ts';

test('sorting in turns gives each id once, in the order of sorting at once', async () => {
  const ids = fc.array(fc.string({ minLength: 3, maxLength: 3 }), { minLength: 0, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(ids, fc.integer({ min: 1, max: 400 }), async (some, times) => {
      const all = Array.from({ length: times }, () => some).flat();
      assert.deepEqual([...(await sortInTurns(all))], [...new Set(all)].toSorted());
    }),
    { numRuns: 20 },
  );
});

test('slices have every value once, in order, and no slice is empty', () => {
  assert.deepEqual([...slicesOf([1, 2, 3, 4, 5], 2)], [[1, 2], [3, 4], [5]]);
  assert.deepEqual([...slicesOf([1, 2], 2)], [[1, 2]]);
  assert.deepEqual([...slicesOf([], 2)], []);
  assert.deepEqual([...slicesOf([1, 2, 3, 4, 5, 6], 2, 3)], [[1, 2, 3], [4, 5], [6]]);
});

test('pages are read one at a time, and only when they are consumed', async () => {
  const ids = Array.from({ length: ROWS_PER_PAGE + ROWS_PER_LATER_PAGE * 2 }, (_, index) => String(index));
  const reads: number[] = [];
  const read = async (page: readonly string[]) => {
    reads.push(page.length);
    return { first: [...page] };
  };
  const { first, rest } = await readInPages(ids, read);
  assert.deepEqual([first.length, reads.length], [ROWS_PER_PAGE, 1]);
  const all = [...first];
  for await (const page of rest ?? []) {
    all.push(...page);
    assert.equal(reads.length, 1 + (all.length - ROWS_PER_PAGE) / ROWS_PER_LATER_PAGE);
  }
  assert.deepEqual(all, ids);
  assert.equal((await readInPages(ids.slice(0, ROWS_PER_PAGE), read)).rest, undefined);
  assert.deepEqual(await readInPages([], read), { first: [] });
});

test('a group ends with the row that fills it with text, and no row is left out', () => {
  const rows = [0, 1, BYTES_PER_PAGE - 1, 5, BYTES_PER_PAGE * 3, BYTES_PER_PAGE, 1].map((text_bytes) => ({
    text_bytes,
  }));
  const sizes = [...groupsOfText(rows)].map((group) =>
    group.map(({ text_bytes }) => rows.findIndex((row) => row.text_bytes === text_bytes)),
  );
  assert.deepEqual(sizes, [[0, 1, 2], [3, 4], [5], [1]]);
  assert.deepEqual([...groupsOfText([])], []);
});

test('a slice that has several pages because of its text comes before the slices after it', async () => {
  const ids = Array.from({ length: ROWS_PER_PAGE + 1 }, (_, index) => index.toString().padStart(3, '0'));
  const pages = await readInPages(ids, async (slice) => ({
    first: slice.slice(0, 1),
    rest: (async function* () {
      yield slice.slice(1);
    })(),
  }));
  const read: string[] = [];
  for await (const page of pagesIn(pages)) read.push(...page);
  assert.deepEqual(read, ids);
});
