import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type KnownTask, planChange } from './planned-change.ts';
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
