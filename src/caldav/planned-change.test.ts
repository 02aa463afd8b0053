import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KnownTask, keyOfOccurrence, planChange } from './planned-change.ts';
import { type FieldKeys, writeBase } from './todo-fields.ts';
import { readEntry } from './todo-reader.ts';
import { keysOfTask } from './todo-writer.ts';

const NOW = new Date('2026-03-02T09:00:00Z');
const at = (text: string) => new Date(text);

/** Every day at 08:00 in Berlin, due today. */
const TASK = {
  id: '01900000-0000-7000-8000-000000000000',
  title: 'Pills',
  notes: null,
  kind: 'todo',
  due_at: at('2026-03-02T07:00:00Z'),
  due_written: '2026-03-02T08:00:00+01:00',
  has_time: true,
  recurrence: '{"freq":"daily"}',
  series_first: '2026-03-02T08:00:00',
  occurrence_number: 1,
  status: 'open',
  completed_at: null,
  created_at: NOW,
  occurrence_started_at: NOW,
  run_started_at: NOW,
} satisfies Record<string, unknown>;
const ALL_DAY = { ...TASK, has_time: false, due_written: '2026-03-02T00:00:00', series_first: '2026-03-02T00:00:00' };
const SINGLE = { ...TASK, recurrence: null };

const keysOf = (task: typeof TASK | typeof SINGLE): FieldKeys =>
  keysOfTask({ task, uid: 'u', kept: null }, 'Europe/Berlin');

function plan(task: typeof TASK | typeof SINGLE, lines: readonly string[], known: Partial<KnownTask> = {}) {
  const isWhole = lines[0]?.startsWith('BEGIN');
  const todo = isWhole ? lines : ['BEGIN:VTODO', 'UID:u', ...lines, 'END:VTODO'];
  const read = readEntry(['BEGIN:VCALENDAR', ...todo, 'END:VCALENDAR'].join('\r\n'), {
    zone: 'Europe/Berlin',
    now: NOW,
  });
  const { edit, action, form, isStale } = planChange(
    { task, zone: 'Europe/Berlin', keys: keysOf(task), kept: null, isVerified: false, closed: new Set(), ...known },
    read,
  );
  return { edit, action, form, isStale };
}

const base = (task: typeof TASK | typeof SINGLE, changed: Partial<FieldKeys> = {}) =>
  `X-CRESCENDO-BASE:${writeBase({ ...keysOf(task), ...changed })}`;
const DUE = 'DUE;TZID=Europe/Berlin:20260302T080000';
const NEXT = 'DUE;TZID=Europe/Berlin:20260303T080000';
const RULE = 'RRULE:FREQ=DAILY';
const DONE = ['STATUS:COMPLETED', 'COMPLETED:20260302T090000Z'];
const YESTERDAY = String(at('2026-03-01T07:00:00Z').getTime() / 1_000);

const CASES: readonly [what: string, got: ReturnType<typeof plan>, expected: Partial<ReturnType<typeof plan>>][] = [
  ['nothing changed', plan(TASK, ['SUMMARY:Pills', DUE, RULE]), { edit: {}, action: 'none', form: null }],
  [
    'the rule in another order',
    plan(TASK, ['SUMMARY:Pills', DUE, 'RRULE:INTERVAL=1;FREQ=DAILY']),
    { edit: {}, action: 'none' },
  ],
  ['a new title', plan(TASK, ['SUMMARY:Vitamins', DUE, RULE]), { edit: { title: 'Vitamins' }, action: 'none' }],
  ['A: the next date', plan(TASK, ['SUMMARY:Pills', NEXT, RULE]), { edit: {}, action: 'complete', form: 'A' }],
  ['A: a date in UTC', plan(TASK, ['SUMMARY:Pills', 'DUE:20260303T070000Z', RULE]), { action: 'complete', form: 'A' }],
  ['A: COUNT counted down', plan(TASK, ['SUMMARY:Pills', NEXT, `${RULE};COUNT=9`]), { edit: {}, form: 'A' }],
  ['A: all day', plan(ALL_DAY, ['SUMMARY:Pills', 'DUE;VALUE=DATE:20260303', RULE]), { action: 'complete', form: 'A' }],
  [
    'a date that is none of the rule',
    plan(TASK, ['SUMMARY:Pills', 'DUE:20260303T120000Z', RULE]),
    { action: 'none', edit: { due_at: '2026-03-03T12:00:00Z', has_time: true } },
  ],
  [
    'a date before this one',
    plan(TASK, ['SUMMARY:Pills', 'DUE:20260301T070000Z', RULE]),
    { action: 'none', edit: { due_at: '2026-03-01T07:00:00Z', has_time: true } },
  ],
  [
    'a date that was closed',
    plan(TASK, ['SUMMARY:Pills', 'DUE:20260301T070000Z', RULE], { closed: new Set([YESTERDAY]) }),
    { action: 'none', edit: {}, isStale: true },
  ],
  [
    'a new rule and a date of the old one',
    plan(TASK, ['SUMMARY:Pills', NEXT, 'RRULE:FREQ=WEEKLY']),
    { action: 'none', form: null },
  ],
  ['B: completed', plan(TASK, ['SUMMARY:Pills', DUE, RULE, ...DONE]), { action: 'complete', form: 'B', edit: {} }],
  [
    'B: of another date',
    plan(TASK, ['SUMMARY:Pills', 'DUE:20260301T070000Z', RULE, ...DONE], { closed: new Set([YESTERDAY]) }),
    { action: 'none', isStale: true },
  ],
  [
    'B: the app knew another date',
    plan(TASK, ['SUMMARY:Pills', DUE, RULE, ...DONE, base(TASK, { due: YESTERDAY })]),
    { action: 'none', isStale: true },
  ],
  [
    'B: the app knew that it was done',
    plan(TASK, ['SUMMARY:Pills', DUE, RULE, ...DONE, base(TASK, { status: 'done' })]),
    { action: 'none' },
  ],
  [
    'B: a single task, moved meanwhile',
    plan(SINGLE, ['SUMMARY:Pills', 'DUE:20260301T070000Z', ...DONE, base(SINGLE, { due: YESTERDAY })]),
    { action: 'complete', edit: {} },
  ],
  [
    'C: an override',
    plan(TASK, [
      'BEGIN:VTODO',
      'UID:u',
      'SUMMARY:Pills',
      DUE,
      RULE,
      'END:VTODO',
      'BEGIN:VTODO',
      'UID:u',
      'RECURRENCE-ID:20260302T070000Z',
      ...DONE,
      'END:VTODO',
    ]),
    { action: 'complete', form: 'C' },
  ],
  [
    'C: of a date that is over',
    plan(TASK, [
      'BEGIN:VTODO',
      'UID:u',
      'SUMMARY:Pills',
      DUE,
      RULE,
      'END:VTODO',
      'BEGIN:VTODO',
      'UID:u',
      'RECURRENCE-ID:20260301T070000Z',
      ...DONE,
      'END:VTODO',
    ]),
    { action: 'none' },
  ],
  [
    'C: all day, as jtx Board writes it',
    plan(ALL_DAY, [
      'BEGIN:VTODO',
      'UID:u',
      'SUMMARY:Pills',
      'DUE;VALUE=DATE:20260302',
      RULE,
      'END:VTODO',
      'BEGIN:VTODO',
      'UID:u',
      'RECURRENCE-ID:20260302',
      ...DONE,
      'END:VTODO',
    ]),
    { action: 'complete', form: 'C' },
  ],
  [
    'D: the rule gone',
    plan(TASK, ['SUMMARY:Pills', DUE, ...DONE]),
    { action: 'complete', form: 'D', edit: { recurrence: null } },
  ],
  [
    'E: KDE',
    plan(TASK, ['SUMMARY:Pills', DUE, RULE, 'X-KDE-LIBKCAL-DTRECURRENCE:20260303T070000Z']),
    { action: 'complete', form: 'E', edit: {} },
  ],
  [
    'E: KDE, where the task is',
    plan(TASK, ['SUMMARY:Pills', DUE, RULE, 'X-KDE-LIBKCAL-DTRECURRENCE:20260302T070000Z']),
    { action: 'none' },
  ],
  ['cancelled', plan(TASK, ['SUMMARY:Pills', DUE, RULE, 'STATUS:CANCELLED']), { action: 'drop' }],
  [
    'an old copy, renamed',
    plan(SINGLE, ['SUMMARY:New', 'DUE:20260301T070000Z', base(SINGLE, { due: YESTERDAY })]),
    { edit: { title: 'New' } },
  ],
  [
    'an old copy of a done task',
    plan({ ...SINGLE, status: 'done' }, ['SUMMARY:Pills', DUE, base(SINGLE)]),
    { action: 'none' },
  ],
  [
    'a tick taken away',
    plan({ ...SINGLE, status: 'done' }, ['SUMMARY:Pills', DUE, base({ ...SINGLE, status: 'done' })]),
    { action: 'reopen' },
  ],
  [
    'a tick taken away, and nothing known',
    plan({ ...SINGLE, status: 'done' }, ['SUMMARY:Pills', DUE]),
    { action: 'none' },
  ],
];

test('what an app stores over a task means what its user did', () => {
  for (const [what, got, expected] of CASES) {
    const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, got[name as keyof typeof got]]));
    assert.deepEqual(shown, expected, what);
  }
});

const SUMMARY = 'SUMMARY:Pills';
const TIMED_ALONE = 'DUE:20260302T070000Z';
const DONE_TASK = { ...SINGLE, status: 'done' };
/** Repeats in a way that RRULE cannot say, so that apps know no rule. */
const UNSAID = { ...TASK, recurrence: '{"freq":"daily","from":"completion"}' };
const NEVER = { ...SINGLE, due_at: null, due_written: null, series_first: null } as unknown as typeof SINGLE;
const withOverride = (due: string, recurrenceId: string, ...state: string[]) => [
  ...['BEGIN:VTODO', 'UID:u', SUMMARY, due, RULE, 'END:VTODO'],
  ...['BEGIN:VTODO', 'UID:u', recurrenceId, ...state, 'END:VTODO'],
];
const keptWith = (changes: object) =>
  ({ keys: keysOf(TASK), startsBefore: null, ...changes }) as unknown as KnownTask['kept'];

test('an edit has every field that its user changed, and no other', () => {
  const edit = (...given: Parameters<typeof plan>) => plan(...given).edit;
  assert.deepEqual(edit(SINGLE, [SUMMARY, TIMED_ALONE, 'DESCRIPTION:with food']), { notes: 'with food' });
  assert.deepEqual(edit({ ...SINGLE, notes: 'a' } as never, [SUMMARY, TIMED_ALONE]), { notes: null });
  assert.deepEqual(edit(SINGLE, [SUMMARY, TIMED_ALONE, 'CATEGORIES:health']), { kind: 'health' });
  assert.deepEqual(edit(SINGLE, [SUMMARY]), { due_at: null });
  assert.deepEqual(edit(TASK, [SUMMARY, RULE]), { due_at: null }, 'a rule stays for the next date');
  assert.deepEqual(edit(TASK, [SUMMARY]), { due_at: null, recurrence: null });
  assert.deepEqual(edit(SINGLE, [SUMMARY, 'DUE;VALUE=DATE:20260305']), {
    due_at: '2026-03-05T00:00:00',
    has_time: false,
  });
  assert.deepEqual(edit(SINGLE, [SUMMARY, TIMED_ALONE, RULE]), { recurrence: { rrule: 'FREQ=DAILY' } });
  assert.deepEqual(edit(TASK, [SUMMARY, DUE, 'RRULE:FREQ=WEEKLY']), { recurrence: { rrule: 'FREQ=WEEKLY' } });
  assert.deepEqual(edit(NEVER, [SUMMARY, TIMED_ALONE]), { due_at: '2026-03-02T07:00:00Z', has_time: true });
  // What was changed here meanwhile stays, and what both changed in the same way needs nothing.
  const renamed = { ...SINGLE, title: 'Vitamins' };
  assert.deepEqual(edit(renamed, [SUMMARY, TIMED_ALONE, base(SINGLE)]), {});
  assert.deepEqual(edit(renamed, ['SUMMARY:Vitamins', TIMED_ALONE, base(SINGLE)]), {});
  assert.deepEqual(edit(renamed, [SUMMARY, TIMED_ALONE, base(SINGLE)], { isVerified: true }), { title: 'Pills' });
});

test('a date of a series whose rule an app does not know moves alone', () => {
  const edit = (...given: Parameters<typeof plan>) => plan(...given).edit;
  assert.deepEqual(edit(UNSAID, [SUMMARY, 'DUE:20260304T070000Z']), {
    move: { due_at: '2026-03-04T07:00:00Z', date_only: false },
  });
  const day = { ...UNSAID, has_time: false, due_written: '2026-03-02T00:00:00', series_first: '2026-03-02T00:00:00' };
  assert.deepEqual(edit(day, [SUMMARY, 'DUE;VALUE=DATE:20260304']), {
    move: { due_at: '2026-03-04T00:00:00', date_only: true },
  });
  assert.deepEqual(edit(UNSAID, [SUMMARY, 'DUE;VALUE=DATE:20260304']), {
    due_at: '2026-03-04T00:00:00',
    has_time: false,
  });
  assert.deepEqual(edit(UNSAID, [SUMMARY]), { due_at: null });
  const idle = { ...NEVER, recurrence: UNSAID.recurrence } as unknown as typeof TASK;
  const dated = { due_at: '2026-03-04T07:00:00Z', has_time: true };
  assert.deepEqual(edit(idle, [SUMMARY, 'DUE:20260304T070000Z']), dated, 'there is no date that could move');
  const both = edit(UNSAID, [SUMMARY, 'DUE:20260304T070000Z', RULE]);
  assert.deepEqual(both, { due_at: '2026-03-04T07:00:00Z', has_time: true, recurrence: { rrule: 'FREQ=DAILY' } });
});

test('a done task is opened by who knew that it was done, with what else they changed', () => {
  const lines = ['SUMMARY:New', 'DUE:20260304T070000Z', 'CATEGORIES:health'];
  const all = { title: 'New', kind: 'health', due_at: '2026-03-04T07:00:00Z', has_time: true };
  const opened = plan(DONE_TASK, [...lines, base(DONE_TASK)]);
  assert.deepEqual([opened.action, opened.edit], ['reopen', all]);
  assert.equal(plan(DONE_TASK, [SUMMARY, TIMED_ALONE], { isVerified: true }).action, 'reopen');
  assert.equal(
    plan(DONE_TASK, [SUMMARY, TIMED_ALONE], { kept: keptWith({ keys: { ...keysOf(SINGLE), status: 'done' } }) }).action,
    'reopen',
  );
  assert.equal(plan(DONE_TASK, [SUMMARY, TIMED_ALONE], { kept: keptWith({}) }).action, 'none');
  const old = plan(DONE_TASK, [...lines, base(SINGLE)]);
  assert.deepEqual([old.action, old.edit], ['none', { title: 'New' }], 'an old copy changes texts alone');
  assert.equal(plan(DONE_TASK, [SUMMARY, TIMED_ALONE, ...DONE], { isVerified: true }).action, 'none');
  const wasDone = keptWith({ keys: { ...keysOf(SINGLE), status: 'done' } });
  const dropped = { ...SINGLE, status: 'dropped' };
  for (const known of [{ isVerified: true }, { kept: wasDone }])
    assert.equal(plan(dropped, [SUMMARY, TIMED_ALONE], known).action, 'none');
  const cancelled = [SUMMARY, TIMED_ALONE, 'STATUS:CANCELLED'];
  assert.equal(plan(DONE_TASK, cancelled, { isVerified: true }).action, 'none', 'dropped is not open');
});

test('a single task is done once, and a series only by who knew where it is', () => {
  const of = (...given: Parameters<typeof plan>) => {
    const { action, form, isStale } = plan(...given);
    return [action, form, isStale];
  };
  assert.deepEqual(of(SINGLE, [SUMMARY, TIMED_ALONE, ...DONE]), ['complete', 'B', false]);
  assert.deepEqual(of(SINGLE, [SUMMARY, TIMED_ALONE]), ['none', null, false]);
  assert.deepEqual(of(SINGLE, [SUMMARY, TIMED_ALONE, ...DONE, base({ ...SINGLE, status: 'done' })]), [
    'none',
    null,
    false,
  ]);
  const untick = base({ ...SINGLE, status: 'done' });
  assert.deepEqual(of(SINGLE, [SUMMARY, TIMED_ALONE, untick]), ['none', null, false], 'a tick taken away is no Done');
  assert.deepEqual(of(TASK, [SUMMARY, DUE, RULE, base(TASK, { status: 'done' })]), ['none', null, false]);
  assert.deepEqual(of(NEVER, [SUMMARY, ...DONE]), ['complete', 'B', false]);
  const elsewhere = [SUMMARY, 'DUE:20260304T120000Z', RULE, ...DONE];
  assert.deepEqual(of(TASK, elsewhere), ['none', null, false], 'a date that nobody knows');
  assert.deepEqual(of(TASK, elsewhere, { isVerified: true }), ['complete', 'B', false]);
  assert.deepEqual(of(TASK, [...elsewhere, base(TASK)]), ['complete', 'B', false]);
  assert.deepEqual(of(UNSAID, [SUMMARY, DUE, ...DONE]), ['complete', 'B', false], 'no rule was there to go');
  const closed = new Set([YESTERDAY, keysOf(TASK).due]);
  assert.deepEqual(of(TASK, [SUMMARY, DUE, RULE, ...DONE], { closed }), ['complete', 'B', false]);
  assert.deepEqual(of(SINGLE, [SUMMARY, 'DUE:20260301T070000Z', ...DONE], { closed }), ['complete', 'B', false]);
  assert.deepEqual(of(TASK, [SUMMARY, 'DUE:20260301T070000Z', RULE], { closed, isVerified: true }), [
    'none',
    null,
    false,
  ]);
  const cancelled = [SUMMARY, DUE, RULE, 'STATUS:CANCELLED'];
  assert.deepEqual(of(TASK, [...cancelled, base(TASK, { due: YESTERDAY })]), ['none', null, true]);
  assert.deepEqual(of(TASK, [...cancelled, base(TASK, { status: 'dropped' })]), ['none', null, false]);
});

test('an override closes the present occurrence, named by its due date or its start', () => {
  const at = (task: typeof TASK, due: string, id: string, startsBefore: number | null, state = DONE) =>
    plan(task, withOverride(due, id, ...state), { kept: keptWith({ startsBefore }) }).form;
  assert.equal(at(TASK, DUE, 'RECURRENCE-ID:20260302T070000Z', null), 'C');
  assert.equal(at(TASK, DUE, 'RECURRENCE-ID:20260302T070000Z', null, []), null);
  assert.equal(at(TASK, DUE, 'RECURRENCE-ID:20260302T060000Z', 3_600), 'C');
  assert.equal(at(TASK, DUE, 'RECURRENCE-ID:20260302T080000Z', 3_600), null);
  assert.equal(at(TASK, DUE, 'RECURRENCE-ID:20260302T060000Z', null), null);
  assert.equal(at(TASK, DUE, 'RECURRENCE-ID;VALUE=DATE:20260301', 86_400), null);
  const day = 'DUE;VALUE=DATE:20260302';
  assert.equal(at(ALL_DAY, day, 'RECURRENCE-ID;VALUE=DATE:20260228', 2), 'C');
  assert.equal(at(ALL_DAY, day, 'RECURRENCE-ID;VALUE=DATE:20260301', 2), null);
  assert.equal(at(ALL_DAY, day, 'RECURRENCE-ID;VALUE=DATE:20260301', 0), null);
  assert.equal(at(ALL_DAY, day, 'RECURRENCE-ID:20260228T070000Z', 2), null);
  assert.equal(at(ALL_DAY, day, 'RECURRENCE-ID:20260302T000000Z', 0), null, 'a day is no midnight');
});

test('a start that was counted in seconds, years before a task became one of a whole day, names no occurrence', () => {
  const years = keptWith({ startsBefore: 4 * 366 * 86_400 });
  const lines = withOverride('DUE;VALUE=DATE:20260302', 'RECURRENCE-ID;VALUE=DATE:20260301', ...DONE);
  assert.equal(plan(ALL_DAY, lines, { kept: years }).form, null);
});

test('an app goes on by at most twenty occurrences, along the rule', () => {
  const goesOn = (task: typeof TASK, due: string, ...lines: string[]) =>
    plan(task, [SUMMARY, due, RULE, ...lines]).form;
  assert.equal(goesOn(TASK, 'DUE:20260323T070000Z'), 'A', 'the 21st next one');
  assert.equal(goesOn(TASK, 'DUE:20260324T070000Z'), null);
  assert.equal(goesOn(TASK, 'DUE:20260330T060000Z'), null);
  assert.equal(goesOn(TASK, 'DUE;VALUE=DATE:20260303'), null);
  assert.equal(goesOn(TASK, 'DUE:20260304T080000Z'), null, 'a time between two of them');
  // The clocks of Berlin were 53 minutes and 28 seconds ahead.
  const old = { ...TASK, due_at: at('1880-03-02T07:06:32Z'), series_first: '1880-03-02T08:00:00' };
  assert.equal(goesOn({ ...old, due_written: '1880-03-02T08:00:00' }, 'DUE:18800305T070632Z'), 'A');
  assert.equal(goesOn(ALL_DAY, 'DUE;VALUE=DATE:20260310'), 'A');
  assert.equal(goesOn(ALL_DAY, 'DUE;VALUE=DATE:20260410'), null);
  assert.equal(goesOn(ALL_DAY, 'DUE:20260303T070000Z'), null);
  assert.equal(goesOn({ ...TASK, recurrence: '{"freq":"daily","count":3}' }, 'DUE:20260304T070000Z'), 'A');
  assert.equal(
    goesOn({ ...TASK, recurrence: '{"freq":"daily","count":3}' }, 'DUE:20260305T070000Z'),
    null,
    'after its end',
  );
  assert.equal(
    goesOn(TASK, 'DUE:20260304T070000Z', base(TASK, { due: String(at('2026-03-04T07:00:00Z').getTime() / 1_000) })),
    null,
  );
  const { goOnTo } = planChange(
    { task: TASK, zone: 'Europe/Berlin', keys: keysOf(TASK), kept: null, isVerified: false, closed: new Set() },
    readEntry(
      ['BEGIN:VCALENDAR', 'BEGIN:VTODO', 'UID:u', SUMMARY, NEXT, RULE, 'END:VTODO', 'END:VCALENDAR'].join('\r\n'),
      { zone: 'Europe/Berlin', now: NOW },
    ),
  );
  assert.equal(goOnTo, String(at('2026-03-03T07:00:00Z').getTime() / 1_000));
  assert.equal(plan(UNSAID, [SUMMARY, NEXT]).form, null, 'an app that knows no rule follows none');
});

test('an occurrence is told by its second, or by its day in the zone', () => {
  const moment = at('2026-03-04T23:30:00Z');
  assert.equal(keyOfOccurrence(moment, true, 'Europe/Berlin'), String(moment.getTime() / 1_000));
  assert.equal(keyOfOccurrence(moment, false, 'Europe/Berlin'), '2026-03-05');
});
