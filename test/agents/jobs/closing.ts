/** Done, skipped, dropped, put off, and taken back. */
import { act, type Job, task, timed } from '../job.ts';

const DAILY = { recurrence: { freq: 'daily' } };

export const closing: readonly Job[] = [
  {
    ask: 'I have just taken my vitamins.',
    given: [timed('Vitamins', '2026-03-05T09:30', DAILY)],
    calls: [
      { call: 'list_tasks', with: { text: 'vitamins' }, says: [/every day/i] },
      {
        call: 'complete_task',
        with: { task_id: '{Vitamins}', occurrence_due_at: '{Vitamins.due_at}' },
        says: ['Vitamins', /6 Mar|2026-03-06|tomorrow/],
      },
    ],
    leaves: { tasks: { Vitamins: { status: 'open', due_at: '2026-03-06T08:30:00.000Z' } }, outcomes: { Vitamins: 1 } },
    budget: { calls: 2, tokens: 520 },
  },
  {
    ask: 'I was at the shop: milk, bread and eggs are done.',
    given: [task('Milk'), task('Bread'), task('Eggs'), task('Batteries')],
    calls: [
      { call: 'close_tasks', with: { task_ids: ['Milk', 'Bread', 'Eggs'], as: 'done' }, refused: ['Milk', 'Eggs'] },
      {
        call: 'close_tasks',
        with: { task_ids: ['{Milk}', '{Bread}', '{Eggs}'], as: 'done' },
        says: [/"dry_run": ?true/, 'Bread', 'code'],
        hides: ['Batteries'],
      },
      {
        call: 'close_tasks',
        with: { task_ids: ['{Milk}', '{Bread}', '{Eggs}'], as: 'done', code: '{code}' },
        says: [/"closed": ?3/],
      },
    ],
    leaves: {
      tasks: { Milk: { status: 'done' }, Bread: { status: 'done' }, Eggs: { status: 'done' } },
      outcomes: { Milk: 1, Bread: 1, Eggs: 1 },
    },
    budget: { calls: 3, tokens: 900 },
  },
  {
    ask: 'We did not get the old flat, drop everything about it.',
    given: [task('Measure the old flat'), timed('Visit the old flat', '2026-03-07T10:00'), task('Feed the cat')],
    calls: [
      { call: 'list_tasks', with: { text: 'old flat' }, hides: ['Feed the cat'] },
      {
        call: 'close_tasks',
        with: { task_ids: ['{Measure the old flat}', '{Visit the old flat}'], as: 'dropped' },
        says: [/"dry_run": ?true/, 'Measure the old flat', 'Visit the old flat', 'code'],
      },
      {
        call: 'close_tasks',
        with: { task_ids: ['{Measure the old flat}', '{Visit the old flat}'], as: 'dropped', code: '{code}' },
        says: [/"closed": ?2/],
      },
    ],
    leaves: { tasks: { 'Measure the old flat': { status: 'dropped' }, 'Visit the old flat': { status: 'dropped' } } },
    budget: { calls: 3, tokens: 630 },
  },
  {
    ask: 'Oops, the gas bill is not paid after all.',
    given: [timed('Pay the gas bill', '2026-03-06T12:00'), act('complete', 'Pay the gas bill')],
    calls: [
      { call: 'list_tasks', with: { status: 'done', text: 'gas bill' }, says: ['Pay the gas bill'] },
      { call: 'reopen_task', with: { task_id: '{Pay the gas bill}' }, says: ['Pay the gas bill', '12:00'] },
    ],
    leaves: {
      tasks: { 'Pay the gas bill': { status: 'open', due_at: '2026-03-06T11:00:00.000Z' } },
      outcomes: { 'Pay the gas bill': -1 },
    },
    budget: { calls: 2, tokens: 430 },
  },
  {
    ask: 'No run this evening, the knee hurts.',
    given: [timed('Run', '2026-03-05T18:00', DAILY), timed('Walk the dog', '2026-03-05T19:00', DAILY)],
    calls: [
      { call: 'list_tasks', with: { text: 'run' }, says: ['2026-03-05T18:00'], hides: ['Walk the dog'] },
      { call: 'close_tasks', with: { task_ids: ['{Run}'], as: 'skipped' }, says: ['Run', /"closed": ?1/] },
    ],
    leaves: { tasks: { Run: { status: 'open', due_at: '2026-03-06T17:00:00.000Z' } }, outcomes: { Run: 1 } },
    budget: { calls: 2, tokens: 260 },
  },
  {
    ask: 'What is overdue? Ask me again about it tomorrow at 8.',
    given: [
      timed('Tax form', '2026-03-04T12:00', { mode: 'notify_once' }, '2026-03-04T09:00'),
      timed('Library books', '2026-03-05T08:00', { mode: 'notify_once' }, '2026-03-04T09:00'),
      timed('Theatre', '2026-03-08T19:00'),
    ],
    calls: [
      { call: 'list_tasks', with: { status: 'overdue' }, says: ['Tax form', 'Library books'], hides: ['Theatre'] },
      { call: 'snooze_task', with: { task_id: '{Tax form}', until: '08:00' }, refused: ['until', '5 March 2026'] },
      { call: 'snooze_task', with: { task_id: '{Tax form}', until: '2026-03-06T08:00' }, says: ['08:00'] },
      { call: 'snooze_task', with: { task_id: '{Library books}', until: '2026-03-06T08:00' }, says: ['08:00'] },
    ],
    leaves: {
      tasks: {
        'Tax form': { deferred_until: '2026-03-06T07:00:00.000Z' },
        'Library books': { deferred_until: '2026-03-06T07:00:00.000Z' },
      },
    },
    budget: { calls: 4, tokens: 1_000 },
  },
];
