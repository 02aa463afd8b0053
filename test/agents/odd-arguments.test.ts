/**
 * Arguments in another type, case or spelling than the schema asks for: honoured if they can mean only one thing, else
 * refused with what helps. Each is checked against the words of the answer and against what REST shows afterwards:
 * everything that is not named after the words must be as it was.
 */
import assert from 'node:assert/strict';
import { callTool, callToolOk, mintToken } from '../support/agents.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp } from '../support/test-app.ts';
import type { State } from './job.ts';
import { assertLeft, takeSnapshot } from './run-job.ts';

type Fields = Readonly<Record<string, unknown>>;

const leaves = (title: string, fields: Fields): State => ({ tasks: { [title]: fields } });
const dueAt = (title: string, due_at: string, fields: Fields = {}) => leaves(title, { due_at, ...fields });

/** In this order: a task “Tea” is there, with notes, due on the 5th, and `ID` is its id. */
const ODD: readonly [tool: string, input: Fields, says: RegExp, leaves?: State][] = [
  [
    'create_task',
    { title: ' Pay ', due_at: '2026-03-05 9:00', lead_time_days: '2' },
    /^Created "Pay".* 2 days before/,
    dueAt('Pay', '2026-03-05T08:00:00.000Z', { lead_time_days: 2 }),
  ],
  [
    'create_task',
    { title: 'pm', due_at: '2026-03-05 at 6:30 pm' },
    /5 March 2026 at 18:30/,
    dueAt('pm', '2026-03-05T17:30:00.000Z', { has_time: true }),
  ],
  [
    'create_task',
    { title: 'Tokyo', due_at: '2026-03-05T09:00[Asia/Tokyo]' },
    /5 March 2026 at 01:00/,
    dueAt('Tokyo', '2026-03-05T00:00:00.000Z'),
  ],
  [
    'create_task',
    { title: 'York', due_at: '2026-03-05 09:00 America/New_York' },
    /5 March 2026 at 15:00/,
    dueAt('York', '2026-03-05T14:00:00.000Z'),
  ],
  ['create_task', { title: 'x', due_at: '2026-03-05T09:00+02:00[America/New_York]' }, /^invalid_input: due_at/],
  ['create_task', { title: 'x', due_at: '2026-03-05T09:00', timezone: 'Asia/Tokyo' }, /write the offset of another/],
  ['create_task', { title: 'x', due_at: '2026-03-05T13:00 pm' }, /^invalid_input: due_at/],
  [
    'create_task',
    { title: 'Some day', due_at: '', notes: '', recurrence: '' },
    /No due date\. Does not repeat/,
    leaves('Some day', { due_at: null, recurrence: null }),
  ],
  ['create_task', { title: '  ' }, /^invalid_input: title/],
  [
    'create_task',
    { title: 'All day', due_at: '2026-03-05', has_time: 'no', mode: 'Notify once' },
    /all day.*reminds once/,
    leaves('All day', { has_time: false, mode: 'notify_once' }),
  ],
  [
    'create_task',
    { title: 'As text', due_at: '2026-03-05', recurrence: '{"freq": "daily"}' },
    /Repeats every day/,
    leaves('As text', { recurrence: { freq: 'daily' } }),
  ],
  [
    'create_task',
    { title: 'As list', due_at: '2026-03-05', recurrence: ['weekly'] },
    /Repeats every week/,
    leaves('As list', { recurrence: { freq: 'weekly' } }),
  ],
  ['create_task', { title: 'x', lead_time_days: '2.5' }, /^invalid_input: lead_time_days/],
  ['create_task', { title: 'x', heads_up: 30 }, /^invalid_input: There is no argument "heads_up".*heads_up_minutes/],
  [
    'create_tasks',
    { tasks: '[{"title": "a"}, {"title": "b"}]' },
    /"created":2/,
    { tasks: { a: { status: 'open' }, b: { status: 'open' } } },
  ],
  ['create_tasks', { tasks: { title: 'c' } }, /"created":1/, leaves('c', { due_at: null })],
  [
    'create_tasks',
    { tasks: ['Milk, and bread', 'Eggs'] },
    /"created":2[\s\S]*"Milk, and bread"/,
    { tasks: { 'Milk, and bread': { status: 'open' }, Eggs: { status: 'open' } } },
  ],
  ['create_tasks', { tasks: 'Milk, and bread' }, /^invalid_input: tasks/],
  ['list_tasks', { status: ' OPEN', limit: '5', text: 'tea', kind: '', cursor: '', space: '' }, /"Tea"/],
  ['list_tasks', { space: 'Nowhere' }, /no such space/],
  ['list_tasks', { due_from: '2026-03-09', due_until: '2026-03-08' }, /due_from is after due_until/],
  [
    'list_tasks',
    { text: 'tee' },
    /Nothing found\. Searched: tasks with status open, their titles, notes and kinds; status/,
  ],
  ['list_tasks', { text: 'TÉA' }, /"Tea"/],
  ['list_tasks', { text: 'green tea' }, /No task has all of these words[\s\S]*"Tea"/],
  ['list_tasks', { text: 'the', due_until: '2026-03-01' }, /titles, notes and kinds, due until 2026-03-01/],
  ['list_tasks', { status: 'done', kind: 'chore' }, /tasks with status done, of exactly this kind/],
  ['agenda', { from: '2026-03-05', until: '2026-03-05' }, /Thu 2026-03-05[\s\S]*"Tea"/],
  ['agenda', { from: '2026-03-05T09:00', until: '2026-03-06 10:00' }, /"Tea"/],
  ['agenda', { from: '2025-04-01', until: '2025-04-02' }, /Nothing is due, repeats, nudges or was missed/],
  ['agenda', { from: '2026-03-06', until: '2026-03-05' }, /^invalid_input: until: Input should not be before from/],
  ['agenda', { from: '2026-01-01', until: '2028-01-01' }, /^invalid_input: until: Input should be at most 400 days/],
  ['agenda', { from: 'tomorrow' }, /^invalid_input: from: Input should be a date that exists/],
  ['agenda', { from: '2026-02-30' }, /^invalid_input: from/],
  ['agenda', { from: '2026-03-05T25:00' }, /^invalid_input: from/],
  ['agenda', { days: 7 }, /^invalid_input: There is no argument "days"; agenda takes from, until/],
  ['agenda', { task_id: 'Tea' }, /^not_found: task_id: .*"Tea" is /],
  ['agenda', { cursor: 'x' }, /^invalid_input: cursor/],
  ['agenda', { limit: '101' }, /^invalid_input: limit/],
  ['list_outcomes', { from: 'last week' }, /^invalid_input: from: Input should be a date/],
  ['task_status', { task_id: ' "ID" ' }, /^"Tea"/],
  ['task_status', { task_id: ['ID'] }, /^"Tea"/],
  [
    'snooze_task',
    { task_id: 'ID', minutes: '30', until: '' },
    /^Snoozed/,
    leaves('Tea', { deferred_until: '2026-03-02T09:30:00.000Z' }),
  ],
  [
    'snooze_task',
    { task_id: 'ID', duration: '2 hours' },
    /Snoozed until Monday, 2 March 2026 at 12:00/,
    leaves('Tea', { deferred_until: '2026-03-02T11:00:00.000Z' }),
  ],
  [
    'set_escalation',
    { task_id: 'ID', heads_up_minutes: '15, 45' },
    /15 minutes before, 45 minutes before/,
    leaves('Tea', { heads_ups: [{ minutes: 15 }, { minutes: 45 }] }),
  ],
  ['set_escalation', { task_id: 'ID', heads_up_minutes: ['soon'] }, /^invalid_input: heads_up_minutes/],
  ['set_escalation', { task_id: 'ID', heads_up_minutes: -5 }, /^invalid_input: heads_up_minutes/],
  [
    'set_escalation',
    { task_id: 'ID', heads_up_minutes: [] },
    /Before: heads-up 15 minutes before, 45/,
    leaves('Tea', { heads_ups: [] }),
  ],
  [
    'set_escalation',
    { task_id: 'ID', preset: ' GENTLE ' },
    /by the ladder gentle/,
    leaves('Tea', { ladder: 'gentle' }),
  ],
  ['set_escalation', { task_id: 'ID', preset: 'loud' }, /^invalid_input: preset: there is no such ladder/],
  ['set_escalation', { task_id: 'ID', preset: 'daily', every_minutes: 10 }, /^invalid_input: Give either preset or/],
  ['update_task', { task_id: 'ID', due_at: '' }, /clear: \["due_at"\] removes it/],
  [
    'update_task',
    { task_id: 'ID', clear: 'notes, due_at' },
    /No due date/,
    leaves('Tea', { notes: null, due_at: null }),
  ],
  [
    'reopen_task',
    { task_id: 'ID', last_change: 'yes' },
    /^Put back notes, due_at: /,
    dueAt('Tea', '2026-03-04T23:00:00.000Z', { notes: 'x' }),
  ],
  ['reopen_task', { task_id: 'ID' }, /^Nothing to undo, it is unchanged: "Tea"/],
  [
    'close_tasks',
    { task_ids: 'ID', as: 'Skipped' },
    /"closed":1/,
    { ...leaves('Tea', { status: 'skipped' }), outcomes: { Tea: 1 } },
  ],
  [
    'close_tasks',
    { task_ids: '["ID"]', as: 'dropped', confirm: true },
    /^invalid_input: There is no argument "confirm"/,
  ],
  ['close_tasks', { task_ids: '["ID"]', as: 'dropped', code: 'yes' }, /^invalid_input: code: .*without code/],
  ['close_tasks', { task_ids: '["ID"]', as: 'dropped', code: '' }, /"dry_run":true/],
  ['update_task', { task_id: 'ID', append_notes: '' }, /^invalid_input: append_notes: it is empty/],
  [
    'update_task',
    { task_id: 'ID', append_notes: 'a', clear: 'notes' },
    /^invalid_input: append_notes: .*one of the two/,
  ],
  ['update_task', { task_id: 'ID', title: 'Tea' }, /^Nothing changed: "Tea"/],
  ['update_task', { task_id: 'ID', append_notes: 'x', notes: 'y' }, /^invalid_input: append_notes: .*one of the two/],
  [
    'update_task',
    { task_id: 'ID', append_notes: ['two sugars'] },
    /^Changed: .* Before: notes "x" by unknown\.$/,
    leaves('Tea', { notes: 'x\ntwo sugars' }),
  ],
  ['update_task', { task_id: 'ID', append_notes: 7 }, /^invalid_input: append_notes/],
  ['update_task', { task_id: 'ID', append: 'x' }, /^invalid_input: There is no argument "append"; .*append_notes/],
  ['set_escalation', { task_id: 'ID', mode: 'ESCALATE' }, /^task_closed: /],
  ['close_tasks', { task_ids: 'ID', as: 'dropped', code: 12345 }, /^invalid_input: code/],
  ['close_tasks', { task_ids: 'ID', as: 'drop' }, /^invalid_input: as: .*dropped/],
  ['close_tasks', { task_ids: 'ID', as: 'done', code: 'abc' }, /^invalid_input: code: .*Nothing changed/],
  ['reopen_task', { undo: 'ID' }, /^not_found: There is no such bulk change/],
  ['reopen_task', { undo: 'all of it' }, /^invalid_input: undo/],
  ['reopen_task', { task_id: 'ID', undo: 'ID' }, /^invalid_input: Give either/],
  ['answer_request', { task_id: 'ID' }, /^invalid_input: answer: Field required/],
  ['answer_request', { task_id: 'ID', answer: 'yes' }, /^invalid_input: answer: .*accept.*decline/],
  ['answer_request', { task_id: 'ID', answer: ' ACCEPT' }, /^Nothing changed, it is no request any more: "Tea"/],
  ['answer_request', { task_id: 'ID', answer: 'decline' }, /^task_closed: .*task_status tells/],
  ['answer_request', { task_id: 'Tea', answer: 'accept' }, /^not_found|^invalid_input: task_id: /],
  [
    'pause_reminders',
    { until: '2026-03-02 1 pm', keep_must_not_miss: 'false' },
    /paused until Monday, 2 March 2026 at 13:00; nothing reminds/,
    { settings: { paused_until: '2026-03-02T12:00:00.000Z', keep_must_not_miss: false } },
  ],
  ['pause_reminders', { end: 'tomorrow' }, /^invalid_input: end: .*now.*planned/],
  ['set_timezone', { timezone: '' }, /^invalid_input: timezone/],
  ['set_timezone', { timezone: 'UTC+2' }, /^invalid_input: timezone: .*nearest large city/],
  ['set_timezone', { timezone: 'Europe/Amstredam' }, /^invalid_input: timezone: .*such as Europe\/Amsterdam/],
  ['set_timezone', { timezone: 'Kolkata, India' }, /^invalid_input: timezone: .*such as Asia\/Kolkata/],
  ['set_timezone', { zone: 'Asia/Tokyo' }, /^invalid_input: There is no argument "zone"; set_timezone takes timezone/],
  ['set_timezone', { timezone: ['europe/berlin'] }, /^Nothing changed: the time zone is Europe\/Berlin/],
  ['reopen_task', {}, /^invalid_input: Give either task_id, or undo/],
];

onEveryEngine((engine, it) => {
  it('an odd argument is honoured if it can mean only one thing, and a refused one changes nothing', async (context) => {
    await using app = await startTestApp(engine);
    const [me, bob] = [await createPerson(app), await createPerson(app)];
    await me.ask('PATCH', '/v1/me', { timezone: 'Europe/Berlin' });
    const { token } = await mintToken(me, { scopes: ['tasks:read', 'tasks:write', 'settings:write'] });
    const tea = { title: 'Tea', notes: 'x', due_at: '2026-03-05' };
    const { structured } = await callToolOk(app, token, 'create_task', tea);
    let before = await takeSnapshot({ me, bob });
    for (const [tool, input, says, left = {}] of ODD) {
      const filled = JSON.parse(JSON.stringify(input).replaceAll('ID', structured.task.id));
      const { text, isError } = await callTool(app, token, tool, filled);
      const shown = `${tool} ${JSON.stringify(input)}`;
      assert.match(text, says, shown);
      assert.equal(isError, /^(invalid_input|not_found|task_closed): /.test(text), text);
      const after = await takeSnapshot({ me, bob });
      assertLeft(before, after, left, shown);
      // A small account is quick to compare.
      for (const [title, { id }] of after.tasks) if (title !== 'Tea') await me.ask('DELETE', `/v1/tasks/${id}`);
      before = Object.keys(left).length === 0 ? after : await takeSnapshot({ me, bob });
    }
    assert.ok(ODD.length >= 60);
    context.diagnostic(
      `${ODD.length} odd arguments, ${ODD.filter(([, , , left]) => left).length} honoured with a change`,
    );
    const none = (await mintToken(me, { scopes: ['tasks:write'] })).token;
    assert.match((await callTool(app, none, 'reopen_task', { task_id: structured.task.id })).text, /^Reopened/);
  });
});
