import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { PushedTask } from './gateway.ts';
import { bodyOf, fitBytes } from './wording.ts';

const NINE = new Date('2026-03-02T09:00:00Z');
const task = (due: PushedTask['due'], timezone = 'UTC'): PushedTask => ({
  ...{ id: '0', title: 'pills', due, timezone, occurrenceDueAt: null, mustNotMiss: false },
});
const day = (text: string) => Temporal.PlainDate.from(text);

const TABLE: readonly [PushedTask['due'], number, string][] = [
  [NINE, 0, 'Due now'],
  [new Date(NINE.getTime() - 60_000), 0, 'Due now'],
  [new Date(NINE.getTime() - 3_600_000), 0, 'Was due at 08:00'],
  [new Date(NINE.getTime() - 3_600_000), 1, 'Still open, due at 08:00'],
  [new Date('2026-03-01T22:30:00Z'), 2, 'Still open, due yesterday at 22:30'],
  [new Date('2026-03-03T18:00:00Z'), -1, 'Due tomorrow at 18:00'],
  [new Date('2026-03-05T18:00:00Z'), -1, 'Due on Thu 5 Mar at 18:00'],
  [new Date('2027-03-05T18:00:00Z'), -1, 'Due on Fri 5 Mar 2027 at 18:00'],
  [day('2026-03-02'), 0, 'Due today'],
  [day('2026-03-01'), 0, 'Was due yesterday'],
  [day('2026-03-04'), -1, 'Due on Wed 4 Mar'],
  [day('2026-03-02'), 2, 'Still open, due today'],
  [null, 0, 'Back from its snooze'],
  [null, 2, 'Still open'],
];

test('a nudge says what is due and when, as its owner would say it', () => {
  for (const [due, stage, words] of TABLE) assert.equal(bodyOf(task(due), stage, NINE), words);
});

test('times are told on the owner’s clock', () => {
  const due = new Date('2026-03-02T08:00:00Z');
  assert.equal(bodyOf(task(due, 'Asia/Kolkata'), 1, NINE), 'Still open, due at 13:30');
  assert.equal(bodyOf(task(due, 'Pacific/Honolulu'), 1, NINE), 'Still open, due at 22:00');
});

test('a text is cut between characters, fits, and is left alone where it fits already', () => {
  assert.equal(fitBytes('abc', 3), 'abc');
  assert.equal(fitBytes('abcdef', 5), 'ab…');
  assert.equal(fitBytes('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 30), '👩‍👩‍👧‍👦…');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.integer({ min: 3, max: 400 }), (text, most) => {
      const cut = fitBytes(text, most);
      assert.ok(Buffer.byteLength(cut) <= most);
      assert.ok(cut.isWellFormed());
      if (cut !== text) assert.ok(text.startsWith(cut.slice(0, -1)) && cut.endsWith('…'));
    }),
  );
});
