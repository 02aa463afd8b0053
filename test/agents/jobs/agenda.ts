/** Days ahead with all that repeats, rules as models write them, and searches that are nearly right. */
import { act, type Job, plannedPause, settings, task, timed } from '../job.ts';

export const agenda: readonly Job[] = [
  {
    ask: 'What does my Saturday look like?',
    given: [
      timed(
        'Pills',
        '2026-03-02T08:00',
        { recurrence: { freq: 'daily', by_time: ['08:00', '20:00'] } },
        '2026-03-02T07:30',
      ),
      act('complete', 'Pills', '2026-03-02T08:05'),
      timed('Market', '2026-03-07T10:00'),
      timed('Report', '2026-03-05T09:30'),
      act('snooze', 'Report', undefined, { until: '2026-03-07T09:00' }),
      timed('Opera', '2026-03-08T19:00'),
    ],
    calls: [
      {
        call: 'list_tasks',
        with: { due_from: '2026-03-07', due_until: '2026-03-07' },
        says: ['Market', '1 repeating task has further occurrences', '1 task is snoozed into it', 'agenda'],
      },
      {
        call: 'agenda',
        with: { from: '2026-03-07', until: '2026-03-07' },
        says: [
          /08:00[\s\S]*"Pills"[\s\S]*09:00[\s\S]*"Report"[\s\S]*10:00[\s\S]*"Market"[\s\S]*20:00[\s\S]*"Pills"/,
          '"kind":"snoozed"',
        ],
        hides: ['Opera'],
      },
    ],
    budget: { calls: 2, tokens: 480 },
  },
  {
    // The end is the same moment in another zone.
    ask: 'What will still ring this evening, after eight?',
    given: [
      timed('Lunch', '2026-03-05T12:00'),
      timed('Dishwasher', '2026-03-05T21:00'),
      timed('Late film', '2026-03-05T23:59'),
      task('Tidy up', { due_at: '2026-03-05T00:00:00' }),
    ],
    calls: [
      {
        call: 'agenda',
        with: { from: '2026-03-05T20:00', until: '2026-03-05T22:30Z' },
        says: ['Dishwasher', 'Tidy up'],
        hides: ['Lunch', 'Late film'],
      },
      {
        call: 'agenda',
        with: { from: '2026-03-06 6 am', until: '2026-03-06 8 am' },
        says: ['Nothing is due, repeats, nudges or was missed in this span.'],
      },
    ],
    budget: { calls: 2, tokens: 250 },
  },
  {
    ask: 'When are the next three choir practices?',
    given: [
      timed('Choir', '2026-03-03T19:30', { recurrence: { freq: 'weekly' } }, '2026-03-02T08:00'),
      act('complete', 'Choir', '2026-03-03T22:00'),
    ],
    calls: [
      { call: 'list_tasks', with: { text: 'choir' }, says: ['2026-03-10'] },
      {
        call: 'agenda',
        with: { task_id: '{Choir}', until: '2026-04-30', limit: 3 },
        says: ['Tue 2026-03-10', 'Tue 2026-03-17', 'Tue 2026-03-24'],
        hides: ['2026-03-31'],
      },
    ],
    budget: { calls: 2, tokens: 400 },
  },
  {
    ask: 'I am away next week: what will wait for me, and until when?',
    given: [plannedPause('2026-03-09T00:00', '2026-03-14T00:00'), timed('Car tax', '2026-03-10T09:00')],
    calls: [
      {
        call: 'agenda',
        with: { from: '2026-03-09', until: '2026-03-13' },
        says: ['Car tax', '"next":"2026-03-14T00:00"', '"held_by":"pause"'],
      },
    ],
    budget: { calls: 1, tokens: 190 },
  },
  {
    ask: 'Which of my evening doses rings only the next morning?',
    given: [
      settings({ quiet_hours_start: '22:00', quiet_hours_end: '07:00' }),
      timed('Dose', '2026-03-05T22:30', { recurrence: { freq: 'daily' } }),
    ],
    calls: [
      {
        call: 'agenda',
        with: { from: '2026-03-05', until: '2026-03-06' },
        says: ['"held_by":"quiet_hours"', '2026-03-06T07:00', '2026-03-07T07:00'],
      },
    ],
    budget: { calls: 1, tokens: 240 },
  },
  {
    ask: 'What did I miss of my eye drops this week?',
    given: [timed('Eye drops', '2026-03-02T08:00', { recurrence: { freq: 'daily' } }, '2026-03-02T07:30')],
    calls: [
      {
        call: 'agenda',
        with: { from: '2026-03-02', until: '2026-03-05' },
        says: ['"status":"overdue"', /Tue 2026-03-03[\s\S]*"status":"missed"/, 'Wed 2026-03-04'],
      },
    ],
    budget: { calls: 1, tokens: 260 },
  },
  {
    ask: 'Book club is on the last Friday of each month until June, at eight.',
    calls: [
      {
        call: 'create_task',
        with: {
          title: 'Book club',
          due_at: '2026-03-27T20:00',
          recurrence: { rrule: 'FREQ=MONTHLY', by_weekday: ['-1fr'], until: '2026-06-30' },
        },
        says: ['every month on the last Fri, until 2026-06-30'],
        hides: ['off the rule'],
      },
    ],
    leaves: {
      tasks: { 'Book club': { recurrence: { rrule: 'FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20260630' } } },
    },
    budget: { calls: 1, tokens: 400 },
  },
  {
    ask: 'Water the ferns every Saturday, beginning tomorrow, until last month.',
    calls: [
      {
        call: 'create_task',
        with: {
          title: 'Ferns',
          due_at: '2026-03-06',
          recurrence: { freq: 'weekly', by_weekday: 'sa', until: '2026-02-28' },
        },
        refused: ['recurrence.until', '2026-02-28 is before the first date', '6 March 2026'],
      },
      {
        call: 'create_task',
        with: {
          title: 'Ferns',
          due_at: '2026-03-06',
          recurrence: { freq: 'weekly', by_weekday: 'sa', until: '2026-04-30' },
        },
        says: ['the first date is off the rule', 'Due Friday, 6 March 2026', 'Saturday, 7 March 2026'],
      },
    ],
    leaves: { tasks: { Ferns: { due_at: '2026-03-05T23:00:00.000Z' } } },
    budget: { calls: 2, tokens: 620 },
  },
  {
    ask: 'Have I got anything about taking out the muell on the strasse?',
    given: [task('Müll auf die Straße'), task('Straße fegen', { notes: 'vor dem Haus' }), task('Tee')],
    calls: [
      {
        call: 'list_tasks',
        with: { text: 'muell strasse' },
        says: [/Müll auf die Straße[\s\S]*Straße fegen/, 'The last 1 has only some of the words'],
        hides: ['Tee'],
      },
      {
        call: 'list_tasks',
        with: { text: 'gartenzwerg' },
        says: ['Searched: tasks with status open', 'titles, notes and kinds', 'status \\"all\\"'],
      },
    ],
    budget: { calls: 2, tokens: 300 },
  },
];
