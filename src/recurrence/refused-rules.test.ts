/** The sentence that each wrong part of a rule is refused with, and the limits on both of their sides. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRule } from './parse-rule.ts';
import { RuleError } from './rule.ts';

type Written = Record<string, unknown>;

const NO_VALUE = 'has a value that RFC 5545 does not know.';
const UNTIL = 'must be a date or a date-time that exists.';
const WEEKDAYS = 'must hold weekdays such as mo, tue or friday';

const REFUSED: [written: Written, key: string, why: string][] = [
  [{ rrule: 'FREQ=SECONDLY' }, 'rrule', 'FREQ must be one of MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY.'],
  [{ rrule: 'FREQ=DAILY;COUNT=1;UNTIL=20260305' }, 'rrule', 'COUNT and UNTIL cannot stand together.'],
  [{ rrule: 'FREQ=DAILY;COUNT=1;COUNT=1' }, 'rrule', 'COUNT is written twice.'],
  [{ rrule: 'FREQ=DAILY;COUNT' }, 'rrule', 'COUNT is not supported.'],
  [{ rrule: 'FREQ=DAILY;X Y=1' }, 'rrule', 'A part of rrule is not supported.'],
  [{ rrule: 'FREQ=DAILY;XEXDATE=1' }, 'rrule', 'XEXDATE is not supported.'],
  [{ rrule: 'DTSTART:20260305\nFREQ=DAILY' }, 'rrule', 'rrule takes the rule alone; the first date comes from due_at.'],
  ...[
    'FREQ=1DAILY',
    'FREQ=DAILY1',
    'INTERVAL=2x',
    'UNTIL=x20260305',
    'UNTIL=20260305x',
    'BYMONTHDAY=x1',
    'BYMONTHDAY=1x',
    'BYMONTH=x1',
    'BYMONTH=1x',
    'WKST=1MO',
    'WKST=MOX',
    'BYDAY=1MOX',
    'COUNT=1=2',
  ].map((part): [Written, string, string] => {
    const [name = ''] = part.split('=');
    const freq = name === 'FREQ' ? '' : 'FREQ=MONTHLY;';
    return [{ rrule: `${freq}${part}` }, 'rrule', `${name} ${NO_VALUE}`];
  }),
  [{ freq: 'daily', count: 0 }, 'count', 'count must be a whole number from 1 to 10000.'],
  [{ freq: 'daily', count: '3' }, 'count', 'count must be a whole number from 1 to 10000.'],
  [{ freq: 'daily', by_month: 0 }, 'by_month', 'by_month must hold whole numbers from 1 to 12.'],
  [
    { freq: 'daily', by_month_day: 0 },
    'by_month_day',
    'by_month_day must hold whole numbers from -31 to 31, but not 0.',
  ],
  [{ freq: 'daily', by_weekday: [true] }, 'by_weekday', `by_weekday ${WEEKDAYS}.`],
  [{ freq: 'daily', by_weekday: [1] }, 'by_weekday', `by_weekday ${WEEKDAYS}; numbers are ambiguous.`],
  [{ freq: 'daily', by_weekday: ['xmo'] }, 'by_weekday', `by_weekday ${WEEKDAYS}.`],
  [{ freq: 'daily', by_weekday: ['.1mo'] }, 'by_weekday', `by_weekday ${WEEKDAYS}.`],
  [{ freq: 'daily', by_weekday: ['mo.'] }, 'by_weekday', `by_weekday ${WEEKDAYS}.`],
  [
    { freq: 'weekly', by_weekday: ['0mo'] },
    'by_weekday',
    'by_weekday takes a number only in a monthly or yearly rule.',
  ],
  [
    { freq: 'monthly', by_weekday: ['6mo'] },
    'by_weekday',
    'by_weekday takes a number from 1 to 5 before a weekday, or from -1 down.',
  ],
  ...['x2026-03-05', '2026-03-05x', 'x2026-03-05T08:00', '2026-03-05T08:00x', '2026-02-30', 20_260_305, true].map(
    (until): [Written, string, string] => [{ freq: 'daily', until }, 'until', `until ${UNTIL}`],
  ),
  [{ freq: 'daily', from: 'done' }, 'from', 'from must be due or completion.'],
  [
    { freq: 'daily', by_set_pos: 1 },
    'by_set_pos',
    'by_set_pos chooses among weekdays, days or months, and none is given.',
  ],
  [{ freq: 'weekly', by_month_day: 1 }, 'by_month_day', 'by_month_day has no place in a weekly rule.'],
  [
    { freq: 'daily', from: 'completion', by_time: '08:00' },
    'by_time',
    'by_time has no place in a rule that counts from completion.',
  ],
  [{ freq: 'hourly', days: 'mo' }, 'days', 'days has no place in an hourly or minutely rule.'],
  [{ freq: 'minutely', by_time: '08:00' }, 'by_time', 'by_time has no place in an hourly or minutely rule.'],
  [{ freq: 'daily', interval: 2, every: 3 }, 'every', 'every and interval contradict each other.'],
];

test('what is wrong with a rule is said in one sentence, with the key that it was sent under', () => {
  for (const [written, key, message] of REFUSED)
    assert.throws(() => parseRule(written), { name: 'RuleError', key, message }, JSON.stringify(written));
});

/** As long as can be, and longer by one. */
const LIMITS: [fits: Written, tooMuch: Written][] = [
  [{ rrule: 'FREQ=DAILY'.padEnd(8_000) }, { rrule: 'FREQ=DAILY'.padEnd(8_001) }],
  [
    { freq: 'daily', by_month_day: Array(1_000).fill(1).slice(0, 366) },
    { freq: 'daily', by_month_day: Array(1_000).fill(1) },
  ],
  [
    { freq: 'yearly', by_weekday: '53mo' },
    { freq: 'yearly', by_weekday: '54mo' },
  ],
  [
    { freq: 'monthly', by_weekday: '-5mo' },
    { freq: 'monthly', by_weekday: '-6mo' },
  ],
];

test('a limit belongs to what is allowed', () => {
  for (const [fits, tooMuch] of LIMITS) {
    assert.ok(parseRule(fits), JSON.stringify(fits).slice(0, 80));
    assert.throws(() => parseRule(tooMuch), RuleError, JSON.stringify(tooMuch).slice(0, 80));
  }
});

test('every form of the parts of an RRULE is read', () => {
  const read = (part: string) => parseRule({ rrule: `FREQ=MONTHLY;${part}` });
  const days = (part: string) => {
    const rule = read(part);
    return rule && 'byMonthDay' in rule ? [rule.byMonthDay, rule.byMonth, rule.bySetPos] : undefined;
  };
  assert.deepEqual(days('BYMONTHDAY=1,15,-31,+20'), [[-31, 1, 15, 20], [], []]);
  assert.deepEqual(days('BYMONTH=1,12,3'), [[], [1, 3, 12], []]);
  assert.deepEqual(days('BYMONTH=12'), [[], [12], []]);
  assert.deepEqual(days('BYDAY=MO;BYSETPOS=-1,12'), [[], [], [-1, 12]]);
  assert.deepEqual([read('INTERVAL=12')?.interval, read('COUNT=1234')?.count], [12, 1_234]);
  const end = parseRule({ freq: 'daily', until: '2026-03-05T08:00:00.25Z' })?.until;
  assert.equal(end?.kind === 'instant' && end.instant.toString(), '2026-03-05T08:00:00.25Z');
});
