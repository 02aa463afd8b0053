/** First calls as models make them: honoured and told, or refused so that the next call is right. */
import { type Job, timed } from '../job.ts';

const ALARM = { due_at: '2026-03-06T06:30', title: 'Set the alarm' };

export const mistakes: readonly Job[] = [
  {
    ask: 'Remind me tomorrow morning to feed the cat of the neighbours.',
    calls: [
      {
        call: 'create_task',
        with: { title: 'Feed the neighbours’ cat', due_at: 'tomorrow 8am' },
        refused: ['invalid_input', 'due_at', 'ISO 8601', '5 March 2026'],
      },
      { call: 'create_task', with: { title: 'Feed the neighbours’ cat', due_at: '2026-03-06T08:00' }, says: ['08:00'] },
    ],
    leaves: { tasks: { 'Feed the neighbours’ cat': { due_at: '2026-03-06T07:00:00.000Z' } } },
    budget: { calls: 2, tokens: 430 },
  },
  {
    ask: 'Remind me of the passport on 6 March at noon.',
    calls: [
      {
        call: 'create_task',
        with: { title: 'Passport', due_at: '2025-03-06T12:00' },
        refused: ['invalid_input', 'due_at', 'past', 'allow_past'],
      },
      { call: 'create_task', with: { title: 'Passport', due_at: '2026-03-06T12:00' }, says: ['12:00'] },
    ],
    leaves: { tasks: { Passport: { due_at: '2026-03-06T11:00:00.000Z' } } },
    budget: { calls: 2, tokens: 400 },
  },
  {
    ask: 'Change the bed every second week, starting on Saturday.',
    calls: [
      {
        call: 'create_task',
        with: { title: 'Change the bed', due_at: '2026-03-07', recurrence: { pattern: 'every_other_week' } },
        refused: ['invalid_input', 'recurrence', 'freq', 'interval'],
      },
      {
        call: 'create_task',
        with: { title: 'Change the bed', due_at: '2026-03-07', recurrence: { freq: 'weekly', interval: 2 } },
        says: [/every 2 weeks/i],
      },
    ],
    leaves: { tasks: { 'Change the bed': { recurrence: { freq: 'weekly', interval: 2 }, has_time: false } } },
    budget: { calls: 2, tokens: 490 },
  },
  {
    ask: 'Tick off the parking permit.',
    given: [timed('Renew the parking permit', '2026-03-06T12:00')],
    calls: [
      {
        call: 'complete_task',
        with: { task_id: 'parking permit' },
        refused: ['task_id', 'Renew the parking permit'],
      },
      { call: 'complete_task', with: { task_id: '{Renew the parking permit}' }, says: ['Renew the parking permit'] },
    ],
    leaves: { tasks: { 'Renew the parking permit': { status: 'done' } }, outcomes: { 'Renew the parking permit': 1 } },
    budget: { calls: 2, tokens: 340 },
  },
  {
    ask: 'Remind me to set the alarm at half past six tomorrow.',
    calls: [
      {
        call: 'create_task',
        with: {
          ...ALARM,
          notes: null,
          kind: null,
          has_time: null,
          recurrence: null,
          lead_time_days: null,
          mode: null,
          break_quiet_hours: null,
          allow_past: null,
          idempotency_key: null,
        },
        says: ['06:30'],
      },
    ],
    leaves: { tasks: { 'Set the alarm': { due_at: '2026-03-06T05:30:00.000Z', has_time: true, mode: 'escalate' } } },
    budget: { calls: 1, tokens: 350 },
  },
  {
    ask: 'Ask me about the oven again in ten minutes.',
    given: [timed('Oven', '2026-03-05T10:05')],
    calls: [
      { call: 'list_tasks', with: { text: 'oven' } },
      {
        call: 'snooze_task',
        with: { task_id: '{Oven}', minutes: 10, until: '2026-03-05T10:10' },
        refused: ['invalid_input', 'minutes', 'until'],
      },
      { call: 'snooze_task', with: { task_id: '{Oven}', duration: 'PT10M', until: null }, says: ['10:10'] },
    ],
    leaves: { tasks: { Oven: { deferred_until: '2026-03-05T09:10:00.000Z' } } },
    budget: { calls: 3, tokens: 530 },
  },
  {
    ask: 'Dinner with Kim is on the 12th at 19:30, do not let me forget.',
    calls: [
      {
        call: 'create_task',
        with: { title: 'Dinner with Kim', due: '2026-03-12T19:30', priority: 'high' },
        refused: ['invalid_input', 'due_at', 'break_quiet_hours'],
      },
      { call: 'create_task', with: { title: 'Dinner with Kim', due_at: '2026-03-12 19:30' }, says: ['19:30'] },
    ],
    leaves: { tasks: { 'Dinner with Kim': { due_at: '2026-03-12T18:30:00.000Z', has_time: true } } },
    budget: { calls: 2, tokens: 390 },
  },
  {
    ask: 'What have I finished already?',
    given: [timed('Iron', '2026-03-06T12:00'), { method: 'POST', path: '/v1/tasks/{Iron}/complete' }],
    calls: [
      { call: 'list_tasks', with: { status: 'completed' }, refused: ['invalid_input', 'status', 'done'] },
      { call: 'list_tasks', with: { status: 'done' }, says: ['Iron'] },
    ],
    budget: { calls: 2, tokens: 180 },
  },
];
