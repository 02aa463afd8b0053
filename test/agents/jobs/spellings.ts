/** Arguments in another type, case or spelling than the schema asks for: done at once, and told. */
import { type Job, task, timed } from '../job.ts';

export const spellings: readonly Job[] = [
  {
    ask: 'Choir is on Friday at half past six in the evening, tell me a day before too.',
    calls: [
      {
        call: 'create_task',
        with: { title: 'Choir', due_at: '2026-03-06 6:30 pm', has_time: 'true', lead_time_days: '1', mode: 'Escalate' },
        says: ['6 March 2026 at 18:30', '1 day before'],
      },
    ],
    leaves: { tasks: { Choir: { due_at: '2026-03-06T17:30:00.000Z', has_time: true, lead_time_days: 1 } } },
    budget: { calls: 1, tokens: 330 },
  },
  {
    ask: 'The call with Tokyo is on Tuesday at nine, their time.',
    calls: [
      {
        call: 'create_task',
        with: { title: 'Call with Tokyo', due_at: '2026-03-10T09:00:00', timezone: 'Asia/Tokyo' },
        refused: ['invalid_input', 'timezone', 'offset'],
      },
      {
        call: 'create_task',
        with: { title: 'Call with Tokyo', due_at: '2026-03-10T09:00:00[Asia/Tokyo]' },
        says: ['10 March 2026 at 01:00'],
      },
    ],
    leaves: { tasks: { 'Call with Tokyo': { due_at: '2026-03-10T00:00:00.000Z' } } },
    budget: { calls: 2, tokens: 420 },
  },
  {
    ask: 'Towels and sheets are washed.',
    given: [task('Towels'), task('Sheets')],
    calls: [
      { call: 'list_tasks', with: { status: 'OPEN', limit: '10', cursor: '' }, says: ['Towels', 'Sheets'] },
      { call: 'close_tasks', with: { task_ids: '{Towels}, {Sheets}', as: 'Done' }, says: ['"dry_run":true', '"code"'] },
      {
        call: 'close_tasks',
        with: { task_ids: '["{Towels}", "{Sheets}"]', as: 'done', code: '{code}' },
        says: [/"closed":2/],
      },
    ],
    leaves: {
      tasks: { Towels: { status: 'done' }, Sheets: { status: 'done' } },
      outcomes: { Towels: 1, Sheets: 1 },
    },
    budget: { calls: 3, tokens: 520 },
  },
  {
    ask: 'I walk the dog two hours later.',
    given: [timed('Walk the dog', '2026-03-05T09:30')],
    calls: [
      { call: 'list_tasks', with: { text: 'dog' }, says: ['Walk the dog'] },
      {
        call: 'snooze_task',
        with: { task_id: ' {Walk the dog} ', duration: '2 hours', minutes: null, until: '' },
        says: ['5 March 2026 at 12:00'],
      },
    ],
    leaves: { tasks: { 'Walk the dog': { deferred_until: '2026-03-05T11:00:00.000Z' } } },
    budget: { calls: 2, tokens: 450 },
  },
  {
    ask: 'What is left to do for the cottage?',
    given: [task('Chimney sweep')],
    calls: [{ call: 'list_tasks', with: { space: 'Cottage' }, says: [/no such space/], hides: ['Chimney'] }],
    budget: { calls: 1, tokens: 70 },
  },
];
