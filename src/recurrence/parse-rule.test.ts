import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sized } from '../../test/support/size.ts';
import { parseRule } from './parse-rule.ts';
import { type DayRule, type Rule, RuleError } from './rule.ts';

type Written = Record<string, unknown>;

function parse(value: Written): Rule {
  const rule = parseRule(value);
  assert.ok(rule, 'the object is free-form');
  return rule;
}

const PLAIN: DayRule = {
  freq: 'daily',
  interval: 1,
  byWeekday: [],
  byMonthDay: [],
  byMonth: [],
  bySetPos: [],
  byTime: [],
  until: null,
  count: null,
  from: 'due',
  weekStart: 1,
  clampToMonthEnd: false,
};

const VALID: [Written, Partial<DayRule>][] = [
  [{ freq: 'daily' }, {}],
  [
    { freq: 'DAILY', interval: 1000, count: 10_000 },
    { interval: 1000, count: 10_000 },
  ],
  [
    { freq: 'Weekly', by_weekday: 'mo' },
    { freq: 'weekly', byWeekday: [{ day: 1, nth: null }] },
  ],
  [
    { freq: 'weekly', by_weekday: ['Mon', 'SUNDAY', 'mo', 'tuesday'] },
    {
      freq: 'weekly',
      byWeekday: [
        { day: 1, nth: null },
        { day: 7, nth: null },
        { day: 2, nth: null },
      ],
    },
  ],
  [
    { freq: 'monthly', by_weekday: ['1mo', '-1fr', '+2tu', '2tue', 'fr'] },
    {
      freq: 'monthly',
      byWeekday: [
        { day: 1, nth: 1 },
        { day: 5, nth: -1 },
        { day: 2, nth: 2 },
        { day: 5, nth: null },
      ],
    },
  ],
  [
    { freq: 'yearly', by_weekday: '-53su' },
    { freq: 'yearly', byWeekday: [{ day: 7, nth: -53 }] },
  ],
  [
    { freq: 'monthly', by_month_day: [31, -31, 1, 31] },
    { freq: 'monthly', byMonthDay: [-31, 1, 31] },
  ],
  [
    { freq: 'daily', by_month: 12, by_set_pos: -1 },
    { byMonth: [12], bySetPos: [-1] },
  ],
  [{ freq: 'daily', by_month: [], interval: null, until: null, count: null, from: null }, {}],
  [{ freq: 'daily', from: 'completion', colour: 'green', unit: 'mg' }, { from: 'completion' }],
  [{ freq: 'daily', '': 'su', weekStart: 'su', wkst: 'su' }, {}],
  [{ freq: 'daily', rrule: 7 }, {}],
  [{ freq: 'monthly' }, { freq: 'monthly', clampToMonthEnd: true }],
  [
    { freq: 'yearly', by_month: 2 },
    { freq: 'yearly', byMonth: [2], clampToMonthEnd: true },
  ],
  [{ rrule: 'FREQ=MONTHLY' }, { freq: 'monthly' }],
  [
    { rrule: 'rrule:freq=weekly;byday=mo;wkst=su', freq: 'yearly' },
    { freq: 'weekly', byWeekday: [{ day: 1, nth: null }], weekStart: 7 },
  ],
  [
    { rrule: ' RRULE:FREQ=DAILY;INTERVAL=02;COUNT=3\r\n', from: 'completion' },
    { interval: 2, count: 3, from: 'completion' },
  ],
  [
    { rrule: 'FREQ=YEARLY;BYMONTH=1,2;BYMONTHDAY=+1,-1;BYSETPOS=1;BYDAY=+1MO,-5SU' },
    {
      freq: 'yearly',
      byMonth: [1, 2],
      byMonthDay: [-1, 1],
      bySetPos: [1],
      byWeekday: [
        { day: 1, nth: 1 },
        { day: 7, nth: -5 },
      ],
    },
  ],
];
for (const [written, expected] of VALID) {
  test(`${JSON.stringify(written)} is parsed`, () => assert.deepEqual(parse(written), { ...PLAIN, ...expected }));
}

const times = (...texts: string[]) => texts.map((text) => Temporal.PlainTime.from(text));
const TIMES: [unknown, string[]][] = [
  [
    ['20:00', '08:00', '20:00'],
    ['08:00', '20:00'],
  ],
  ['23:59', ['23:59']],
  [[], []],
  [null, []],
];
for (const [written, expected] of TIMES) {
  test(`the times ${JSON.stringify(written)} are parsed in ascending order`, () => {
    const { byTime } = parse({ freq: 'daily', by_time: written }) as DayRule;
    assert.deepEqual(byTime.map(String), times(...expected).map(String));
  });
}

/** An object in the words of a person, of an assistant or of another program, and the same object in ours. */
const SPELLINGS: [Written, Written][] = [
  [{ frequency: 'daily' }, { freq: 'daily' }],
  [{ type: 'weekly' }, { freq: 'weekly' }],
  [{ type: 'custom', freq: 'daily' }, { freq: 'daily' }],
  [
    { unit: 'days', interval: 3 },
    { freq: 'daily', interval: 3 },
  ],
  [
    { every: 2, unit: 'weeks' },
    { freq: 'weekly', interval: 2 },
  ],
  [{ every: 'Day' }, { freq: 'daily' }],
  [
    { every: 'month', interval: 2 },
    { freq: 'monthly', interval: 2 },
  ],
  [{ freq: 'WEEK' }, { freq: 'weekly' }],
  [{ freq: 'month' }, { freq: 'monthly' }],
  [{ freq: 'annually' }, { freq: 'yearly' }],
  [{ freq: 'years' }, { freq: 'yearly' }],
  [
    { freq: 'weekly', byday: ['MO'] },
    { freq: 'weekly', by_weekday: ['mo'] },
  ],
  [
    { freq: 'weekly', byDay: 'MO' },
    { freq: 'weekly', by_weekday: ['mo'] },
  ],
  [
    { freq: 'weekly', byweekday: ['mo', 'we'] },
    { freq: 'weekly', by_weekday: ['mo', 'we'] },
  ],
  [
    { freq: 'weekly', days: ['Monday', 'thu'] },
    { freq: 'weekly', by_weekday: ['mo', 'th'] },
  ],
  [
    { freq: 'monthly', 'by-month-day': 1 },
    { freq: 'monthly', by_month_day: 1 },
  ],
  [
    { freq: 'daily', end_date: '2027-01-31' },
    { freq: 'daily', until: '2027-01-31' },
  ],
  [
    { freq: 'daily', endDate: '2027-01-31' },
    { freq: 'daily', until: '2027-01-31' },
  ],
  [{ freq: 'daily', frequency: 'DAY', unit: 'days', every: 'day' }, { freq: 'daily' }],
  [
    { freq: 'weekly', by_weekday: ['mo', 'th'], days: ['Thursday', 'Monday'], interval: 2, every: 2 },
    { freq: 'weekly', by_weekday: ['mo', 'th'], interval: 2 },
  ],
  [
    { freq: 'daily', until: '2027-01-31', end_date: '2027-01-31', every: null },
    { freq: 'daily', until: '2027-01-31' },
  ],
  [
    { RRULE: 'FREQ=WEEKLY', From: 'completion' },
    { rrule: 'FREQ=WEEKLY', from: 'completion' },
  ],
];
for (const [written, ours] of SPELLINGS) {
  test(`${JSON.stringify(written)} means ${JSON.stringify(ours)}`, () => {
    assert.equal(JSON.stringify(parse(written)), JSON.stringify(parse(ours)));
  });
}

const CONTRADICTIONS: [Written, string][] = [
  [{ freq: 'daily', frequency: 'weekly' }, 'frequency'],
  [{ freq: 'daily', type: 'week' }, 'type'],
  [{ every: 'day', unit: 'weeks' }, 'every'],
  [{ freq: 'daily', interval: 2, every: 3 }, 'every'],
  [{ freq: 'weekly', by_weekday: 'mo', days: ['mo', 'tu'] }, 'days'],
  [{ freq: 'weekly', byday: 'mo', byDay: 'tu' }, 'byDay'],
  [{ freq: 'daily', until: '2027-01-31', end_date: '2027-01-31T00:00' }, 'end_date'],
  [{ rrule: 'FREQ=DAILY', RRULE: 'FREQ=WEEKLY' }, 'RRULE'],
];
for (const [written, key] of CONTRADICTIONS) {
  test(`${JSON.stringify(written)} contradicts itself and is rejected for its ${key}`, () => {
    assert.match(assertRejected(written, key), /contradict/);
  });
}

const CLOCK_RULES: [Written, Partial<Rule>][] = [
  [{ freq: 'hourly' }, { freq: 'hourly' }],
  [
    { every: 4, unit: 'hours' },
    { freq: 'hourly', interval: 4 },
  ],
  [
    { freq: 'minutely', interval: 90, count: 5, from: 'completion', by_weekday: [] },
    { freq: 'minutely', interval: 90, count: 5, from: 'completion' },
  ],
];
for (const [written, expected] of CLOCK_RULES) {
  test(`${JSON.stringify(written)} is parsed as a rule of hours or minutes`, () => {
    assert.deepEqual(parse(written), { interval: 1, until: null, count: null, from: 'due', ...expected });
  });
}

const UNTILS: [Written, string, string][] = [
  [{ freq: 'daily', until: '2026-12-31' }, 'date', '2026-12-31'],
  [{ freq: 'daily', until: '2026-12-31T09:00' }, 'wall', '2026-12-31T09:00:00'],
  [{ freq: 'daily', until: '2026-12-31T09:00:00.5Z' }, 'instant', '2026-12-31T09:00:00.5Z'],
  [{ freq: 'daily', until: '2026-12-31t09:00+05:45' }, 'instant', '2026-12-31T03:15:00Z'],
  [{ rrule: 'FREQ=DAILY;UNTIL=20261231' }, 'date', '2026-12-31'],
  [{ rrule: 'FREQ=DAILY;UNTIL=20261231T090000' }, 'wall', '2026-12-31T09:00:00'],
  [{ rrule: 'FREQ=DAILY;UNTIL=20261231T090000Z' }, 'instant', '2026-12-31T09:00:00Z'],
];
for (const [written, kind, value] of UNTILS) {
  test(`the until of ${JSON.stringify(written)} is parsed as written`, () => {
    const { until } = parse(written);
    assert.equal(until?.kind, kind);
    assert.equal(
      Object.values(until ?? {})
        .at(-1)
        ?.toString(),
      value,
    );
  });
}

const FREE_FORM: Written[] = [
  {},
  { freq: 'fortnightly', interval: -1 },
  { freq: 'fortnightly', unit: 'week' },
  { frequency: 'often', every: 2 },
  { type: 'pill', unit: 'mg' },
  { interval: 2, days: ['mo'] },
  { freq: 'secondly' },
  { freq: 1 },
  { freq: null, rrule: null },
  { freq: ['daily'] },
  { every: 'full moon' },
  { rrule: ['FREQ=DAILY'] },
  JSON.parse('{"__proto__": {"freq": "daily"}}'),
  Object.create({ freq: 'daily', rrule: 'FREQ=DAILY' }),
];
for (const written of FREE_FORM) {
  test(`${JSON.stringify(written)} is free-form and does not repeat`, () =>
    assert.equal(parseRule(written), undefined));
}

const many = (length: number, entry: unknown) => Array.from({ length }, () => entry);
const minutes = (count: number) => Array.from({ length: count }, (_, minute) => `08:${10 + minute}`);
const BAD: Record<string, unknown[]> = {
  interval: [0, -1, 1001, 1e9, 1.5, '2', Number.NaN, Number.POSITIVE_INFINITY, [1], {}, true],
  count: [0, 10_001, '3', 2.5, [3], {}],
  by_weekday: ['', 'm', 'xx', 'mondays', '1', 1, '1mo', '0', ['mo', null], [['mo']], { mo: 1 }, many(367, 'mo')],
  by_month_day: [0, 32, -32, 1.5, '1', [1, '2'], [[1]], {}, many(367, 1)],
  by_month: [0, 13, -1, 'january', [1, null], many(1e6, 1)],
  by_set_pos: [1, [0], 367, -367, '1', {}],
  until: ['', 'tomorrow', '2026-02-30', '2026-13-01', '20261231', '2026-12-31 09:00', '2026-12-31T24:00', 5, {}, []],
  by_time: ['', '8:00', '24:00', '08:60', '08:00:00', 8, ['08:00', null], [['08:00']], {}, minutes(25)],
  from: ['Due', 'start', '', 1, {}, ['due']],
};
for (const [key, values] of Object.entries(BAD)) {
  test(`the error for an invalid ${key} names it`, () => {
    for (const value of values) assertRejected({ freq: 'daily', [key]: value }, key);
  });
}

test('weekdays as numbers are refused with how to write them', () => {
  const sentence = /^byweekday must hold weekdays such as mo, .*; numbers are ambiguous\.$/;
  assert.throws(() => parseRule({ freq: 'weekly', byweekday: [0, 2] }), { message: sentence });
});

const BAD_COMBINATIONS: [Written, string][] = [
  [{ freq: 'weekly', by_month_day: 1 }, 'by_month_day'],
  [{ freq: 'weekly', by_weekday: '1mo' }, 'by_weekday'],
  [{ freq: 'monthly', by_weekday: '6mo' }, 'by_weekday'],
  [{ freq: 'monthly', by_weekday: '0mo' }, 'by_weekday'],
  [{ freq: 'yearly', by_weekday: '-54mo' }, 'by_weekday'],
  [{ freq: 'monthly', by_set_pos: 1, by_month: [] }, 'by_set_pos'],
  [{ freq: 'daily', until: '2026-12-31T23:59:60Z' }, 'until'],
  [{ freq: 'daily', until: '2026-12-31T09:00+24:00' }, 'until'],
  [{ freq: 'daily', until: '2026-12-31T09:00Z[UTC]' }, 'until'],
  [{ rrule: 'FREQ=DAILY', from: 'start' }, 'from'],
  [{ freq: 'daily', every: 'full moon' }, 'every'],
  [{ freq: 'weekly', days: [1, 3] }, 'days'],
  [{ freq: 'daily', endDate: 'soon' }, 'endDate'],
  [{ freq: 'daily', by_time: '08:00', from: 'completion' }, 'by_time'],
  [{ freq: 'hourly', by_time: '08:00' }, 'by_time'],
  [{ freq: 'hourly', days: ['mo'] }, 'days'],
  [{ freq: 'minutely', by_month: 1 }, 'by_month'],
  [{ freq: 'hourly', interval: 0 }, 'interval'],
];
for (const [written, key] of BAD_COMBINATIONS) {
  test(`${JSON.stringify(written)} is rejected for its ${key}`, () => {
    assertRejected(written, key);
  });
}

const BAD_TEXTS = [
  '',
  'RRULE:',
  'DAILY',
  'FREQ',
  'FREQ=',
  'FREQ=DAILY;',
  'FREQ=DAILY;;COUNT=1',
  'FREQ=DAILY=WEEKLY',
  'FREQ=SECONDLY',
  'FREQ=HOURLY;BYDAY=MO',
  'FREQ=HOURLY;COUNT=1;UNTIL=20261231',
  'INTERVAL=2',
  'FREQ=DAILY;FREQ=DAILY',
  'FREQ=DAILY;COUNT=1;UNTIL=20261231',
  'FREQ=DAILY;COUNT=0',
  'FREQ=DAILY;COUNT=+1',
  'FREQ=DAILY;INTERVAL=0',
  'FREQ=DAILY;INTERVAL=1e2',
  'FREQ=DAILY;INTERVAL=1000000000',
  'FREQ=DAILY;UNTIL=2026-12-31',
  'FREQ=DAILY;UNTIL=20260230',
  'FREQ=DAILY;UNTIL=20261231T240000Z',
  'FREQ=DAILY;UNTIL=20261231T235960Z',
  'FREQ=WEEKLY;BYDAY=MONDAY',
  'FREQ=WEEKLY;BYDAY=1MO',
  'FREQ=WEEKLY;BYDAY=MO,',
  'FREQ=WEEKLY;BYDAY=MO, TU',
  'FREQ=MONTHLY;BYDAY=6MO',
  'FREQ=WEEKLY;BYMONTHDAY=1',
  'FREQ=MONTHLY;BYMONTHDAY=32',
  'FREQ=MONTHLY;BYMONTHDAY=0',
  'FREQ=MONTHLY;BYMONTH=13',
  'FREQ=MONTHLY;BYSETPOS=1',
  'FREQ=WEEKLY;WKST=1MO',
  'FREQ=WEEKLY;WKST=MO,TU',
  'FREQ=YEARLY;BYWEEKNO=20',
  'FREQ=YEARLY;BYYEARDAY=100',
  'FREQ=DAILY;BYHOUR=9',
  'FREQ=DAILY;X-COLOUR=GREEN',
  'FREQ=DAILY;__PROTO__=1;CONSTRUCTOR=1',
  'DTSTART:20260101T090000Z\nRRULE:FREQ=DAILY',
  'RRULE:FREQ=DAILY\nEXDATE:20260101T090000Z',
  'RRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY',
  `FREQ=WEEKLY;BYDAY=${many(367, 'MO')}`,
  'FREQ=DAILY'.padEnd(8001),
];
for (const text of BAD_TEXTS) {
  test(`${JSON.stringify(text.slice(0, 60))} is rejected`, () => {
    assertRejected({ rrule: text, freq: 'daily' }, 'rrule');
  });
}

test('the error names an unsupported part, but never repeats other client input', () => {
  assert.match(assertRejected({ rrule: 'FREQ=YEARLY;BYWEEKNO=20' }, 'rrule'), /^BYWEEKNO /);
  assert.doesNotMatch(assertRejected({ rrule: 'FREQ=YEARLY;<script>=20' }, 'rrule'), /script/i);
  assert.match(assertRejected({ rrule: 'DTSTART:20260101\nRRULE:FREQ=DAILY' }, 'rrule'), /due_at/);
});

test('any input gives a rule, undefined or a RuleError with one short sentence', () => {
  const spellings = ['frequency', 'type', 'unit', 'every', 'byday', 'byWeekday', 'days', 'end_date'];
  const keys = ['freq', 'rrule', '__proto__', 'constructor', ...spellings, ...Object.keys(BAD)];
  const freq = fc.constantFrom('daily', 'weekly', 'monthly', 'yearly', 'hourly', 'minutely');
  const part = fc.tuple(
    fc.constantFrom(...keys),
    fc.oneof(fc.jsonValue(), fc.anything(), fc.constantFrom(...Object.values(BAD).flat())),
  );
  const written = fc.tuple(freq, fc.array(part)).map(([freq, parts]) => ({ freq, ...Object.fromEntries(parts) }));
  fc.assert(
    fc.property(written, (written) => assertParsedOrRejected(written)),
    { numRuns: sized(1_000, 5_000), seed: 5545 },
  );
  const token = fc.constantFrom(
    'FREQ=DAILY',
    'FREQ=YEARLY',
    ';',
    '=',
    ',',
    'BYDAY=',
    '1MO',
    'UNTIL=20260101',
    'COUNT=',
    '-',
    '9',
    '\n',
    'RRULE:',
  );
  const text = fc.array(fc.oneof(token, fc.string()), { maxLength: 12 }).map((tokens) => tokens.join(''));
  fc.assert(
    fc.property(text, (rrule) => assertParsedOrRejected({ rrule })),
    { numRuns: sized(1_000, 5_000), seed: 5545 },
  );
});

test('megabytes of input are rejected without being scanned', () => {
  const huge = 'MO,'.repeat(3_000_000);
  const before = process.threadCpuUsage();
  for (const value of [huge, many(1e6, 'mo'), many(1e6, huge), `2026-01-01T00:00:00.${'9'.repeat(5e6)}Z`]) {
    for (const key of Object.keys(BAD)) assertParsedOrRejected({ freq: 'monthly', [key]: value });
    assertParsedOrRejected({ freq: value });
    assertParsedOrRejected({ rrule: value });
    assertParsedOrRejected({ rrule: `FREQ=DAILY;BYDAY=${huge}` });
  }
  // CPU time, so that other load on the machine does not matter.
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 2_000_000, `${user + system} µs`);
});

function assertRejected(written: Written, key: string): string {
  try {
    parseRule(written);
  } catch (error) {
    assert.ok(error instanceof RuleError, String(error));
    assert.equal(error.key, key);
    assert.match(error.message, /^[^\n]{10,100}\.$/);
    return error.message;
  }
  assert.fail(`${JSON.stringify(written)?.slice(0, 200)} was accepted`);
}

function assertParsedOrRejected(written: Written): void {
  try {
    parseRule(written);
  } catch (error) {
    assert.ok(error instanceof RuleError, String(error));
    assert.match(error.message, /^[^\n]{10,100}\.$/);
  }
}
