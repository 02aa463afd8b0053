import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRule } from './parse-rule.ts';
import { needsTime } from './rule.ts';
import { normalRule, ruleAsObject, ruleAsRrule } from './spell-rule.ts';

type Written = Record<string, unknown>;

function parse(written: Written) {
  const rule = parseRule(written);
  assert.ok(rule, JSON.stringify(written));
  return rule;
}

const HOURS = { between: ['08:00', '22:00'] };

/** What was written, the object form, and the RRULE; undefined if the form means other dates. */
const FORMS: [written: Written, object: Written | undefined, rrule: string | undefined][] = [
  [{ freq: 'daily' }, { freq: 'daily' }, 'FREQ=DAILY'],
  [{ rrule: 'FREQ=DAILY;INTERVAL=3' }, { freq: 'daily', interval: 3 }, 'FREQ=DAILY;INTERVAL=3'],
  [{ freq: 'daily', count: 4 }, { freq: 'daily', count: 4 }, 'FREQ=DAILY;COUNT=4'],
  [{ freq: 'daily', from: 'completion' }, { freq: 'daily', from: 'completion' }, 'FREQ=DAILY'],
  [{ freq: 'daily', until: '2026-03-05' }, { freq: 'daily', until: '2026-03-05' }, 'FREQ=DAILY;UNTIL=20260305'],
  [
    { freq: 'daily', until: '2026-03-05T08:00' },
    { freq: 'daily', until: '2026-03-05T08:00:00' },
    'FREQ=DAILY;UNTIL=20260305T080000',
  ],
  [
    { freq: 'daily', until: '2026-03-05T08:00:00+01:00' },
    { freq: 'daily', until: '2026-03-05T07:00:00Z' },
    'FREQ=DAILY;UNTIL=20260305T070000Z',
  ],
  [{ freq: 'daily', until: '2026-03-05T08:00:00.5' }, { freq: 'daily', until: '2026-03-05T08:00:00.5' }, undefined],
  [{ freq: 'daily', until: '2026-03-05', count: 4 }, { freq: 'daily', until: '2026-03-05', count: 4 }, undefined],
  [
    { freq: 'weekly', by_weekday: ['mo', 'su'] },
    { freq: 'weekly', by_weekday: ['mo', 'su'] },
    'FREQ=WEEKLY;BYDAY=MO,SU',
  ],
  [
    { freq: 'weekly', by_weekday: ['mo'], by_time: ['08:00', '20:30'] },
    { freq: 'weekly', by_weekday: ['mo'], by_time: ['08:00', '20:30'] },
    undefined,
  ],
  [{ rrule: 'FREQ=WEEKLY;BYDAY=MO;WKST=SU' }, { freq: 'weekly', by_weekday: ['mo'] }, 'FREQ=WEEKLY;BYDAY=MO'],
  [{ rrule: 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;WKST=SU' }, undefined, 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO;WKST=SU'],
  [{ rrule: 'FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=1;WKST=SU' }, undefined, 'FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=1;WKST=SU'],
  [
    { rrule: 'FREQ=MONTHLY;INTERVAL=2;BYDAY=MO,FR;BYSETPOS=-1;WKST=SU' },
    { freq: 'monthly', interval: 2, by_weekday: ['mo', 'fr'], by_set_pos: [-1] },
    'FREQ=MONTHLY;INTERVAL=2;BYDAY=MO,FR;BYSETPOS=-1',
  ],
  [{ freq: 'monthly' }, { freq: 'monthly' }, undefined],
  [{ rrule: 'FREQ=MONTHLY' }, undefined, 'FREQ=MONTHLY'],
  [{ freq: 'yearly' }, { freq: 'yearly' }, undefined],
  [{ rrule: 'FREQ=YEARLY' }, undefined, 'FREQ=YEARLY'],
  [{ freq: 'monthly', by_month_day: [-1] }, { freq: 'monthly', by_month_day: [-1] }, 'FREQ=MONTHLY;BYMONTHDAY=-1'],
  [
    { freq: 'yearly', by_month: [3, 12], by_weekday: ['-1fr', '2mo'] },
    { freq: 'yearly', by_month: [3, 12], by_weekday: ['-1fr', '2mo'] },
    'FREQ=YEARLY;BYMONTH=3,12;BYDAY=-1FR,2MO',
  ],
  [{ freq: 'hourly', interval: 6 }, { freq: 'hourly', interval: 6 }, 'FREQ=HOURLY;INTERVAL=6'],
  [{ freq: 'hourly', from: 'completion', ...HOURS }, { freq: 'hourly', from: 'completion', ...HOURS }, undefined],
  [
    { freq: 'minutely', from: 'completion', ...HOURS, per_day: 3 },
    { freq: 'minutely', from: 'completion', ...HOURS, per_day: 3 },
    undefined,
  ],
];

test('a rule is written in each form that means the same dates, and in no other', () => {
  for (const [written, object, rrule] of FORMS) {
    const rule = parse(written);
    assert.deepEqual([ruleAsObject(rule), ruleAsRrule(rule)], [object, rrule], JSON.stringify(written));
  }
});

test('an end that its offset carries out of the years of four digits is written at their edge', () => {
  const end = (until: string) => ruleAsObject(parse({ freq: 'hourly', until }))?.until;
  assert.equal(end('0000-01-01T00:00:00+01:00'), '0000-01-01T00:00:00Z');
  assert.equal(end('0000-01-01T00:00:00Z'), '0000-01-01T00:00:00Z');
  assert.equal(end('9999-12-31T23:59:59-01:00'), '9999-12-31T23:59:59Z');
  assert.equal(end('9999-12-31T23:59:58Z'), '9999-12-31T23:59:58Z');
});

test('the first day of the week counts only where it changes the dates', () => {
  const weekStart = (rrule: string) => {
    const rule = normalRule(parse({ rrule }));
    return 'weekStart' in rule ? rule.weekStart : undefined;
  };
  assert.equal(weekStart('FREQ=WEEKLY;INTERVAL=2;WKST=SU'), 7);
  assert.equal(weekStart('FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=1;WKST=SU'), 7);
  assert.equal(weekStart('FREQ=WEEKLY;WKST=SU'), 1);
  assert.equal(weekStart('FREQ=MONTHLY;INTERVAL=2;WKST=SU'), 1);
});

test('a rule with times, or of hours or minutes, needs a task with a time', () => {
  const needs = (written: Written) => needsTime(parse(written));
  assert.deepEqual(
    [{ freq: 'hourly' }, { freq: 'minutely' }, { freq: 'daily', by_time: ['08:00'] }, { freq: 'daily' }].map(needs),
    [true, true, true, false],
  );
});
