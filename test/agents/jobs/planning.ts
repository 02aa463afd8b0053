/** Adding, finding and changing tasks. */
import { type Job, task, timed } from '../job.ts';

export const planning: readonly Job[] = [
  {
    ask: 'Remind me to call the dentist tomorrow at 9.',
    calls: [
      {
        call: 'create_task',
        with: { title: 'Call the dentist', due_at: '2026-03-06T09:00' },
        says: ['Call the dentist', '09:00'],
      },
    ],
    leaves: { tasks: { 'Call the dentist': { due_at: '2026-03-06T08:00:00.000Z', has_time: true, recurrence: null } } },
    budget: { calls: 1, tokens: 280 },
  },
  {
    ask: 'I have to take my pills every day at 8 in the morning and 8 in the evening.',
    calls: [
      {
        call: 'create_task',
        with: {
          title: 'Take my pills',
          due_at: '2026-03-05T20:00',
          recurrence: { freq: 'daily', by_time: ['08:00', '20:00'] },
          break_quiet_hours: true,
        },
        says: [/every day/i, '08:00', '20:00', /quiet hours/i],
      },
    ],
    leaves: {
      tasks: {
        'Take my pills': {
          due_at: '2026-03-05T19:00:00.000Z',
          recurrence: { freq: 'daily', by_time: ['08:00', '20:00'] },
          break_quiet_hours: true,
        },
      },
    },
    budget: { calls: 1, tokens: 400 },
  },
  {
    ask: 'Rent is due on the 1st of every month, tell me two days before.',
    calls: [
      {
        call: 'create_task',
        with: {
          title: 'Pay the rent',
          due_at: '2026-04-01',
          recurrence: 'FREQ=MONTHLY;BYMONTHDAY=1',
          lead_time_days: 2,
        },
        says: [/month/i, /2 days/],
      },
    ],
    leaves: {
      tasks: { 'Pay the rent': { has_time: false, lead_time_days: 2, next_fire_at: '2026-03-30T07:00:00.000Z' } },
    },
    budget: { calls: 1, tokens: 360 },
  },
  {
    ask: 'Put three things on my list: buy milk, call mum on Saturday at 11, and water the plants every 3 days.',
    calls: [
      {
        call: 'create_tasks',
        with: {
          tasks: [
            { title: 'Buy milk' },
            { title: 'Call mum', due_at: '2026-03-07T11:00' },
            { title: 'Water the plants', due_at: '2026-03-06', recurrence: { every: 3, unit: 'days' } },
          ],
        },
        says: ['Buy milk', 'Call mum', 'Water the plants', /every 3 days/i],
      },
    ],
    leaves: {
      tasks: {
        'Buy milk': { due_at: null },
        'Call mum': { due_at: '2026-03-07T10:00:00.000Z' },
        'Water the plants': { has_time: false },
      },
    },
    budget: { calls: 1, tokens: 310 },
  },
  {
    ask: 'What do I have to do this weekend?',
    given: [
      task('Clean the windows', { due_at: '2026-03-07T00:00:00' }),
      timed('Lunch with Eva', '2026-03-08T12:30'),
      timed('Team meeting', '2026-03-09T09:00'),
      timed('Groceries', '2026-03-06T17:00'),
    ],
    calls: [
      {
        call: 'list_tasks',
        with: { due_after: '2026-03-07', due_before: '2026-03-08' },
        refused: ['invalid_input', 'due_from', 'due_until'],
      },
      {
        call: 'list_tasks',
        with: { due_from: '2026-03-07', due_until: '2026-03-08' },
        says: ['Clean the windows', 'Lunch with Eva'],
        hides: ['Team meeting', 'Groceries'],
      },
    ],
    budget: { calls: 2, tokens: 270 },
  },
  {
    // The offset is wrong, and the result shows it.
    ask: 'Move the haircut an hour later.',
    given: [timed('Haircut', '2026-03-06T15:00', { notes: 'ask for Sam' })],
    calls: [
      { call: 'list_tasks', with: { text: 'haircut' }, says: ['2026-03-06T15:00'] },
      { call: 'update_task', with: { task_id: '{Haircut}', due_at: '2026-03-06T16:00:00Z' }, says: ['at 17:00'] },
      { call: 'update_task', with: { task_id: '{Haircut}', due_at: '2026-03-06T16:00' }, says: ['at 16:00'] },
    ],
    leaves: { tasks: { Haircut: { due_at: '2026-03-06T15:00:00.000Z', has_time: true, notes: 'ask for Sam' } } },
    budget: { calls: 3, tokens: 730 },
  },
  {
    ask: 'This week I go to the gym on Friday instead of today.',
    given: [timed('Gym', '2026-03-05T18:00', { recurrence: { freq: 'weekly', by_weekday: ['th'] } })],
    calls: [
      { call: 'list_tasks', with: { text: 'gym' }, says: ['2026-03-05T18:00', /every week on Thu/] },
      {
        call: 'update_task',
        with: { task_id: '{Gym}', due_at: '2026-03-06T18:00' },
        says: [/this occurrence; later ones follow the rule/, 'Friday, 6 March 2026 at 18:00', /every week on Thu/],
      },
    ],
    leaves: {
      tasks: { Gym: { due_at: '2026-03-06T17:00:00.000Z', recurrence: { freq: 'weekly', by_weekday: ['th'] } } },
    },
    budget: { calls: 2, tokens: 520 },
  },
  {
    ask: 'From now on, choir is on Tuesdays at half past seven.',
    given: [timed('Choir', '2026-03-05T20:00', { recurrence: { freq: 'weekly' } })],
    calls: [
      { call: 'list_tasks', with: { text: 'choir' } },
      {
        call: 'update_task',
        with: {
          task_id: '{Choir}',
          due_at: '2026-03-10T19:30',
          recurrence: { freq: 'weekly', by_weekday: ['tu'] },
          scope: 'series',
        },
        says: [/Tuesday/, '19:30'],
      },
    ],
    leaves: {
      tasks: { Choir: { due_at: '2026-03-10T18:30:00.000Z', recurrence: { freq: 'weekly', by_weekday: ['tu'] } } },
    },
    budget: { calls: 2, tokens: 470 },
  },
  {
    ask: 'Just mention the newsletter once, do not keep on about it.',
    given: [timed('Newsletter', '2026-03-06T09:00')],
    calls: [
      { call: 'list_tasks', with: { text: 'newsletter' } },
      {
        call: 'set_escalation',
        with: { task_id: '{Newsletter}', mode: 'notify_once' },
        says: ['Newsletter', /once/i],
      },
    ],
    leaves: { tasks: { Newsletter: { mode: 'notify_once', due_at: '2026-03-06T08:00:00.000Z' } } },
    budget: { calls: 2, tokens: 370 },
  },
];
