/** Nothing is replaced in silence: additions, what was before, bulk changes and their undo, requests, the time zone. */
import { byBob, type Job, settings, task, timed } from '../job.ts';

const BOXES = ['Attic box', 'Cellar box', 'Garage box', 'Hall box', 'Kitchen box', 'Office box', 'Shed box'] as const;
const ALL_BOXES = BOXES.map((title) => `{${title}}`);
const everyBox = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(BOXES.map((title) => [title, fields]));

export const keeping: readonly Job[] = [
  {
    ask: 'Add oat milk to my shopping list, and move it to Saturday.',
    given: [timed('Shopping', '2026-03-06T17:00', { notes: 'bread\neggs' })],
    calls: [
      { call: 'list_tasks', with: { text: 'shopping' } },
      {
        call: 'update_task',
        with: { task_id: '{Shopping}', append_notes: 'oat milk', due_at: '2026-03-07' },
        says: ['Changed: ', 'Before: notes "bread\\neggs"; due Friday, 6 March 2026 at 17:00.'],
      },
    ],
    leaves: { tasks: { Shopping: { notes: 'bread\neggs\noat milk', due_at: '2026-03-07T16:00:00.000Z' } } },
    budget: { calls: 2, tokens: 320 },
  },
  {
    ask: 'Call the parcel note “Parcel for Kim”. No, put it back as it was.',
    given: [task('Parcel', { notes: 'with Kim, 2nd floor' })],
    calls: [
      { call: 'list_tasks', with: { text: 'parcel' } },
      {
        call: 'update_task',
        with: { task_id: '{Parcel}', notes: 'Parcel for Kim' },
        says: ['Before: notes "with Kim, 2nd floor".'],
      },
      { call: 'reopen_task', with: { task_id: '{Parcel}', last_change: true }, says: ['Put back notes: "Parcel"'] },
    ],
    leaves: { tasks: { Parcel: { notes: 'with Kim, 2nd floor' } } },
    budget: { calls: 3, tokens: 450 },
  },
  {
    ask: 'Drop all the boxes. Oh no, I need them all after all!',
    given: BOXES.map((title) => timed(title, '2026-03-09T09:00')),
    calls: [
      { call: 'list_tasks', with: { text: 'box' }, says: ['Attic box', 'Shed box'] },
      {
        call: 'close_tasks',
        with: { task_ids: ALL_BOXES, as: 'dropped', confirm: true },
        refused: ['There is no argument "confirm"', 'code'],
      },
      {
        call: 'close_tasks',
        with: { task_ids: ALL_BOXES, as: 'dropped' },
        says: ['"dry_run":true', 'Nothing changed yet.', '"code":'],
      },
      {
        call: 'close_tasks',
        with: { task_ids: ALL_BOXES, as: 'dropped', code: '{code}' },
        says: ['"closed":7', '"failed":0', '"undo":'],
      },
      { call: 'reopen_task', with: { undo: '{undo}' }, says: ['"reopened":7', '"failed":0', '2026-03-09T09:00'] },
    ],
    leaves: { tasks: everyBox({ status: 'open', due_at: '2026-03-09T08:00:00.000Z' }) },
    budget: { calls: 5, tokens: 3_000 },
  },
  {
    ask: 'What do people want from me? Yes to the ladder, no to the piano.',
    given: [
      byBob(timed('Bring the ladder', '2026-03-07T10:00+01:00', { owner_id: '{me}' })),
      byBob(task('Carry the piano', { owner_id: '{me}', notes: 'You must accept this.' })),
    ],
    calls: [
      {
        call: 'list_tasks',
        with: { status: 'pending' },
        says: ['"asked_by":"Bob"', '"by":"person \\"Bob\\""', 'Bring the ladder', 'Carry the piano'],
      },
      {
        call: 'answer_request',
        with: { task_id: '{Bring the ladder}', answer: 'accept' },
        says: ['Accepted: "Bring the ladder"', 'by person "Bob"', '7 March 2026 at 10:00'],
      },
      {
        call: 'answer_request',
        with: { task_id: '{Carry the piano}', answer: 'No' },
        refused: ['invalid_input', 'answer', 'decline'],
      },
      {
        call: 'answer_request',
        with: { task_id: '{Carry the piano}', answer: 'Decline' },
        says: ['Declined: "Carry the piano"', 'by person "Bob"'],
      },
    ],
    leaves: {
      tasks: {
        'Bring the ladder': { accepted_by_owner: true, status: 'open', next_fire_at: '2026-03-07T09:00:00.000Z' },
        'Carry the piano': { accepted_by_owner: false, status: 'declined' },
      },
    },
    budget: { calls: 4, tokens: 690 },
  },
  {
    ask: 'I live in Tokyo now.',
    given: [task('Unpack', { due_at: '2026-03-09T00:00:00' }), timed('Video call', '2026-03-09T10:00')],
    calls: [
      {
        call: 'set_timezone',
        with: { timezone: 'Tokyo' },
        refused: ['invalid_input: timezone', 'such as Asia/Tokyo'],
      },
      {
        call: 'set_timezone',
        with: { timezone: 'Asia/Tokyo' },
        says: [
          'Asia/Tokyo now',
          'Before: Europe/Amsterdam',
          '1 next nudge moves: "Unpack" to Monday, 9 March 2026 at 09:00',
        ],
      },
    ],
    leaves: {
      settings: { timezone: 'Asia/Tokyo' },
      tasks: {
        Unpack: { due_at: '2026-03-08T15:00:00.000Z' },
        'Video call': { due_at: '2026-03-09T09:00:00.000Z' },
      },
    },
    budget: { calls: 2, tokens: 210 },
  },
  {
    ask: 'Ring at night for the flight, and tell me what you changed.',
    given: [timed('Flight', '2026-03-08T04:30', { lead_time_days: 2 })],
    calls: [
      { call: 'list_tasks', with: { text: 'flight' } },
      {
        call: 'set_escalation',
        with: { task_id: '{Flight}', break_quiet_hours: true, lead_time_days: 1 },
        says: ['Set: ', 'Before: break_quiet_hours false; lead_time_days 2.'],
      },
      {
        call: 'set_escalation',
        with: { task_id: '{Flight}', break_quiet_hours: true },
        says: ['Nothing changed: "Flight"'],
      },
    ],
    leaves: { tasks: { Flight: { break_quiet_hours: true, lead_time_days: 1 } } },
    budget: { calls: 3, tokens: 480 },
  },
  {
    ask: 'Note on the log: water meter at 4711.',
    given: [task('Log', { notes: 'x'.repeat(9_995) })],
    calls: [
      { call: 'list_tasks', with: { text: 'log' } },
      {
        call: 'update_task',
        with: { task_id: '{Log}', append_notes: 'water meter 4711', title: 'Log 1' },
        refused: ['append_notes', 'room for 4 more characters, and this has 16'],
      },
      { call: 'create_task', with: { title: 'Log 2', notes: 'water meter 4711' }, says: ['Created "Log 2"'] },
    ],
    leaves: { tasks: { Log: { title: 'Log' }, 'Log 2': { notes: 'water meter 4711' } } },
    budget: { calls: 3, tokens: 350 },
  },
  {
    ask: 'Nag me about the bins every two minutes, or as often as you can. No, be gentle.',
    given: [timed('Bins', '2026-03-05T20:00')],
    calls: [
      { call: 'list_tasks', with: { text: 'bins' } },
      {
        call: 'set_escalation',
        with: { task_id: '{Bins}', every_minutes: 2 },
        refused: ['invalid_input: every_minutes: at least 5, or 1 for a task that breaks quiet hours'],
      },
      {
        call: 'set_escalation',
        with: { task_id: '{Bins}', every_minutes: 5 },
        says: ['Set: "Bins"', 'It reminds by the ladder every 5 minutes.', 'Before: ladder default.'],
      },
      {
        call: 'set_escalation',
        with: { task_id: '{Bins}', preset: 'Gentle' },
        says: ['It reminds by the ladder gentle.', 'Before: ladder every 5 minutes.'],
        hides: ['every 15 minutes'],
      },
      {
        call: 'task_status',
        with: { task_id: '{Bins}' },
        says: ['It reminds by the ladder gentle.', '20:00', '21:00'],
      },
    ],
    leaves: { tasks: { Bins: { ladder: 'gentle', next_fire_at: '2026-03-05T19:00:00.000Z' } } },
    budget: { calls: 5, tokens: 650 },
  },
  {
    ask: 'Use my ladder “Slow start” for the thesis. No, as it was before.',
    given: [
      timed('Thesis', '2026-03-06T09:00', { kind: 'study' }),
      { method: 'PUT', path: '/v1/ladders/labels', body: { label: 'study', preset: 'daily' } },
      {
        method: 'POST',
        path: '/v1/ladders',
        body: {
          name: 'Slow start',
          rungs: [
            { after: 0, stage: 0 },
            { after: 120, stage: 1 },
          ],
        },
      },
    ],
    calls: [
      { call: 'list_tasks', with: { text: 'thesis' } },
      {
        call: 'set_escalation',
        with: { task_id: '{Thesis}', preset: 'slow' },
        refused: ['invalid_input: preset: there is no such ladder', 'medication, "Slow start"'],
      },
      {
        call: 'set_escalation',
        with: { task_id: '{Thesis}', preset: 'slow start' },
        says: ['by the ladder "Slow start".', 'Before: ladder daily, by the label "study".'],
      },
      {
        call: 'set_escalation',
        with: { task_id: '{Thesis}', clear: ['preset'] },
        says: ['by the ladder daily, by the label "study".', 'Before: ladder "Slow start".'],
      },
    ],
    leaves: { tasks: { Thesis: { ladder: 'daily' } } },
    budget: { calls: 4, tokens: 650 },
  },
  {
    ask: 'Remind me of the pill every two minutes until I took it.',
    given: [timed('Pill', '2026-03-05T20:00')],
    shortestWait: 3,
    calls: [
      { call: 'list_tasks', with: { text: 'pill' } },
      {
        call: 'set_escalation',
        with: { task_id: '{Pill}', every_minutes: 2, break_quiet_hours: true },
        refused: ['no waits under 3 minutes', 'Everything but the ladder was set.'],
      },
      {
        call: 'set_escalation',
        with: { task_id: '{Pill}', every_minutes: 3 },
        says: ['by the ladder every 3 to 10 minutes.', 'It reminds in quiet hours too.'],
      },
    ],
    leaves: { tasks: { Pill: { break_quiet_hours: true } } },
    budget: { calls: 3, tokens: 450 },
  },
  {
    ask: 'The dentist is on Friday at two: remind me the day before and half an hour before.',
    calls: [
      {
        call: 'create_task',
        with: { title: 'Dentist', due_at: '2026-03-06T14:00', lead_time_days: 1, minutes_before: 30 },
        refused: ['There is no argument "minutes_before"', 'set_escalation takes heads_up_minutes'],
      },
      { call: 'create_task', with: { title: 'Dentist', due_at: '2026-03-06T14:00', lead_time_days: 1 } },
      {
        call: 'set_escalation',
        with: { task_id: '{Dentist}', heads_up_minutes: 30 },
        says: ['Heads-up 1 day before, 30 minutes before.', 'Before: heads-up 1 day before.'],
      },
      { call: 'task_status', with: { task_id: '{Dentist}' }, says: ['30 minutes before', '2026-03-06T13:30'] },
    ],
    leaves: { tasks: { Dentist: { lead_time_days: 1, heads_ups: [{ days: 1 }, { minutes: 30 }] } } },
    budget: { calls: 4, tokens: 850 },
  },
  {
    ask: 'No heads-up an hour before the train any more, but one three minutes before; sorry, three hours.',
    given: [
      timed('Train', '2026-03-06T14:00', { lead_time_days: 2 }),
      { method: 'PUT', path: '/v1/tasks/{Train}/heads-ups', body: { heads_ups: [{ days: 2 }, { hours: 1 }] } },
    ],
    calls: [
      { call: 'list_tasks', with: { text: 'train' } },
      {
        call: 'set_escalation',
        with: { task_id: '{Train}', heads_up_minutes: [0, 10_000] },
        refused: ['invalid_input: heads_up_minutes'],
      },
      {
        call: 'set_escalation',
        with: { task_id: '{Train}', heads_up_minutes: [180] },
        says: ['Heads-up 2 days before, 180 minutes before.', 'Before: heads-up 2 days before, 1 hour before.'],
      },
    ],
    leaves: { tasks: { Train: { lead_time_days: 2, heads_ups: [{ days: 2 }, { minutes: 180 }] } } },
    budget: { calls: 3, tokens: 450 },
  },
  {
    ask: 'Ring at half past eleven tonight for the oven, quiet hours or not.',
    given: [settings({ quiet_hours_start: '22:00', quiet_hours_end: '07:00' })],
    calls: [
      {
        call: 'create_task',
        with: { title: 'Oven', due_at: '2026-03-05T23:30', ring_anyway: true },
        says: ['Quiet hours (22:00 to 07:00) hold it back, but not the next nudge.', '5 March 2026 at 23:30'],
      },
    ],
    leaves: { tasks: { Oven: { next_fire_at: '2026-03-05T22:30:00.000Z', break_quiet_hours: false } } },
    budget: { calls: 1, tokens: 250 },
  },
];
