/** Reviews by a prompt, and resources instead of tools. */
import { act, byBob, type Job, task, timed } from '../job.ts';

export const reviews: readonly Job[] = [
  {
    ask: 'What is on today, and what have I done already?',
    given: [
      timed('Stand-up', '2026-03-05T11:00'),
      timed('Parcel', '2026-03-04T17:00', { mode: 'notify_once' }, '2026-03-04T09:00'),
      timed('Swim', '2026-03-06T07:00'),
      byBob(task('Bob’s plan')),
      task('Dishes', {}, '2026-03-05T08:00'),
      act('complete', 'Dishes', '2026-03-05T09:00'),
    ],
    calls: [
      {
        call: 'crescendo://today',
        with: null,
        says: [/"due":\[[^\]]*Parcel[^\]]*Stand-up/, /"done":\[[^\]]*Dishes/, '"date":"2026-03-05"'],
        hides: ['Swim', 'Bob’s plan'],
      },
    ],
    budget: { calls: 1, tokens: 300 },
  },
  {
    ask: 'Tell me about the task {Boiler}, not {Bob’s letter}.',
    given: [timed('Boiler', '2026-03-06T12:00', { notes: 'call the landlord' }), byBob(task('Bob’s letter'))],
    calls: [
      { call: 'crescendo://tasks/{Bob’s letter}', with: null, refused: ['no such resource'] },
      { call: 'crescendo://tasks/{Boiler}', with: null, says: ['"Boiler"', 'call the landlord', '12:00'] },
    ],
    budget: { calls: 2, tokens: 320 },
  },
  {
    ask: 'Look back on today with me.',
    given: [
      timed('Pills', '2026-03-05T08:00', { recurrence: { freq: 'daily' } }, '2026-03-05T07:00'),
      act('complete', 'Pills', '2026-03-05T08:30'),
      timed('Call Mum', '2026-03-05T09:30'),
    ],
    calls: [
      { call: 'evening_review', with: null, says: ['list_outcomes', 'agenda'] },
      { call: 'list_outcomes', with: { from: '2026-03-05', until: '2026-03-05' }, says: ['Pills', 'Call Mum'] },
      { call: 'list_tasks', with: { due_until: '2026-03-06' }, says: ['Call Mum', 'Pills'] },
    ],
    budget: { calls: 3, tokens: 700 },
  },
  {
    ask: 'Review my week with me.',
    given: [
      timed('Stretch', '2026-03-02T09:00', { recurrence: { freq: 'daily' } }, '2026-03-02T08:00'),
      act('complete', 'Stretch', '2026-03-04T20:00'),
    ],
    calls: [
      { call: 'week_review', with: null, refused: ['no such prompt', 'weekly_review'] },
      { call: 'weekly_review', with: null, says: ['list_outcomes', 'missed more than once'] },
      { call: 'list_outcomes', with: {}, says: ['"done":1', /"missed":\[[^\]]*Stretch/] },
    ],
    budget: { calls: 3, tokens: 700 },
  },
];
