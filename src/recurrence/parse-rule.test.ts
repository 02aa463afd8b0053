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

type Weekday = DayRule['byWeekday'][number];
const weekday = (day: Weekday['day'], nth: Weekday['nth'] = null): Weekday => ({ day, nth });
const VALID: { written: Written; rule: Partial<DayRule> }[] = [
  { written: { freq: 'daily' }, rule: {} },
  { written: { freq: 'DAILY', interval: 1000, count: 10_000 }, rule: { interval: 1000, count: 10_000 } },
  { written: { freq: 'Weekly', by_weekday: 'mo' }, rule: { freq: 'weekly', byWeekday: [weekday(1)] } },
  {
    written: { freq: 'weekly', by_weekday: ['Mon', 'SUNDAY', 'mo', 'tuesday'] },
    rule: { freq: 'weekly', byWeekday: [weekday(1), weekday(7), weekday(2)] },
  },
  {
    written: { freq: 'monthly', by_weekday: ['1mo', '-1fr', '+2tu', '2tue', 'fr'] },
    rule: { freq: 'monthly', byWeekday: [weekday(1, 1), weekday(5, -1), weekday(2, 2), weekday(5)] },
  },
  { written: { freq: 'yearly', by_weekday: '-53su' }, rule: { freq: 'yearly', byWeekday: [weekday(7, -53)] } },
  { written: { freq: 'monthly', by_month_day: [31, -31, 1, 31] }, rule: { freq: 'monthly', byMonthDay: [-31, 1, 31] } },
  { written: { freq: 'daily', by_month: 12, by_set_pos: -1 }, rule: { byMonth: [12], bySetPos: [-1] } },
  { written: { freq: 'daily', by_month: [], interval: null, until: null, count: null, from: null }, rule: {} },
  { written: { freq: 'daily', from: 'completion', colour: 'green', unit: 'mg' }, rule: { from: 'completion' } },
  { written: { freq: 'daily', '': 'su', weekStart: 'su', wkst: 'su' }, rule: {} },
  { written: { freq: 'daily', rrule: 7 }, rule: {} },
  { written: { freq: 'monthly' }, rule: { freq: 'monthly', clampToMonthEnd: true } },
  { written: { freq: 'yearly', by_month: 2 }, rule: { freq: 'yearly', byMonth: [2], clampToMonthEnd: true } },
  { written: { rrule: 'FREQ=MONTHLY' }, rule: { freq: 'monthly' } },
  {
    written: { rrule: 'rrule:freq=weekly;byday=mo;wkst=su', freq: 'yearly' },
    rule: { freq: 'weekly', byWeekday: [weekday(1)], weekStart: 7 },
  },
  {
    written: { rrule: ' RRULE:FREQ=DAILY;INTERVAL=02;COUNT=3\r\n', from: 'completion' },
    rule: { interval: 2, count: 3, from: 'completion' },
  },
  {
    written: { rrule: 'FREQ=YEARLY;BYMONTH=1,2;BYMONTHDAY=+1,-1;BYSETPOS=1;BYDAY=+1MO,-5SU' },
    rule: {
      freq: 'yearly',
      byMonth: [1, 2],
      byMonthDay: [-1, 1],
      bySetPos: [1],
      byWeekday: [weekday(1, 1), weekday(7, -5)],
    },
  },
];
for (const { written, rule } of VALID) {
  test(`${JSON.stringify(written)} is parsed`, () => assert.deepEqual(parse(written), { ...PLAIN, ...rule }));
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
const SPELLINGS: { written: Written; means: Written }[] = [
  { written: { frequency: 'daily' }, means: { freq: 'daily' } },
  { written: { type: 'weekly' }, means: { freq: 'weekly' } },
  { written: { type: 'custom', freq: 'daily' }, means: { freq: 'daily' } },
  { written: { unit: 'days', interval: 3 }, means: { freq: 'daily', interval: 3 } },
  { written: { every: 2, unit: 'weeks' }, means: { freq: 'weekly', interval: 2 } },
  { written: { every: 'Day' }, means: { freq: 'daily' } },
  { written: { every: 'month', interval: 2 }, means: { freq: 'monthly', interval: 2 } },
  { written: { freq: 'WEEK' }, means: { freq: 'weekly' } },
  { written: { freq: 'month' }, means: { freq: 'monthly' } },
  { written: { freq: 'annually' }, means: { freq: 'yearly' } },
  { written: { freq: 'years' }, means: { freq: 'yearly' } },
  { written: { freq: 'weekly', byday: ['MO'] }, means: { freq: 'weekly', by_weekday: ['mo'] } },
  { written: { freq: 'weekly', byDay: 'MO' }, means: { freq: 'weekly', by_weekday: ['mo'] } },
  { written: { freq: 'weekly', byweekday: ['mo', 'we'] }, means: { freq: 'weekly', by_weekday: ['mo', 'we'] } },
  { written: { freq: 'weekly', days: ['Monday', 'thu'] }, means: { freq: 'weekly', by_weekday: ['mo', 'th'] } },
  { written: { freq: 'monthly', 'by-month-day': 1 }, means: { freq: 'monthly', by_month_day: 1 } },
  { written: { freq: 'daily', end_date: '2027-01-31' }, means: { freq: 'daily', until: '2027-01-31' } },
  { written: { freq: 'daily', endDate: '2027-01-31' }, means: { freq: 'daily', until: '2027-01-31' } },
  { written: { freq: 'daily', frequency: 'DAY', unit: 'days', every: 'day' }, means: { freq: 'daily' } },
  {
    written: { freq: 'weekly', by_weekday: ['mo', 'th'], days: ['Thursday', 'Monday'], interval: 2, every: 2 },
    means: { freq: 'weekly', by_weekday: ['mo', 'th'], interval: 2 },
  },
  {
    written: { freq: 'daily', until: '2027-01-31', end_date: '2027-01-31', every: null },
    means: { freq: 'daily', until: '2027-01-31' },
  },
  { written: { RRULE: 'FREQ=WEEKLY', From: 'completion' }, means: { rrule: 'FREQ=WEEKLY', from: 'completion' } },
];
for (const { written, means } of SPELLINGS) {
  test(`${JSON.stringify(written)} means ${JSON.stringify(means)}`, () => {
    assert.equal(JSON.stringify(parse(written)), JSON.stringify(parse(means)));
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

const CLOCK_RULES: { written: Written; rule: Partial<Rule> }[] = [
  { written: { freq: 'hourly' }, rule: { freq: 'hourly' } },
  { written: { every: 4, unit: 'hours' }, rule: { freq: 'hourly', interval: 4 } },
  {
    written: { freq: 'minutely', interval: 90, count: 5, from: 'completion', by_weekday: [] },
    rule: { freq: 'minutely', interval: 90, count: 5, from: 'completion' },
  },
];
for (const { written, rule } of CLOCK_RULES) {
  test(`${JSON.stringify(written)} is parsed as a rule of hours or minutes`, () => {
    assert.deepEqual(parse(written), { interval: 1, until: null, count: null, from: 'due', hours: null, ...rule });
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
    assert.equal(String(Object.values(until ?? {}).at(-1)), value);
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

const daily = (part: string) => `FREQ=DAILY;${part}`;
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

const BAD_TEXTS: Record<string, string[]> = {
  'without a frequency that we support': ['', 'RRULE:', 'DAILY', 'FREQ', 'FREQ=', 'INTERVAL=2', 'FREQ=SECONDLY'],
  'that is no list of parts': ['FREQ=DAILY;', 'FREQ=DAILY;;COUNT=1', 'FREQ=DAILY=WEEKLY', 'FREQ=DAILY;FREQ=DAILY'],
  'with parts that exclude each other': [
    'FREQ=HOURLY;BYDAY=MO',
    'FREQ=HOURLY;COUNT=1;UNTIL=20261231',
    'FREQ=DAILY;COUNT=1;UNTIL=20261231',
    'FREQ=WEEKLY;BYDAY=1MO',
    'FREQ=WEEKLY;BYMONTHDAY=1',
    'FREQ=MONTHLY;BYSETPOS=1',
  ],
  'with a wrong number': ['COUNT=0', 'COUNT=+1', 'INTERVAL=0', 'INTERVAL=1e2', 'INTERVAL=1000000000'].map(daily),
  'with a wrong end': ['2026-12-31', '20260230', '20261231T240000Z', '20261231T235960Z'].map((end) =>
    daily(`UNTIL=${end}`),
  ),
  'with a wrong weekday': ['MONDAY', 'MO,', 'MO, TU', '6MO', `${many(367, 'MO')}`].map(
    (days) => `FREQ=MONTHLY;BYDAY=${days}`,
  ),
  'with a wrong day or month': ['BYMONTHDAY=32', 'BYMONTHDAY=0', 'BYMONTH=13'].map((part) => `FREQ=MONTHLY;${part}`),
  'with a wrong start of the week': ['FREQ=WEEKLY;WKST=1MO', 'FREQ=WEEKLY;WKST=MO,TU'],
  'with an unknown part': [
    'FREQ=YEARLY;BYWEEKNO=20',
    'FREQ=YEARLY;BYYEARDAY=100',
    ...['BYHOUR=9', 'X-COLOUR=GREEN', '__PROTO__=1;CONSTRUCTOR=1'].map(daily),
  ],
  'of more than one line': [
    'DTSTART:20260101T090000Z\nRRULE:FREQ=DAILY',
    'RRULE:FREQ=DAILY\nEXDATE:20260101T090000Z',
    'RRULE:FREQ=DAILY\nRRULE:FREQ=WEEKLY',
  ],
  'that is too long': ['FREQ=DAILY'.padEnd(8001)],
};
for (const [what, texts] of Object.entries(BAD_TEXTS)) {
  test(`a text ${what} is rejected`, () => {
    for (const text of texts) assertRejected({ rrule: text, freq: 'daily' }, 'rrule');
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
