import assert from 'node:assert/strict';
import { test } from 'node:test';
import { local, NO_HOLDS, run, TASK } from '../../test/support/simulated-engine.ts';
import { findLadderProblem } from './check-ladder.ts';
import { chooseLadder, EMPTY_BOOK, type LadderBook, type LadderChoice, readBook } from './choose-ladder.ts';
import { includesStage, isRepeat, type Ladder, lastingRung, type Rung, STAGES, toStageBits } from './ladder.ts';
import type { NudgeTask } from './plan-nudge.ts';
import { PRESET_NAMES, PRESETS } from './presets.ts';

const SETTINGS = { ...NO_HOLDS, timezone: 'Asia/Kolkata' };

/** Times in the owner's zone, with the stage. The task is due at 17:00 on 30 June; its day starts at 9:00. */
function nudgesOf(ladder: Ladder, count: number, task: Partial<NudgeTask> = {}): string {
  const sent = run({ ...TASK, ...task, ladder }, SETTINGS, count);
  const day = Temporal.PlainDate.from('2026-06-30');
  return sent
    .map(({ at, stage }) => {
      const when = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO('Asia/Kolkata');
      const days = when.toPlainDate().since(day).days;
      return `${days > 0 ? `+${days} ` : ''}${when.toPlainTime().toString({ smallestUnit: 'minute' })}/${stage}`;
    })
    .join(', ');
}

const rung = (after: Rung['after'], stage: number): Rung => ({ after, stage });
const stops = (...rungs: Rung[]): Ladder => ({ rungs, end: null });
const repeats = (repeat_last: number, times: number | null, ...rungs: Rung[]): Ladder => ({
  rungs,
  end: { repeat_last, times },
});

const LADDERS: [name: string, ladder: Ladder, nudges: string, count?: number][] = [
  ['default', PRESETS.default, '17:00/0, 17:15/1, 17:30/1, 17:45/1, 18:00/2, 19:00/2, 20:00/2'],
  ['gentle', PRESETS.gentle, '17:00/0, 18:00/0, 22:00/1, +1 09:00/1, +2 09:00/1'],
  ['persistent', PRESETS.persistent, '17:00/0, 17:05/1, 17:10/1, 17:15/1, 17:20/1, 17:25/2, 17:30/2'],
  ['daily', PRESETS.daily, '17:00/0, +1 09:00/1, +2 09:00/1'],
  [
    'medication',
    PRESETS.medication,
    '17:00/0, 17:10/1, 17:20/1, 17:35/2, 17:50/2, 18:05/2, 18:20/2, 18:35/2, 18:50/2, 19:05/2, 19:20/2, 19:35/2, 19:50/2, 20:05/2, 20:20/2, 21:20/2, 22:20/2',
  ],
  ['one that stops', stops(rung(0, 0), rung(30, 1)), '17:00/0, 17:30/1', 9],
  [
    'one that repeats two rungs twice',
    repeats(2, 2, rung(0, 0), rung(10, 1), rung(20, 2)),
    '17:00/0, 17:10/1, 17:30/2, 17:40/2, 18:00/2, 18:10/2, 18:30/2',
    9,
  ],
  ['a wall time of the next day', repeats(1, null, rung(0, 1), rung('18:30', 2)), '17:00/1, +1 18:30/2, +2 18:30/2'],
];

for (const [name, ladder, nudges, count] of LADDERS)
  test(`the ladder ${name} nudges to the minute`, () => {
    assert.equal(nudgesOf(ladder, count ?? nudges.split(',').length), nudges);
  });

test('a moment of the next day that would come too soon is the one of the day after', () => {
  const ladder = repeats(1, null, rung(0, 0), rung('00:00', 1));
  assert.equal(nudgesOf(ladder, 3, { due: local('2026-06-30T23:58') }), '23:58/0, +2 00:00/1, +3 00:00/1');
});

test('the planner fits a ladder to its task: no wait under 5 minutes, or 1 if it must not be missed; no end then', () => {
  const fast = stops(rung(0, 0), rung(1, 1), rung(2, 2));
  assert.equal(nudgesOf(fast, 9), '17:00/0, 17:05/1, 17:10/2');
  assert.equal(nudgesOf(fast, 5, { mustNotMiss: true }), '17:00/0, 17:01/1, 17:03/2, 17:08/2, 17:13/2');
  assert.equal(nudgesOf(stops(rung(0, 0)), 3, { mustNotMiss: true }), '17:00/0, 18:00/0, 19:00/0');
  assert.equal(nudgesOf(PRESETS.persistent, 3, { shortestWait: 30 }), '17:00/0, 17:30/1, 18:00/1');
  assert.equal(nudgesOf(PRESETS.persistent, 3, { mode: 'notify_once' }), '17:00/0');
  assert.equal(nudgesOf(PRESETS.persistent, 7, { maxStage: 1 }).includes('/2'), false);
});

const BOOK: LadderBook = {
  own: [{ id: 'a', name: 'Nightly', ...stops(rung(0, 0)) }],
  labels: [
    { label: 'work', ladder: { preset: 'gentle' } },
    { label: 'pills', ladder: { ladder_id: 'a' } },
    { label: '__proto__', ladder: { ladder_id: 'gone' } },
  ],
  default: { preset: 'daily' },
};

const CHOICES: [task: { kind?: string; ladder?: LadderChoice; ladder_label?: string }, from: string, ladder: Ladder][] =
  [
    [{}, 'account', PRESETS.daily],
    [{ kind: 'work' }, 'label', PRESETS.gentle],
    [{ kind: 'work', ladder: { preset: 'persistent' } }, 'task', PRESETS.persistent],
    [{ kind: 'work', ladder: { ladder_id: 'gone' } }, 'label', PRESETS.gentle],
    [{ kind: 'work', ladder_label: 'pills' }, 'label', BOOK.own[0] as Ladder],
    [{ kind: '__proto__' }, 'account', PRESETS.daily],
    [{ kind: 'work', ladder: stops(rung(0, 2)) }, 'task', stops(rung(0, 2))],
  ];

for (const [{ kind = 'todo', ladder = null, ladder_label = null }, from, expected] of CHOICES)
  test(`of label ${ladder_label ?? kind} and ${JSON.stringify(ladder)}, the ${from} decides`, () => {
    const task = { kind, ladder: ladder && JSON.stringify(ladder), ladder_label };
    const chosen = chooseLadder(task, JSON.stringify(BOOK));
    assert.deepEqual([chosen.from, chosen.ladder], [from, expected]);
  });

test('without any choice the default ladder of the service holds', () => {
  const chosen = chooseLadder({ kind: 'todo', ladder: null, ladder_label: null }, null);
  assert.deepEqual([chosen.from, chosen.ladder], ['service', PRESETS.default]);
});

test('a task has its own ladder in an account without a book, and an account without a choice has the default', () => {
  const own = { kind: 'todo', ladder: JSON.stringify({ preset: 'gentle' }), ladder_label: null };
  assert.deepEqual(chooseLadder(own, null), { ladder: PRESETS.gentle, from: 'task', choice: { preset: 'gentle' } });
  const none = chooseLadder({ ...own, ladder: null }, JSON.stringify({ own: [], labels: [], default: null }));
  assert.deepEqual(none, { ladder: PRESETS.default, from: 'service', choice: null });
});

test('a book is read once while it is used, and of more than a hundred none is kept for ever', () => {
  assert.deepEqual(readBook(null), { own: [], labels: [], default: null });
  const stored = (name: string) =>
    JSON.stringify({ ...EMPTY_BOOK, labels: [{ label: name, ladder: { preset: 'daily' } }] });
  const first = readBook(stored('first'));
  for (let count = 0; count < 50; count += 1) readBook(stored(`${count}`));
  assert.equal(readBook(stored('first')), first);
  for (let count = 0; count < 100; count += 1) readBook(stored(`${count}`));
  assert.deepEqual(readBook(stored('first')), first);
  assert.notEqual(readBook(stored('first')), first);
});

test('stages are bits, and a nudge repeats if a due one came before', () => {
  assert.deepEqual(
    STAGES.map((stage) => toStageBits([stage])),
    [1, 2, 4, 8],
  );
  assert.deepEqual([toStageBits([]), toStageBits([1, 2]), toStageBits(STAGES)], [0, 12, 15]);
  for (const stage of STAGES)
    assert.deepEqual(
      STAGES.filter((one) => includesStage(toStageBits([stage]), one)),
      [stage],
    );
  assert.deepEqual([isRepeat(0, 0), isRepeat(0, 1), isRepeat(-1, 0), isRepeat(-1, 1)], [false, true, false, false]);
});

test('what must not be missed goes on although its ladder has no rung, or ends with a wall time', () => {
  assert.deepEqual(lastingRung(stops()), rung(60, 0));
  assert.deepEqual(lastingRung(stops(rung(0, 0), rung('18:30', 2))), rung('18:30', 2));
});

const REFUSED: [ladder: Ladder, problem: RegExp, mustNotMiss?: boolean][] = [
  [stops(), /first rung/],
  [stops(rung(5, 0)), /first rung/],
  [stops(rung('day_start', 0)), /first rung/],
  [stops(rung(0, 0), rung(4, 1)), /at least 5 minutes/],
  [stops(rung(0, 0), rung(0, 1)), /at least 1 minute /, true],
  [stops(rung(0, 1), rung(5, 0)), /Stages only rise/],
  [repeats(2, null, rung(0, 0), rung(5, 1)), /cannot be repeated/],
  [repeats(1, null, rung(0, 0)), /second rung/],
  [repeats(1, null, rung(0, 0), rung(4, 1)), /more than 300/, true],
  [repeats(1, 301, rung(0, 0), rung(1, 1)), /more than 300/, true],
  [repeats(1, 300, rung(0, 0), rung(1, 1)), /more than 300/, true],
  [repeats(1, 300, rung(0, 0), rung('day_start', 0), rung('day_start', 0), rung(1, 1)), /more than 300/, true],
  [repeats(1, 300, rung(0, 0), rung(4_000, 0), rung(1, 1)), /more than 300/, true],
  [stops(rung(0, 0), rung(4, 1)), /5 minutes .* at least 1 minute for/],
];

for (const [ladder, problem, mustNotMiss = false] of REFUSED)
  test(`the ladder ${JSON.stringify(ladder)} is refused: ${problem.source}`, () => {
    assert.match(findLadderProblem(ladder, mustNotMiss) ?? '', problem);
  });

test('the ladders of the service may be chosen, and short waits for what must not be missed', () => {
  for (const name of PRESET_NAMES) assert.equal(findLadderProblem(PRESETS[name], false), undefined, name);
  const most = repeats(1, 298, rung(0, 0), rung(1, 1));
  assert.equal(findLadderProblem(most, true), undefined, '300 nudges in a day');
  assert.equal(findLadderProblem(repeats(1, null, rung(0, 0), rung(5, 1)), false), undefined, '288 in any day');
  const brief = repeats(1, 100, rung(0, 0), rung(1, 2));
  assert.equal(findLadderProblem(brief, true), undefined);
  assert.match(findLadderProblem(brief, false) ?? '', /at least 5 minutes/);
});
