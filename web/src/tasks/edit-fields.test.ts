import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Task } from '../api/client.ts';
import { NEW_RULE, type RuleFields } from '../recurrence/rule-fields.ts';
import { canMoveOne, type EditFields, ruleProblem, toFields, toMove, toUpdate, withMovedRule } from './edit-fields.ts';

const ZONE = 'Europe/Amsterdam';

/** Due on Monday 2 March 2026 at 18:00 in Amsterdam. */
const task = (fields: Partial<Task> = {}) =>
  ({
    id: 'bins',
    title: 'bins',
    notes: null,
    kind: 'todo',
    due_at: '2026-03-02T17:00:00.000Z',
    has_time: true,
    recurrence: null,
    lead_time_days: null,
    mode: 'escalate',
    break_quiet_hours: false,
    space_id: null,
    ...fields,
  }) as Task;

const fieldsOf = (fields: Partial<Task> = {}) => toFields(task(fields), ZONE);
const rule = (fields: Partial<RuleFields> = {}): RuleFields => ({ ...NEW_RULE, ...fields });

test('an edit sends what was changed and nothing else; a field that was emptied is taken away', () => {
  const before = toFields(
    task({ notes: 'both', kind: 'home', lead_time_days: 3, space_id: 'us', recurrence: { freq: 'daily' } }),
    ZONE,
  );
  assert.deepEqual(toUpdate(before, before, ZONE), {});
  const empty = { notes: ' ', kind: ' ', date: '', time: '', rule: null, lead: '', spaceId: '' };
  assert.deepEqual(toUpdate(before, { ...before, ...empty }, ZONE), {
    notes: null,
    kind: 'todo',
    due_at: null,
    has_time: false,
    recurrence: null,
    lead_time_days: null,
    space_id: null,
  });
  const changed = { title: ' Bins ', kind: ' garden ', lead: '0', escalates: false, mustNotMiss: true, spaceId: 'you' };
  assert.deepEqual(toUpdate(before, { ...before, ...changed }, ZONE), {
    title: 'Bins',
    kind: 'garden',
    lead_time_days: 0,
    mode: 'notify_once',
    break_quiet_hours: true,
    space_id: 'you',
  });
});

test('a date is of the zone of the account, with or without a time', () => {
  const before = fieldsOf();
  assert.deepEqual([before.date, before.time], ['2026-03-02', '18:00']);
  const due = (date: string, time: string) => toUpdate(before, { ...before, date, time }, ZONE);
  const summer = due('2026-04-02', '18:00');
  assert.deepEqual([Date.parse(String(summer.due_at)), summer.has_time], [Date.parse('2026-04-02T16:00:00Z'), true]);
  const allDay = due('2026-03-02', '');
  assert.deepEqual([Date.parse(String(allDay.due_at)), allDay.has_time], [Date.parse('2026-03-02T11:00:00Z'), false]);
  assert.equal(fieldsOf({ has_time: false }).time, '');
  assert.deepEqual([fieldsOf({ due_at: null }).date, fieldsOf({ due_at: null }).time], ['', '']);
});

test('an object that is no rule is never sent back', () => {
  const before = fieldsOf({ recurrence: { whatever: true } });
  assert.equal(before.rule, 'kept');
  assert.deepEqual(toUpdate({ ...before, rule: rule() }, before, ZONE), {});
});

test('only another date or time of a series can mean this occurrence alone', () => {
  const before = fieldsOf({ recurrence: { freq: 'daily' } });
  const can = (after: Partial<EditFields>) => canMoveOne(before, { ...before, ...after });
  assert.equal(can({ date: '2026-03-03' }), true);
  assert.equal(can({ time: '19:00', title: 'Bins' }), true);
  for (const after of [
    {},
    { title: 'Bins' },
    { date: '' },
    { time: '' },
    { time: '19:00', rule: rule({ interval: 2 }) },
  ])
    assert.equal(can(after), false, JSON.stringify(after));
  assert.equal(canMoveOne(fieldsOf(), { ...fieldsOf(), time: '19:00' }), false);

  const after = { ...before, time: '19:00', title: 'Bins' };
  const { move, rest } = toMove(task(), before, after, ZONE);
  assert.equal(Date.parse(move.due_at), Date.parse('2026-03-02T18:00:00Z'));
  assert.deepEqual([move.date_only, move.occurrence_due_at], [false, '2026-03-02T17:00:00.000Z']);
  assert.deepEqual(rest, { title: 'Bins' }, 'what else was changed is sent, too');
});

const MOVES: readonly [
  words: string,
  rule: Partial<RuleFields>,
  after: Partial<EditFields>,
  moved: Partial<RuleFields>,
][] = [
  ['a Monday becomes a Tuesday', { weekdays: ['mo', 'th'] }, { date: '2026-03-03' }, { weekdays: ['tu', 'th'] }],
  ['no day is there twice', { weekdays: ['mo', 'tu'] }, { date: '2026-03-03' }, { weekdays: ['tu'] }],
  ['the first Monday', { weekdays: ['1mo'] }, { date: '2026-03-10' }, { weekdays: ['2tu'] }],
  ['the fifth Monday from the end', { weekdays: ['-5mo'] }, { date: '2026-03-31' }, { weekdays: ['-1tu'] }],
  ['the 2nd', { monthDays: [2, 16] }, { date: '2026-03-04' }, { monthDays: [4, 16] }],
  ['a day from the end', { monthDays: [-30] }, { date: '2026-03-31' }, { monthDays: [-1] }],
  ['a month', { monthDays: [2], months: [3, 9] }, { date: '2026-04-05' }, { monthDays: [5], months: [4, 9] }],
  ['a time', { times: ['08:00', '18:00'], weekdays: ['mo'] }, { time: '07:00' }, { times: ['07:00', '08:00'] }],
  ['a date alone', { times: ['08:00', '18:00'] }, { date: '2026-03-03' }, { times: ['08:00', '18:00'] }],
];

for (const [words, drawn, change, moved] of MOVES)
  test(`the rule follows a date or a time that was changed: ${words}`, () => {
    const before = { ...fieldsOf(), rule: rule(drawn) };
    const after = withMovedRule(before, { ...before, ...change });
    assert.deepEqual(after.rule, { ...rule(drawn), ...moved });
  });

test('a rule that was changed by hand stays as it was written', () => {
  const before = { ...fieldsOf(), rule: rule({ weekdays: ['mo'] }) };
  const after = { ...before, date: '2026-03-03', rule: rule({ weekdays: ['we'] }) };
  assert.equal(withMovedRule(before, after), after);
});

test('what is wrong with a rule is said before it is saved', () => {
  const problem = (fields: Partial<EditFields>) => ruleProblem({ ...fieldsOf(), rule: rule(), ...fields });
  assert.equal(problem({}), undefined);
  assert.equal(problem({ rule: null, date: '', time: '' }), undefined);
  assert.equal(problem({ date: '' }), 'needsDate');
  assert.equal(problem({ time: '', rule: rule({ times: ['08:00'] }) }), 'needsTime');
  assert.equal(problem({ time: '', rule: rule({ freq: 'hourly' }) }), 'needsTime');
  assert.equal(problem({ time: '' }), undefined);
  assert.equal(problem({ rule: rule({ until: '2026-03-01' }) }), 'endsTooEarly');
  assert.equal(problem({ rule: rule({ until: '2026-03-02T10:00:00' }) }), undefined, 'the same day');
  const hourly = { freq: 'hourly', afterDone: true } as const;
  assert.equal(problem({ rule: rule({ ...hourly, hours: ['08:00', ''] }) }), 'oneHour');
  assert.equal(problem({ rule: rule({ ...hourly, hours: ['08:00', '08:00'] }) }), 'oneHour');
  assert.equal(problem({ rule: rule({ ...hourly, hours: ['08:00', '20:00'] }) }), undefined);
  assert.equal(problem({ rule: rule({ freq: 'hourly', hours: ['08:00', '20:00'] }) }), 'hoursUnused');
  const skipping = { freq: 'monthly', skipsShort: true } as const;
  assert.equal(problem({ rule: rule(skipping) }), undefined);
  assert.equal(problem({ rule: rule({ ...skipping, times: ['18:00'] }) }), 'notTogether');
});
