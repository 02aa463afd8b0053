import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLadderProblem } from '../../../src/escalation/check-ladder.ts';
import { type Ladder, rungAt } from '../../../src/escalation/ladder.ts';
import { PRESETS } from '../../../src/escalation/presets.ts';
import { choose } from '../time/date-customs.ts';
import { formatLadder } from './format-ladder.ts';
import { addRung, findWrongPlace, moveRung, toFields, toLadder } from './ladder-fields.ts';
import { sampleNudges } from './sample-nudges.ts';

const EVENING: Ladder = {
  rungs: [
    { after: 0, stage: 0 },
    { after: 90, stage: 1 },
    { after: 2_880, stage: 1 },
    { after: '18:00', stage: 2 },
  ],
  end: { repeat_last: 2, times: 3 },
};

const WORDS: readonly [ladder: Ladder, words: string][] = [
  [PRESETS.default, 'When due, 4 times every 15 minutes, then every hour.'],
  [PRESETS.gentle, 'When due, 1 hour later, 4 hours later, then every day at the start of your day.'],
  [PRESETS.persistent, 'When due, then every 5 minutes.'],
  [PRESETS.medication, 'When due, twice every 10 minutes, 12 times every 15 minutes, then every hour.'],
  [EVENING, 'When due, 90 minutes later, 2 days later, the next day at 18:00, then the last 2 again, 3 times.'],
  [
    { ...PRESETS.daily, end: { repeat_last: 1, times: 2 } },
    'When due, then every day at the start of your day, 3 times.',
  ],
  [{ rungs: EVENING.rungs.slice(0, 2), end: null }, 'When due, 90 minutes later, then it stops.'],
];

test('a ladder is said in words, and the editor gives back what it was given', () => {
  choose('clock', '24');
  for (const [ladder, words] of WORDS) {
    assert.equal(formatLadder(ladder as never), words);
    assert.deepEqual(toLadder(toFields('', ladder as never)), ladder);
  }
});

test('a refusal is shown at the rung that the service refuses', () => {
  const { rungs, end } = PRESETS.default;
  const short = { rungs: rungs.with(2, { after: 3, stage: 1 }), end };
  const falling = { rungs: rungs.with(3, { after: 15, stage: 0 }), end };
  const repeated = { rungs, end: { repeat_last: 6, times: null } };
  for (const [ladder, place] of [
    [short, 2],
    [falling, 3],
    [repeated, 'end'],
  ] as const) {
    assert.ok(findLadderProblem(ladder, false));
    assert.equal(findWrongPlace(ladder, 5), place);
  }
});

test('rungs are added like the last one, and the rung at the due moment never moves', () => {
  const fields = toFields('', PRESETS.gentle as never);
  assert.deepEqual(toLadder(addRung(fields)).rungs.at(-1), { after: 'day_start', stage: 1 });
  assert.equal(moveRung(fields, 1, -1).rungs, fields.rungs);
  assert.deepEqual(
    toLadder(moveRung(fields, 1, 1)).rungs.map(({ after }) => after),
    [0, 240, 60, 'day_start'],
  );
});

test('no more rungs repeat than are left', () => {
  const { rungs, ...fields } = toFields('', EVENING as never);
  assert.deepEqual(toLadder({ ...fields, rungs: rungs.slice(0, 1) }).end, { repeat_last: 1, times: 3 });
  assert.deepEqual(toLadder({ ...fields, rungs: rungs.slice(0, 3) }).end, { repeat_last: 2, times: 3 });
});

test('an imagined task has the rungs of the service, as often as they come', () => {
  const due = Date.parse('2026-03-02T17:00:00Z');
  for (const ladder of [EVENING, ...Object.values(PRESETS)]) {
    const stages = sampleNudges(ladder as never, due, 'Europe/Amsterdam', '09:00', 30).map(({ stage }) => stage);
    const expected = Array.from({ length: 30 }, (_, step) => rungAt(ladder, step)?.stage).filter(
      (one) => one !== undefined,
    );
    assert.deepEqual(stages, expected);
  }
  const [first, , , next] = sampleNudges(PRESETS.gentle as never, due, 'Europe/Amsterdam', '09:00', 4);
  assert.deepEqual([first?.at, next?.at], ['2026-03-02T17:00:00.000Z', '2026-03-03T08:00:00.000Z']);
  // The night belongs to the day before it.
  const [, morning] = sampleNudges(PRESETS.daily as never, due + 7 * 3_600_000, 'Europe/Amsterdam', '09:00', 2);
  assert.equal(morning?.at, '2026-03-03T08:00:00.000Z');
});

test('what is missing or too much in the editor becomes the nearest that the service takes', () => {
  const { rungs, ...others } = toFields('', EVENING as never);
  const after = (fields: Partial<(typeof rungs)[number]>) =>
    toLadder({ ...others, rungs: [...rungs, { ...(rungs[1] ?? assert.fail()), ...fields }] }).rungs.at(-1)?.after;
  assert.equal(after({ unit: 'days', count: '31' }), 43_200);
  assert.equal(after({ unit: 'hours', count: '1.6' }), 120);
  assert.equal(after({ unit: 'minutes', count: '' }), 0);
  assert.equal(after({ unit: 'clock', clock: '' }), '18:00');
  assert.deepEqual(toLadder({ ...others, rungs, last: '', times: '0' }).end, { repeat_last: 1, times: 1 });
  assert.deepEqual(toLadder({ ...others, rungs, end: 'forever' }).end, { repeat_last: 2, times: null });
  // Without the first rung, the second is the nudge at the due moment.
  assert.equal(toLadder({ ...others, rungs: rungs.slice(1) }).rungs[0]?.after, 0);
});

test('the rung after the first one waits a quarter of an hour, and no two rungs are the same to the screen', () => {
  const { rungs, ...others } = toFields('', PRESETS.gentle as never);
  const alone = addRung({ ...others, rungs: rungs.slice(0, 1) });
  assert.deepEqual(toLadder(alone).rungs, [
    { after: 0, stage: 0 },
    { after: 15, stage: 0 },
  ]);
  const keys = addRung({ ...others, rungs: rungs.toSpliced(1, 1) }).rungs.map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
});

test('a time of the day is that of the next day, except in the night before it', () => {
  const ladder = {
    rungs: [
      { after: 0, stage: 0 },
      { after: '18:00', stage: 1 },
    ],
    end: null,
  };
  const second = (due: string) => sampleNudges(ladder as never, Date.parse(due), 'UTC', '09:00', 2)[1]?.at.slice(0, 16);
  assert.equal(second('2026-03-02T10:00:00Z'), '2026-03-03T18:00');
  assert.equal(second('2026-03-02T05:00:00Z'), '2026-03-02T18:00');
  assert.equal(second('2026-03-02T05:01:00Z'), '2026-03-03T18:00');
});
