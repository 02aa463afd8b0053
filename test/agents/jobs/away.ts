/** Being away, and coming back. */
import { type Job, pause, plannedPause, timed } from '../job.ts';

export const away: readonly Job[] = [
  {
    ask: 'I am on holiday from Saturday until the evening of the 15th.',
    calls: [
      {
        call: 'pause_reminders',
        with: { from: '2026-03-07T00:00', until: '2026-03-15T18:00' },
        says: ['Saturday, 7 March 2026 at 00:00', 'Sunday, 15 March 2026 at 18:00', /still remind/],
      },
    ],
    leaves: {
      planned_pause: {
        from: '2026-03-06T23:00:00.000Z',
        until: '2026-03-15T17:00:00.000Z',
        keep_must_not_miss: true,
      },
    },
    budget: { calls: 1, tokens: 200 },
  },
  {
    ask: 'No reminders until 2 in the afternoon, please.',
    calls: [
      { call: 'pause_reminders', with: { from: '2026-03-05T10:00', until: '2026-03-05T14:00' }, says: ['14:00'] },
    ],
    leaves: { settings: { paused_until: '2026-03-05T13:00:00.000Z' } },
    budget: { calls: 1, tokens: 140 },
  },
  {
    ask: 'I am back earlier, turn the reminders on again.',
    given: [pause('2026-03-20T00:00')],
    calls: [{ call: 'pause_reminders', with: { end: 'now' }, says: [/ended|on again|over/i] }],
    leaves: {
      settings: {
        paused_until: null,
        welcome_back: { paused_from: '2026-03-05T09:00:00.000Z', paused_until: '2026-03-05T09:00:00.000Z', held: 0 },
      },
    },
    budget: { calls: 1, tokens: 70 },
  },
  {
    ask: 'The trip next week is cancelled.',
    given: [plannedPause('2026-03-09T00:00', '2026-03-14T00:00')],
    calls: [
      { call: 'pause_reminders', with: { end: true }, refused: ['invalid_input', 'end', 'now', 'planned'] },
      { call: 'pause_reminders', with: { end: 'planned' }, says: [/cancel/i] },
    ],
    leaves: { planned_pause: null },
    budget: { calls: 2, tokens: 110 },
  },
  {
    ask: 'I will be in hospital from Monday for three days and want no reminders at all, not even the important ones.',
    calls: [
      {
        call: 'pause_reminders',
        with: { from: '2026-03-09', until: '2026-02-12', keep_must_not_miss: false },
        refused: ['invalid_input', 'until'],
      },
      {
        call: 'pause_reminders',
        with: { from: '2026-03-09T00:00:00+01:00', until: '2026-03-12T00:00:00+01:00', keep_must_not_miss: false },
        says: ['Monday, 9 March 2026', 'Thursday, 12 March 2026', /nothing reminds/],
      },
    ],
    leaves: {
      planned_pause: {
        from: '2026-03-08T23:00:00.000Z',
        until: '2026-03-11T23:00:00.000Z',
        keep_must_not_miss: false,
      },
    },
    budget: { calls: 2, tokens: 340 },
  },
  {
    ask: 'When do I hear of the car tax if I am away next week?',
    given: [plannedPause('2026-03-09T00:00', '2026-03-14T12:00'), timed('Car tax', '2026-03-10T09:00')],
    calls: [
      { call: 'list_tasks', with: { text: 'car tax' }, says: ['2026-03-14T12:00'] },
      { call: 'task_status', with: { task_id: '{Car tax}' }, says: [/14 Mar|2026-03-14/, /pause/i] },
    ],
    budget: { calls: 2, tokens: 690 },
  },
];
