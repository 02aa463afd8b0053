import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInput } from '../lib/errors.ts';
import { EMPTY_BOOK, type LadderBook } from './choose-ladder.ts';
import { PRESETS } from './presets.ts';
import {
  type GivenChoice,
  readArchivedChoice,
  readChoice,
  readLadder,
  readNamedChoice,
  requireFit,
  requireLadder,
} from './read-choice.ts';

const DUE = { after: 0, stage: 0 } as const;
const SOON = { after: 1, stage: 1 } as const;
const LATER = { after: 30, stage: 1 } as const;
const END = { repeat_last: 1, times: 3 };
const FOR_EVER = { repeat_last: 1, times: null };
const BOOK: LadderBook = { ...EMPTY_BOOK, own: [{ id: 'a', name: 'Fast', rungs: [DUE, SOON], end: null }] };

const refuses = (run: () => unknown, msg: RegExp, ...field: string[]) =>
  assert.throws(run, (error) => {
    assert.ok(error instanceof InvalidInput);
    const [problem] = error.problems;
    assert.match(problem?.msg ?? '', msg);
    assert.deepEqual([problem?.type, problem?.loc], ['value_error', ['body', ...field]]);
    return true;
  });

test('a ladder repeats its last rung if nothing is said about its end, and keeps nothing but its fields', () => {
  assert.deepEqual(readLadder({ rungs: [DUE, LATER] }), { rungs: [DUE, LATER], end: FOR_EVER });
  assert.deepEqual(readLadder({ rungs: [DUE, LATER], end: null }), { rungs: [DUE, LATER], end: null });
  assert.deepEqual(readLadder({ rungs: [DUE, LATER], end: END }), { rungs: [DUE, LATER], end: END });
  assert.deepEqual(readLadder({ rungs: [DUE] }), { rungs: [DUE], end: null }, 'one rung has nothing to repeat');
  const more = { rungs: [{ ...DUE, note: 'x' }], end: { ...END, note: 'x' } };
  assert.deepEqual(readLadder(more), { rungs: [DUE], end: END });
});

test('a ladder is named in one way', () => {
  assert.deepEqual(readNamedChoice({ preset: 'gentle' }), { preset: 'gentle' });
  assert.deepEqual(readNamedChoice({ ladder_id: 'a' }), { ladder_id: 'a' });
  for (const given of [{}, { preset: 'gentle' as const, ladder_id: 'a' }])
    refuses(() => readNamedChoice(given), /either preset or ladder_id/);
});

test('a choice is a name or rungs, and an end belongs to rungs', () => {
  assert.deepEqual(readChoice({ preset: 'gentle' }), { preset: 'gentle' });
  assert.deepEqual(readChoice({ ladder_id: 'a' }), { ladder_id: 'a' });
  assert.deepEqual(readChoice({ rungs: [DUE, LATER] }), { rungs: [DUE, LATER], end: FOR_EVER });
  assert.deepEqual(readChoice({ rungs: [DUE, LATER], end: END }), { rungs: [DUE, LATER], end: END });
  const wrong: GivenChoice[] = [
    {},
    { end: END },
    { preset: 'gentle', rungs: [DUE] },
    { preset: 'gentle', ladder_id: 'a' },
  ];
  for (const given of wrong) refuses(() => readChoice(given), /one of preset, ladder_id and rungs/);
  refuses(() => readChoice({ preset: 'gentle', end: END }), /end belongs to rungs/, 'end');
});

test('a choice must fit its task, and the field is named that does not', () => {
  assert.equal(requireFit({ preset: 'gentle' }, EMPTY_BOOK, false), PRESETS.gentle);
  assert.equal(requireFit({ ladder_id: 'a' }, BOOK, true), BOOK.own[0]);
  refuses(() => requireFit({ ladder_id: 'b' }, BOOK, true), /no ladder with this id/, 'ladder_id');
  refuses(() => requireFit({ ladder_id: 'a' }, BOOK, false), /at least 5 minutes/, 'ladder_id');
  refuses(() => requireFit({ rungs: [DUE, SOON], end: null }, BOOK, false), /at least 5 minutes/, 'rungs');
  refuses(() => requireLadder({ rungs: [SOON], end: null }, true), /first rung/, 'rungs');
});

test('an archive brings what may be chosen for some task, and a name is read without looking for it', () => {
  assert.deepEqual(readArchivedChoice({ rungs: [DUE, SOON], end: null }), { rungs: [DUE, SOON], end: null });
  assert.deepEqual(readArchivedChoice({ ladder_id: 'gone' }), { ladder_id: 'gone' });
  refuses(() => readArchivedChoice({ rungs: [SOON] }), /first rung/, 'rungs');
});
