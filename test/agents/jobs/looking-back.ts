/** What was done, what was skipped, and what comes next. */
import { act, type Job, settings, timed } from '../job.ts';

const EXERCISES = timed(
  'Back exercises',
  '2026-03-02T08:00',
  { recurrence: { freq: 'daily' }, mode: 'notify_once' },
  '2026-03-02T07:30',
);

export const lookingBack: readonly Job[] = [
  {
    ask: 'Did I do my exercises this week?',
    given: [
      EXERCISES,
      act('complete', 'Back exercises', '2026-03-02T08:20'),
      act('skip', 'Back exercises', '2026-03-03T09:00'),
      act('complete', 'Back exercises', '2026-03-04T08:05'),
      timed('Buy a mat', '2026-03-06T12:00'),
      act('complete', 'Buy a mat'),
    ],
    calls: [
      {
        call: 'list_outcomes',
        with: { from: '2026-03-02', until: '2026-03-05', text: 'exercises' },
        says: [/"done": ?2/, /"skipped": ?1/, 'Mon 2026-03-02', 'Tue 2026-03-03', 'Wed 2026-03-04', 'still_open'],
        hides: ['Buy a mat'],
      },
    ],
    budget: { calls: 1, tokens: 360 },
  },
  {
    ask: 'What did I get done yesterday?',
    given: [
      timed('Send the invoice', '2026-03-04T15:00', {}, '2026-03-04T09:00'),
      timed('Call the bank', '2026-03-04T16:00', {}, '2026-03-04T09:00'),
      timed('Order flowers', '2026-03-03T16:00', {}, '2026-03-03T09:00'),
      act('complete', 'Order flowers', '2026-03-03T15:00'),
      act('complete', 'Send the invoice', '2026-03-04T14:00'),
      act('complete', 'Call the bank', '2026-03-04T15:30'),
    ],
    calls: [
      {
        call: 'list_outcomes',
        with: { from: '2026-03-04', until: '2026-03-04' },
        says: ['Send the invoice', 'Call the bank', /"done": ?2/],
        hides: ['Order flowers'],
      },
    ],
    budget: { calls: 1, tokens: 200 },
  },
  {
    ask: 'When will you remind me of the boiler, and how loud?',
    given: [
      settings({ quiet_hours_start: '22:00', quiet_hours_end: '07:00' }),
      timed('Check the boiler', '2026-03-05T23:00'),
    ],
    calls: [
      { call: 'list_tasks', with: { text: 'boiler' }, says: ['Check the boiler'] },
      { call: 'task_status', with: { task_id: '{Check the boiler}' }, says: ['07:00', /quiet.hours/i, '07:15'] },
    ],
    budget: { calls: 2, tokens: 720 },
  },
  {
    ask: 'How often have you reminded me of the tax return?',
    given: [timed('Tax return', '2026-03-05T09:00', {}, '2026-03-04T09:00')],
    calls: [
      { call: 'task_status', with: { task_id: 'tax return' }, refused: ['task_id', 'Tax return'] },
      { call: 'task_status', with: { task_id: '{Tax return}' }, says: [/5 (nudges|reminders|times)/] },
    ],
    budget: { calls: 2, tokens: 940 },
  },
  {
    ask: 'Go through my day with me.',
    given: [
      timed('Stand-up', '2026-03-05T11:00'),
      timed('Parcel', '2026-03-04T17:00', { mode: 'notify_once' }, '2026-03-04T09:00'),
      timed('Swim', '2026-03-06T07:00'),
    ],
    calls: [
      { call: 'morning_review', with: null, says: ['list_tasks'] },
      { call: 'list_tasks', with: { due_until: '2026-03-05' }, says: ['Stand-up', 'Parcel'], hides: ['Swim'] },
    ],
    budget: { calls: 2, tokens: 380 },
  },
  {
    ask: 'What did I get done today?',
    given: [
      timed('Tax letter', '2026-03-03T12:00', { mode: 'notify_once' }, '2026-03-02T09:00'),
      timed('Roast', '2026-03-08T12:00', { recurrence: { freq: 'weekly' } }, '2026-03-04T09:00'),
      timed('Pills', '2026-03-05T08:00', { recurrence: { freq: 'daily' } }, '2026-03-05T07:00'),
      act('complete', 'Pills', '2026-03-05T08:10:03.250'),
      act('complete', 'Tax letter', '2026-03-05T09:15:07.123'),
      act('skip', 'Roast', '2026-03-05T09:20:07.123'),
    ],
    calls: [
      {
        call: 'list_outcomes',
        with: { from: '2026-03-05', until: '2026-03-05' },
        says: [
          '"done":1,"skipped":0',
          /"of_other_days":\[[^\]]*Roast[^\]]*"due_at":"2026-03-08T12:00"/,
          /"Tax letter"[^}]*"outcome":"done","due_at":"2026-03-03T12:00","at":"2026-03-05T09:15"/,
          /"day":"Thu 2026-03-05","done":\[\{"title":"Pills"/,
        ],
        hides: [/\d:\d\d:\d\d/],
      },
      { call: 'crescendo://today', with: null, says: ['Tax letter', '"at":"2026-03-05T09:15"'], hides: [/\.\d\d/] },
    ],
    budget: { calls: 2, tokens: 600 },
  },
  {
    ask: 'Did I skip the roast of Sunday?',
    given: [
      timed('Roast', '2026-03-08T12:00', { recurrence: { freq: 'weekly' } }, '2026-03-04T09:00'),
      act('skip', 'Roast', '2026-03-05T09:20'),
    ],
    calls: [
      {
        call: 'list_outcomes',
        with: { text: 'roast', from: '2026-03-08T00:30+01:00', until: '2026-03-08T23:30Z' },
        says: ['"from":"2026-03-08","until":"2026-03-09"', '"skipped":1', 'Sun 2026-03-08'],
        hides: ['of_other_days'],
      },
    ],
    budget: { calls: 1, tokens: 200 },
  },
];
