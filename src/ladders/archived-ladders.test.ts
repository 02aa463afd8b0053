import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EMPTY_BOOK, type LadderBook, MOST_LABELS, MOST_LADDERS } from '../escalation/choose-ladder.ts';
import { type ArchivedBook, addArchived } from './archived-ladders.ts';

const NOTHING: ArchivedBook = { own: [], labels: [], default: null };
const own = (id: string, name = 'Mine') => ({ id, name, rungs: [{ after: 0, stage: 0 }], end: null });

test('a label of an archive has one ladder, whatever the archive says', () => {
  const labels = [
    { label: 'bill', ladder: { preset: 'gentle' } },
    { label: 'bill', ladder: { preset: 'daily' } },
  ] as const;
  const book = addArchived({ own: [], labels: [], default: null }, { own: [], labels, default: null });
  assert.deepEqual(book.labels, labels.slice(0, 1));
});

test('what the account has chosen stays: its ladders by their ids, its labels and its default', () => {
  const chosen: LadderBook = {
    own: [own('a', 'Here')],
    labels: [{ label: 'bill', ladder: { preset: 'gentle' } }],
    default: { preset: 'persistent' },
  };
  const archived: ArchivedBook = {
    own: [own('a', 'There'), own('b')],
    labels: [{ label: 'bill', ladder: { preset: 'daily' } }],
    default: { preset: 'daily' },
  };
  assert.deepEqual(addArchived(chosen, archived), { ...chosen, own: [own('a', 'Here'), own('b')] });
  assert.deepEqual(addArchived(EMPTY_BOOK, archived).default, { preset: 'daily' });
});

test('a choice of a ladder that is not there is left out', () => {
  const gone = { ladder_id: 'gone' };
  const archived = { ...NOTHING, labels: [{ label: 'bill', ladder: gone }], default: gone };
  assert.deepEqual(addArchived(EMPTY_BOOK, archived), EMPTY_BOOK);
});

test('an archive adds no more ladders and labels than an account can have', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
  const archived: ArchivedBook = {
    own: many(MOST_LADDERS + 1).map((id) => own(id)),
    labels: many(MOST_LABELS + 1).map((label) => ({ label, ladder: { preset: 'gentle' } })),
    default: { ladder_id: `${MOST_LADDERS}` },
  };
  const book = addArchived(EMPTY_BOOK, archived);
  assert.deepEqual([book.own.length, book.labels.length, book.default], [MOST_LADDERS, MOST_LABELS, null]);
});
