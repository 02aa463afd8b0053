import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sized } from '../../test/support/size.ts';
import { parseDateTime } from '../lib/date-time.ts';
import { hasUnreadKeys, parseRule } from '../recurrence/parse-rule.ts';
import type { Rule } from '../recurrence/rule.ts';
import {
  type DueFields,
  dueDate,
  dueInstant,
  dueOf,
  nextDueFields,
  overdueFrom,
  parseSeriesFirst,
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
