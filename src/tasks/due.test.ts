import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sized } from '../../test/support/size.ts';
import { parseDateTime } from '../lib/date-time.ts';
import { hasUnreadKeys, parseRule } from '../recurrence/parse-rule.ts';
import type { Rule } from '../recurrence/rule.ts';
import {
  allDayDue,
  asByRule,
  closedInZone,
  type DueFields,
  dueDate,
  dueInstant,
  dueOf,
  formatWritten,
  isStorable,
  MOST_COUNTED,
  movedDueFields,
  namedOccurrence,
  nextDueFields,
  overdueFrom,
  parseSeriesFirst,
  parseStoredDue,
  passedOver,
  toDueFields,
} from './due.ts';

const ruleOf = (value: Record<string, unknown>): Rule => {
  const rule = parseRule(value);
  assert.ok(rule);
  return rule;
};

const due = (written: string, hasTime: boolean, zone = 'UTC') => {
  const parsed = parseDateTime(written);
  assert.ok(parsed);
  return toDueFields(parsed, hasTime, zone);
};

interface Case {
  readonly name: string;
  readonly written: string;
  readonly hasTime: boolean;
  readonly rule: Record<string, unknown>;
  readonly zone?: string;
  /** The owner's zone when the task is closed, if it changed. */
  readonly movedTo?: string;
  readonly now: string;
  readonly next: string | null;
  readonly number?: number;
}

const CASES: Case[] = [
  {
    name: 'closing on time moves to the next occurrence',
    written: '2026-05-10T18:00:00Z',
    hasTime: true,
    rule: { freq: 'daily' },
    now: '2026-05-10T18:05:00Z',
    next: '2026-05-11T18:00:00.000Z',
  },
  {
    name: 'closing before the due time moves to the occurrence after it',
    written: '2026-05-10T18:00:00Z',
    hasTime: true,
    rule: { freq: 'daily' },
    now: '2026-05-09T08:00:00Z',
    next: '2026-05-11T18:00:00.000Z',
  },
  {
    name: 'with from: completion, the next occurrence is never on the day of completion, even before the due time',
    written: '2026-05-10T18:00:00Z',
    hasTime: true,
    rule: { freq: 'daily', interval: 3, from: 'completion' },
    now: '2026-05-11T10:00:00Z',
    next: '2026-05-14T18:00:00.000Z',
  },
  {
    name: 'with from: completion, an all-day task counts from the date of completion',
    written: '2026-05-10T00:00:00Z',
    hasTime: false,
    rule: { freq: 'weekly', from: 'completion' },
    now: '2026-05-13T10:00:00Z',
    next: '2026-05-20T00:00:00.000Z',
  },
  {
    name: 'with from: completion, count limits the completions',
    written: '2026-05-10T18:00:00Z',
    hasTime: true,
    rule: { freq: 'daily', count: 2, from: 'completion' },
    now: '2026-05-10T19:00:00Z',
    next: null,
    number: 2,
  },
  {
    name: 'an all-day task that is closed days late moves past today',
    written: '2026-05-01T23:59:00+02:00',
    hasTime: false,
    rule: { freq: 'daily' },
    zone: 'Europe/Paris',
    now: '2026-05-05T08:00:00Z',
    next: '2026-05-06T21:59:00.000Z',
  },
  {
    name: 'after a change of the owner’s zone, the wall time stays the same in the new zone',
    written: '2026-05-10T09:00:00',
    hasTime: true,
    rule: { freq: 'daily' },
    zone: 'America/New_York',
    movedTo: 'Asia/Tokyo',
    now: '2026-05-10T14:00:00Z',
    next: '2026-05-11T00:00:00.000Z',
  },
  {
    name: 'after a move west, the closed occurrence does not come again on the same day',
    written: '2026-05-10T09:00:00',
    hasTime: true,
    rule: { freq: 'daily' },
    zone: 'Europe/Berlin',
    movedTo: 'Europe/London',
    now: '2026-05-10T07:05:00Z',
    next: '2026-05-11T08:00:00.000Z',
  },
  {
    name: 'after a move west, a first occurrence that was written in UTC does not come again either',
    written: '2026-05-10T00:00:00Z',
    hasTime: true,
    rule: { freq: 'weekly' },
    zone: 'Asia/Tokyo',
    movedTo: 'America/Los_Angeles',
    now: '2026-05-10T00:05:00Z',
    next: '2026-05-17T16:00:00.000Z',
  },
  {
    name: 'closing the last occurrence of a rule gives no next one',
    written: '2026-05-10T00:00:00Z',
    hasTime: false,
    rule: { freq: 'daily', until: '2026-05-11' },
    now: '2026-05-11T10:00:00Z',
    next: null,
  },
];

for (const { name, written, hasTime, rule, zone = 'UTC', movedTo = zone, now, next, number = 1 } of CASES) {
  test(name, () => {
    const task = { ...due(written, hasTime, zone), occurrence_number: number };
    const found = nextDueFields(task, ruleOf(rule), movedTo, new Date(now));
    assert.equal(found?.due_at?.toISOString() ?? null, next);
    if (found) assert.equal(found.has_time, hasTime);
  });
}

/** Each dose is closed at the given time; the next one follows from the one before. */
const DOSES: [name: string, zone: string, rule: object, taken: [at: string, next: string][]][] = [
  [
    'six hours after the last dose, at night not before the hours begin again',
    'Europe/Amsterdam',
    { between: ['08:00', '22:00'] },
    [
      ['2026-03-28T08:20', '2026-03-28T14:20'],
      ['2026-03-28T16:00', '2026-03-28T22:00'],
      // Clocks go forward in that night.
      ['2026-03-28T22:05', '2026-03-29T08:00'],
      ['2026-03-29T03:30', '2026-03-29T09:30'],
    ],
  ],
  [
    'at most so many a day, counted by the day on which they were taken',
    'Europe/Amsterdam',
    { between: ['06:00', '23:00'], per_day: 2 },
    [
      ['2026-10-24T06:00', '2026-10-24T12:00'],
      ['2026-10-24T12:30', '2026-10-25T06:00'],
      ['2026-10-24T13:00', '2026-10-25T06:00'],
      ['2026-10-25T06:10', '2026-10-25T12:10'],
      ['2026-10-25T12:10', '2026-10-26T06:00'],
    ],
  ],
  [
    'hours that pass midnight belong to the day on which they begin',
    'America/New_York',
    { between: ['20:00', '04:00'], per_day: 2 },
    [
      ['2026-05-10T20:00', '2026-05-11T02:00'],
      ['2026-05-11T02:00', '2026-05-11T20:00'],
      ['2026-05-11T21:00', '2026-05-12T03:00'],
    ],
  ],
];
for (const [name, zone, hours, taken] of DOSES) {
  test(`a dose comes ${name}`, () => {
    const rule = ruleOf({ freq: 'hourly', interval: 6, from: 'completion', ...hours });
    let task = { ...due('2026-01-01T08:00', true, zone), occurrence_number: 1 };
    for (const [at, next] of taken) {
      const now = new Date(Temporal.PlainDateTime.from(at).toZonedDateTime(zone).epochMilliseconds);
      const found = nextDueFields(task, rule, zone, now) ?? assert.fail(at);
      const wall = Temporal.Instant.fromEpochMilliseconds(Number(found.due_at)).toZonedDateTimeISO(zone);
      assert.equal(wall.toPlainDateTime().toString({ smallestUnit: 'minute' }), next);
      assert.equal(parseSeriesFirst(found.series_first ?? ''), found.series_first, 'an archive keeps what was counted');
      task = { ...task, ...found };
    }
  });
}

test('hours that are not two times, or stand where they have no place, are ignored as before', () => {
  const plain = { freq: 'hourly', from: 'completion' };
  for (const between of ['8 to 22', ['08:00'], ['8', '22'], ['08:00', '08:00'], 7, {}]) {
    assert.deepEqual(ruleOf({ ...plain, between }), ruleOf(plain));
    assert.equal(hasUnreadKeys({ ...plain, between }), true);
  }
  assert.equal(hasUnreadKeys({ freq: 'hourly', between: ['08:00', '22:00'] }), true);
  assert.equal(hasUnreadKeys({ ...plain, between: ['08:00', '22:00'], per_day: 3 }), false);
  assert.equal(hasUnreadKeys({ ...plain, per_day: 3 }), true);
});

test('a task without a time is overdue from the end of its day in the owner’s zone', () => {
  const fields = due('2026-05-10T23:30:00-10:00', false, 'Pacific/Auckland');
  assert.equal(fields.due_at?.toISOString(), '2026-05-11T09:30:00.000Z');
  assert.equal(overdueFrom(dueOf(fields), 'Pacific/Auckland')?.toISOString(), '2026-05-11T12:00:00.000Z');
});

const DAYS: [written: string, zone: string, day: string, why: string][] = [
  ['2031-10-24T22:00:00Z', 'Europe/Amsterdam', '2031-10-25', 'midnight in the owner’s zone'],
  ['2031-10-25T00:00:00+02:00', 'Europe/Amsterdam', '2031-10-25', 'midnight in the owner’s zone, as written'],
  ['2031-10-25T00:00:00Z', 'America/New_York', '2031-10-25', 'midnight as written'],
  ['2031-10-25T00:00:00+12:00', 'Pacific/Honolulu', '2031-10-25', 'midnight as written, a day before there'],
  ['2031-10-25T00:00:00+14:00', 'Pacific/Honolulu', '2031-10-24', 'midnight in both, so that of the owner’s zone'],
  ['2031-10-25T00:00:00-04:00', 'Asia/Tokyo', '2031-10-25', 'midnight as written'],
  ['2031-10-25T04:00:00Z', 'America/New_York', '2031-10-25', 'midnight in the owner’s zone, in UTC'],
  ['2031-10-25T23:30:00Z', 'Asia/Tokyo', '2031-10-26', 'the day it is in the owner’s zone'],
  ['2031-10-25T20:00:00-04:00', 'America/New_York', '2031-10-25', 'the day it is there, though midnight in UTC'],
  ['2031-10-25T00:00:00.001Z', 'America/New_York', '2031-10-24', 'not midnight'],
  ['2031-10-25T23:59:59', 'Pacific/Honolulu', '2031-10-25', 'the date as written without an offset'],
  ['2031-10-25T00:00:00', 'Asia/Tokyo', '2031-10-25', 'the date as written without an offset'],
  ['9999-12-31T23:00:00Z', 'Asia/Tokyo', '9999-12-31', 'a day that can be stored'],
  ['0001-01-01T01:00:00Z', 'America/New_York', '0001-01-01', 'a day that can be stored'],
];
for (const [written, zone, day, why] of DAYS) {
  test(`for a task without a time, ${written} in ${zone} means ${day}: ${why}`, () => {
    assert.equal(dueDate(due(written, false, zone))?.toString(), day);
  });
}

/** As the API shows it, and as a client in the owner's zone does. */
const shownForms = (instant: Date, zone: string): string[] => {
  const local = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);
  return [instant.toISOString(), local.toString({ timeZoneName: 'never' })];
};

const ZONES = Intl.supportedValuesOf('timeZone');
const OFFSETS = ['', 'Z', '+14:00', '+09:00', '+05:45', '+02:00', '-03:30', '-04:00', '-10:00', '-12:00'];
const writtenDates = (zone: string) =>
  fc
    .record({
      at: fc.date({ min: new Date('1973-01-01T00:00Z'), max: new Date('2090-12-31T00:00Z'), noInvalidDate: true }),
      isNearChange: fc.boolean(),
      time: fc.constantFrom(
        '00:00:00',
        '00:00:00',
        '01:00:00',
        '09:30:00',
        '12:00:00',
        '19:00:00',
        '20:00:00',
        '23:59:59',
      ),
      offset: fc.constantFrom(...OFFSETS),
    })
    .map(({ at, isNearChange, time, offset }) => {
      const moment = Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone);
      const near = (isNearChange && moment.getTimeZoneTransition('next')) || moment;
      return `${near.toPlainDate()}T${time}${offset}`;
    });

test('the due_at of a task without a time, sent with a new task, means the same day, in every zone', () => {
  for (const [index, zone] of ZONES.entries()) {
    const property = fc.property(writtenDates(zone), (written) => {
      const fields = due(written, false, zone);
      assert.ok(fields.due_at);
      for (const form of shownForms(fields.due_at, zone)) {
        const again = due(form, false, zone);
        assert.equal(dueDate(again)?.toString(), dueDate(fields)?.toString(), `${written} → ${form} in ${zone}`);
        assert.deepEqual(again.due_at, fields.due_at);
      }
    });
    fc.assert(property, { seed: 1605 + index, numRuns: sized(2, 100) });
  }
});

test('a day that a zone skipped keeps its date', () => {
  const skipped = due('2011-12-30T00:00:00', false, 'Pacific/Apia');
  assert.equal(dueDate(skipped)?.toString(), '2011-12-30');
  assert.equal(dueDate(due(skipped.due_at?.toISOString() ?? '', false, 'Pacific/Apia'))?.toString(), '2011-12-30');
});

test('an all-day series stays on its days, and sent back means them, over every change of clocks', () => {
  for (const zone of ['America/New_York', 'Europe/Amsterdam', 'America/Santiago']) {
    for (const time of ['00:00:00', '19:00:00', '20:00:00']) {
      const offset = Temporal.ZonedDateTime.from(`2031-01-01T${time}[${zone}]`).offset;
      let fields = due(`2031-01-01T${time}${offset}`, false, zone);
      for (let number = 1; number <= 370; number += 1) {
        const day = Temporal.PlainDate.from('2031-01-01').add({ days: number });
        const now = new Date(fields.due_at?.getTime() ?? Number.NaN);
        const next = nextDueFields({ ...fields, occurrence_number: number }, ruleOf({ freq: 'daily' }), zone, now);
        assert.ok(next?.due_at);
        fields = next;
        for (const form of shownForms(next.due_at, zone)) {
          assert.equal(dueDate(due(form, false, zone))?.toString(), day.toString(), `${form} in ${zone}`);
        }
      }
    }
  }
});

test('a rule with a count has that many occurrences, also if the owner moves west after each', () => {
  const zones = ['Asia/Tokyo', 'Europe/Berlin', 'America/New_York', 'America/Los_Angeles', 'Pacific/Honolulu'];
  const dates: string[] = [];
  let fields: DueFields | null = due('2026-05-10T09:00:00', true, 'Asia/Tokyo');
  for (let number = 1; fields?.due_at; number += 1) {
    const zone = zones[number % zones.length] ?? 'UTC';
    dates.push(fields.due_at.toISOString());
    const closed: DueFields & { occurrence_number: number } = { ...fields, occurrence_number: number };
    fields = nextDueFields(closed, ruleOf({ freq: 'daily', count: 4 }), zone, fields.due_at);
  }
  // 9:00 of the 10th in Tokyo, of the 11th in Berlin, of the 12th in New York, of the 13th in Los Angeles.
  const days = ['10T00:00', '11T07:00', '12T13:00', '13T16:00'];
  assert.deepEqual(
    dates,
    days.map((day) => `2026-05-${day}:00.000Z`),
  );
});

test('a task without a time stays on its day when the owner’s zone changes', () => {
  for (const [index, from] of ZONES.entries()) {
    const to = ZONES[(index * 7 + 100) % ZONES.length] ?? 'UTC';
    const fields = due('2031-10-25T00:00:00', false, from);
    const moved = dueInstant(fields, to);
    assert.ok(moved);
    for (const form of shownForms(moved, to)) {
      assert.equal(dueDate(due(form, false, to))?.toString(), '2031-10-25', `${from} → ${to}`);
    }
  }
});

const AMSTERDAM = 'Europe/Amsterdam';
const series = (written: string, hasTime = true, zone = AMSTERDAM) => ({
  ...due(written, hasTime, zone),
  occurrence_number: 1,
});
const at = (written: string) => parseDateTime(written) ?? assert.fail(written);
const next = (task: ReturnType<typeof series>, rule: Record<string, unknown>, now: string, zone = AMSTERDAM) =>
  nextDueFields(task, ruleOf(rule), zone, new Date(now))?.due_at?.toISOString() ?? null;

test('a task that is never due has no series, no day and no moment to be overdue', () => {
  const never = { due_at: null, due_written: null, series_first: null };
  for (const has_time of [true, false]) {
    assert.deepEqual(toDueFields(null, has_time, AMSTERDAM), { ...never, has_time });
    assert.equal(dueOf({ ...never, has_time }), null);
    assert.equal(dueInstant({ ...never, has_time }, AMSTERDAM), null);
    assert.equal(next({ ...never, has_time, occurrence_number: 1 }, { freq: 'daily' }, '2026-03-02T09:00:00Z'), null);
  }
  assert.equal(overdueFrom(null, AMSTERDAM), null);
  const due_at = new Date('2026-03-02T09:00:00Z');
  assert.equal(overdueFrom(due_at, AMSTERDAM), due_at);
  const broken = { ...series('2026-03-02T09:00:00Z'), series_first: null };
  assert.equal(next(broken, { freq: 'daily' }, '2026-03-02T09:00:00Z'), null);
});

test('what is stored is what was written, with the offset of the zone if there was none', () => {
  assert.equal(due('2026-07-02T09:00:00', true, AMSTERDAM).due_written, '2026-07-02T09:00:00+02:00');
  assert.equal(due('2026-07-02T09:00:00-05:00', true, AMSTERDAM).due_written, '2026-07-02T09:00:00-05:00');
  assert.equal(due('2026-07-02T00:00:00', false, AMSTERDAM).due_written, '2026-07-02T00:00:00');
  assert.equal(
    formatWritten({ wall: Temporal.PlainDateTime.from('2026-07-02T09:00'), offset: null }),
    '2026-07-02T09:00:00',
  );
  const skipped = allDayDue(Temporal.PlainDate.from('2011-12-30'), Temporal.PlainTime.from('09:00'), 'Pacific/Apia');
  assert.deepEqual(
    [skipped.due_written, skipped.due_at.toISOString()],
    ['2011-12-30T00:00:00Z', '2011-12-30T00:00:00.000Z'],
  );
  // The half hour is the day before in UTC, and the one in March does not exist.
  for (const written of ['2026-03-05T00:30:00', '2026-03-29T02:30:00'])
    assert.equal(due(written, false, AMSTERDAM).due_written, written);
  assert.equal(parseStoredDue(null), null);
  assert.equal(parseStoredDue('2026-07-02T09:00:00Z')?.offset, 'Z');
  assert.throws(() => parseStoredDue('soon'), /soon/);
});

test('years have four digits, and the first and the last of them are stored too', () => {
  const isKept = (wall: string) => isStorable(Temporal.PlainDateTime.from(wall));
  assert.deepEqual(
    ['-000001-12-31T00:00', '0000-12-31T23:59', '0001-01-01T00:00', '0001-06-01T00:00', '0002-01-01T00:00'].map(isKept),
    [false, false, false, true, true],
  );
  assert.deepEqual(['9998-12-31T00:00', '9999-06-01T00:00', '9999-12-31T23:59', '+010000-01-01T00:00'].map(isKept), [
    true,
    true,
    false,
    false,
  ]);
  const last = { ...series('9999-12-30T08:00:00', false), occurrence_number: 2 };
  assert.equal(next(last, { freq: 'yearly' }, '2026-03-02T09:00:00Z'), null);
  const late = { ...series('9999-12-30T23:59:00', false), occurrence_number: 2 };
  assert.equal(next(late, { freq: 'daily' }, '2026-03-02T09:00:00Z'), null);
  const date = (written: string, zone: string) => dueDate(due(written, false, zone))?.toString();
  assert.equal(date('9999-12-31T12:00:00+02:00', 'Pacific/Auckland'), '9999-12-31');
  assert.equal(date('0001-01-01T12:00:00Z', 'America/New_York'), '0001-01-01');
  assert.deepEqual(
    [date('0001-06-01T23:30:00Z', 'Asia/Tokyo'), date('9999-06-01T23:30:00Z', 'Asia/Tokyo')],
    ['0001-06-02', '9999-06-02'],
  );
});

test('a caller names the occurrence of a day by any moment of that day, and of a time by that moment', () => {
  const day = { ...due('2026-03-02T00:00:00', false, AMSTERDAM) };
  const named = (task: DueFields, written: string) => namedOccurrence(task, at(written), AMSTERDAM).toISOString();
  const midnight = '2026-03-01T23:00:00.000Z';
  for (const written of ['2026-03-02T00:00:00Z', '2026-03-02T00:00:00', '2026-03-02T15:30:00Z', '2026-03-01T23:00:00Z'])
    assert.equal(named(day, written), midnight, written);
  assert.equal(named(day, '2026-03-03T15:30:00Z'), '2026-03-03T15:30:00.000Z');
  assert.equal(named(due('2026-03-02T09:00:00Z', true), '2026-03-02T10:00:00Z'), '2026-03-02T10:00:00.000Z');
  assert.equal(named({ ...day, due_at: null, due_written: null }, '2026-03-02T10:00:00Z'), '2026-03-02T10:00:00.000Z');
});

test('a rule of hours goes on in its step, leaves out what has passed, and ends for a task without a time', () => {
  const task = series('2026-03-02T09:00:00Z');
  const rule = { freq: 'hourly', interval: 3 };
  assert.equal(next(task, rule, '2026-03-02T08:00:00Z'), '2026-03-02T12:00:00.000Z');
  assert.equal(next(task, rule, '2026-03-02T09:30:00Z'), '2026-03-02T12:00:00.000Z');
  assert.equal(next(task, rule, '2026-03-02T20:30:00Z'), '2026-03-02T21:00:00.000Z');
  const completion = { ...rule, from: 'completion' };
  assert.equal(next(task, completion, '2026-03-02T09:30:00Z'), '2026-03-02T12:30:00.000Z');
  assert.equal(next(task, { ...completion, count: 2 }, '2026-03-02T09:30:00Z'), '2026-03-02T12:30:00.000Z');
  assert.equal(next({ ...task, occurrence_number: 2 }, { ...completion, count: 2 }, '2026-03-02T09:30:00Z'), null);
  assert.equal(next(task, { ...rule, count: 2 }, '2026-03-02T09:30:00Z'), '2026-03-02T12:00:00.000Z');
  assert.equal(next(task, { ...rule, count: 2 }, '2026-03-02T12:30:00Z'), null);
  assert.equal(next(series('2026-03-02T00:00:00', false), rule, '2026-03-02T09:30:00Z'), null);
  assert.equal(
    next(task, { ...completion, between: ['08:00', '22:00'], until: '2026-03-02' }, '2026-03-02T20:30:00Z'),
    null,
  );
  const within = nextDueFields(
    task,
    ruleOf({ ...completion, between: ['08:00', '22:00'] }),
    AMSTERDAM,
    new Date('2026-03-02T09:30:00Z'),
  );
  assert.equal(within?.series_first, '2026-03-02T10:00:00', 'nothing is counted without a limit');
  const moved = { ...task, ...movedDueFields(task, at('2026-03-02T10:30:00Z'), AMSTERDAM) };
  assert.equal(next(moved, rule, '2026-03-02T08:00:00Z'), '2026-03-02T12:00:00.000Z');
});

test('from completion, the next occurrence is never on the day of completion; otherwise it may be', () => {
  const task = series('2026-03-02T09:00:00Z');
  assert.equal(next(task, { freq: 'daily', from: 'completion' }, '2026-03-04T07:00:00Z'), '2026-03-05T09:00:00.000Z');
  assert.equal(next(task, { freq: 'daily' }, '2026-03-04T07:00:00Z'), '2026-03-04T09:00:00.000Z');
  const day = series('2026-03-02T00:00:00', false);
  assert.equal(next(day, { freq: 'daily' }, '2026-02-20T07:00:00Z'), '2026-03-02T23:00:00.000Z');
  assert.equal(next(day, { freq: 'daily' }, '2026-03-04T07:00:00Z'), '2026-03-04T23:00:00.000Z');
  assert.equal(
    next({ ...day, due_written: null }, { freq: 'daily' }, '2026-03-04T07:00:00Z'),
    '2026-03-04T23:00:00.000Z',
  );
  assert.equal(next(day, { freq: 'daily', until: '2026-03-04' }, '2026-03-04T07:00:00Z'), null);
});

test('the occurrences between a closed one and the next are counted, up to a hundred', () => {
  const passed = (task: ReturnType<typeof series>, rule: Record<string, unknown>, until: string) => {
    const { first, last, count } = passedOver(task, ruleOf(rule), AMSTERDAM, new Date(until)) ?? {};
    return [first?.toISOString(), last?.toISOString(), count];
  };
  const task = series('2026-03-02T09:00:00Z');
  const two = ['2026-03-03T09:00:00.000Z', '2026-03-04T09:00:00.000Z', 2];
  assert.deepEqual(passed(task, { freq: 'daily' }, '2026-03-05T09:00:00Z'), two, 'the next one has not passed');
  assert.deepEqual(passed(task, { freq: 'daily', count: 3 }, '2026-03-09T09:00:00Z'), two, 'the series has ended');
  const moved = { ...task, ...movedDueFields(task, at('2026-03-02T20:00:00Z'), AMSTERDAM) };
  assert.deepEqual(passed(moved, { freq: 'daily' }, '2026-03-05T09:00:00Z'), two);
  const [first] = two;
  assert.deepEqual(passed(task, { freq: 'daily' }, '2026-03-03T10:00:00Z'), [first, first, 1]);
  const many = ['2026-03-03T09:00:00.000Z', '2026-06-10T08:00:00.000Z', MOST_COUNTED];
  assert.deepEqual(passed(task, { freq: 'daily' }, '2027-03-05T09:00:00Z'), many);
  assert.deepEqual(passed(series('1890-03-02T09:00:00Z'), { freq: 'daily' }, '1890-03-05T09:00:00Z'), [
    '1890-03-03T09:00:00.000Z',
    '1890-03-04T09:00:00.000Z',
    2,
  ]);
  const none = [undefined, undefined, undefined];
  assert.deepEqual(passed(task, { freq: 'daily' }, '2026-03-03T09:00:00Z'), none);
  assert.deepEqual(passed(task, { freq: 'daily', from: 'completion' }, '2026-03-09T09:00:00Z'), none);
  assert.deepEqual(passed({ ...task, due_at: null }, { freq: 'daily' }, '2026-03-09T09:00:00Z'), none);
});

test('a moved occurrence keeps the date of its rule beside it, however often it is moved', () => {
  const task = series('2026-03-02T09:00:00.5Z');
  const moved = { ...task, ...movedDueFields(task, at('2026-03-05T10:00:00Z'), AMSTERDAM) };
  assert.equal(moved.due_at?.toISOString(), '2026-03-05T10:00:00.000Z');
  assert.equal(moved.series_first, '2026-03-02T10:00:00.5[due=20260302T100000-500]');
  const again = movedDueFields(moved, at('2026-03-06T10:00:00Z'), AMSTERDAM);
  assert.deepEqual([again.due_written, again.series_first], ['2026-03-06T10:00:00Z', moved.series_first]);
  const byRule = asByRule(moved, AMSTERDAM);
  assert.deepEqual(
    [byRule.due_at?.toISOString(), byRule.due_written],
    ['2026-03-02T09:00:00.500Z', '2026-03-02T10:00:00.5'],
  );
  assert.equal(asByRule(task, AMSTERDAM), task);
  const day = series('2026-03-02T15:30:00', false);
  const movedDay = movedDueFields(day, at('2026-03-05T00:00:00'), AMSTERDAM);
  assert.deepEqual(
    [movedDay.due_written, movedDay.series_first],
    ['2026-03-05T00:00:00', '2026-03-02T15:30:00[due=20260302T000000-000]'],
  );
  const counted = { ...task, series_first: '2026-03-02T10:00:00[day=20260302-001]' };
  assert.equal(
    movedDueFields(counted, at('2026-03-05T10:00:00Z'), AMSTERDAM).series_first,
    '2026-03-02T10:00:00[day=20260302-001][due=20260302T100000-500]',
  );
  for (const missing of [{ due_at: null }, { due_written: null }, { series_first: null }])
    assert.deepEqual(
      movedDueFields({ ...task, ...missing }, at('2026-03-05T10:00:00Z'), AMSTERDAM),
      due('2026-03-05T10:00:00Z', true, AMSTERDAM),
    );
});

test('of the first date of a series an archive keeps what is well written, and nothing else', () => {
  const date = '2026-03-02T09:00:00';
  const [counted, byRule] = ['[day=20260302-002]', '[due=20260305T110000-500]'];
  for (const text of [date, date + counted, date + byRule, date + counted + byRule])
    assert.equal(parseSeriesFirst(text), text);
  assert.equal(parseSeriesFirst(`${date}[day=20261302-002]`), date, 'what was counted on a day that does not exist');
  for (const text of [
    '',
    'x',
    `${date}Z`,
    `${date}${counted}x`,
    `${date}x${counted}`,
    `${date}${counted}\n[x]`,
    `${date}[other]`,
    `${date}${byRule}x`,
    `${date}${byRule}${counted}`,
    `${date}[due=20261305T110000-500]`,
    `${date}[due=2026030aT110000-500]`,
    `${date}[due=20260305T250000-500]`,
    `${date}[due=20260305T110000-5]`,
    byRule,
  ])
    assert.equal(parseSeriesFirst(text), undefined, text);
});

test('a closed occurrence is found on the wall clock of the present zone', () => {
  const closed = (task: ReturnType<typeof series>) => new Date(closedInZone(task, 'America/New_York')).toISOString();
  const task = series('2026-03-02T09:00:00Z');
  assert.equal(closed(task), '2026-03-02T15:00:00.000Z', 'the first one by the zone of its owner then');
  assert.equal(closed({ ...task, occurrence_number: 2 }), '2026-03-02T14:00:00.000Z', 'a later one as it is stored');
  assert.equal(closed({ ...task, series_first: null }), '2026-03-02T14:00:00.000Z');
  assert.equal(closedInZone({ ...task, occurrence_number: 2, due_written: null }, AMSTERDAM), 0);
});
