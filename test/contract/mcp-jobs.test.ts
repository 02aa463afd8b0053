import assert from 'node:assert/strict';
import { callTool, callToolOk, mintToken } from '../support/agents.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startScenario } from '../support/scenario.ts';
import { createSpace } from '../support/spaces.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const SCOPES = ['tasks:read', 'tasks:write', 'settings:write'];

async function startWithAda(app: TestApp, fields: object = {}): Promise<{ ada: Person; token: string }> {
  const ada = await createPerson(app);
  await ada.ask('PATCH', '/v1/me', { timezone: 'Europe/Berlin' });
  return { ada, token: (await mintToken(ada, { scopes: SCOPES, ...fields })).token };
}

const read = async (person: Person, id: string) => (await person.ask('GET', `/v1/tasks/${id}`)).body.data;

onEveryEngine((engine, it) => {
  it('task_status names who is told from when, and update_task chooses among those who agreed and asks nobody', async () => {
    await using app = await startTestApp(engine);
    const { ada, token } = await startWithAda(app);
    const [grace, hal] = [await createPerson(app), await createPerson(app)];
    await grace.ask('PATCH', '/v1/me', { display_name: 'Grace' });
    await hal.ask('PATCH', '/v1/me', { display_name: 'Hal' });
    const space_id = await createSpace(ada, grace, hal);
    const ask = async (person: Person) =>
      (await ada.ask('POST', '/v1/stand-ins', { person_id: person.userId, space_id, from_rung: 2 })).body.data.id;
    await grace.ask('POST', `/v1/stand-ins/${await ask(grace)}/agree`, {});
    const task = { title: 'pills', due_at: '2026-03-02T11:00' };
    const { id: task_id } = (await callToolOk(app, token, 'create_task', task)).structured.task;
    const status = async () => (await callToolOk(app, token, 'task_status', { task_id })).text;
    assert.match(await status(), /told too: "Grace" from nudge 2 on, first 2026-03-02T11:30\./);
    const choose = (stand_in: object) => callTool(app, token, 'update_task', { task_id, stand_in });
    assert.match((await choose({ name: 'grace', from: 4 })).text, /stand-in "Grace" from nudge 2 before/);
    assert.match(await status(), /"Grace" from nudge 4 on/);
    assert.match(
      (await choose({ name: 'Grace', from: 0 })).text,
      /from the nudge that they agreed to or a later one, and asks nobody/,
    );
    assert.match((await choose({ name: 'Hal', from: 4 })).text, /no single person of this name has agreed/);
    await choose({ name: 'Grace', from: null });
    assert.match(await status(), /"Grace" not at all/);
    assert.equal((await app.db.selectFrom('stand_ins').selectAll().execute()).length, 2);
  });

  it('update_task moves one occurrence or the series, keeps what is null, and removes what is cleared', async () => {
    await using app = await startTestApp(engine);
    const { ada, token } = await startWithAda(app);
    const created = await callToolOk(app, token, 'create_task', {
      title: 'pills',
      notes: 'two',
      due_at: '2026-03-03T09:00',
      recurrence: 'daily',
    });
    const task_id = created.structured.task.id;
    const update = (input: object) => callToolOk(app, token, 'update_task', { task_id, ...input });
    const moved = await update({ due_at: '2026-03-03T10:00', title: 'tablets', notes: null, recurrence: null });
    assert.match(moved.text, /^Moved this occurrence; later ones follow the rule: "tablets".*Repeats every day\./);
    assert.deepEqual(pick(await read(ada, task_id), 'notes', 'due_at'), ['two', '2026-03-03T09:00:00.000Z']);
    const dueAfter = async () => (await read(ada, task_id)).due_at;
    const day = await update({ due_at: '2026-03-04' });
    assert.match(day.text, / Before: due Tuesday, 3 March 2026 at 10:00\./);
    assert.equal(await dueAfter(), '2026-03-04T09:00:00.000Z');
    await callToolOk(app, token, 'complete_task', { task_id });
    assert.equal(await dueAfter(), '2026-03-04T08:00:00.000Z');
    const series = await update({ due_at: '2026-03-05T07:00', scope: 'series' });
    assert.match(series.text, /^Changed: /);
    await callToolOk(app, token, 'complete_task', { task_id });
    assert.equal(await dueAfter(), '2026-03-06T06:00:00.000Z');
    const cleared = await update({ clear: ['notes', 'recurrence', 'due_at'] });
    assert.match(cleared.text, /No due date\. Does not repeat\./);
    assert.match(cleared.text, / Before: notes "two"; due Friday, 6 March 2026 at 07:00; repeated every day\.$/);
    assert.deepEqual(pick(await read(ada, task_id), 'notes', 'recurrence', 'due_at'), [null, null, null]);
    const past = await callTool(app, token, 'update_task', { task_id, due_at: '2026-03-01T09:00' });
    assert.match(past.text, /allow_past: true/);
    await update({ due_at: '2026-03-01T09:00', allow_past: true });
  });

  it('close_tasks answers for each task, and closes many or drops one only after a dry run', async () => {
    await using app = await startTestApp(engine);
    const { ada, token } = await startWithAda(app);
    const { structured } = await callToolOk(app, token, 'create_tasks', {
      tasks: [...Array(6).keys()].map((index) => ({ title: `task ${index}` })),
    });
    const ids: string[] = structured.results.map(({ task }: { task: { id: string } }) => task.id);
    const close = async (input: object) => (await callToolOk(app, token, 'close_tasks', input)).structured;
    const many = await close({ task_ids: ids, as: 'done' });
    assert.deepEqual(
      [many.dry_run, many.would_close.length, (await read(ada, ids[0] ?? '')).status],
      [true, 6, 'open'],
    );
    const drop = await close({ task_ids: [ids[0], '01960000-0000-7000-8000-000000000000'], as: 'dropped' });
    assert.deepEqual([drop.dry_run, drop.not_found.length], [true, 1]);
    const two = { task_ids: [ids[0], ids[0], '01960000-0000-7000-8000-000000000000'], as: 'skipped' };
    const { code } = await close(two);
    const few = await close({ ...two, code });
    assert.deepEqual([few.closed, few.failed, few.results[0].result], [1, 1, 'skipped']);
    assert.match(few.results[1].error, /^not_found: /);
    const titles = await callTool(app, token, 'close_tasks', { task_ids: ['task 3', 'task 4'], as: 'done' });
    assert.ok(titles.text.startsWith('not_found: task_id: it takes the id'), titles.text);
    assert.ok(titles.text.includes(`"task 3" is ${ids[3]}; "task 4" is ${ids[4]}.`), titles.text);
    const rest = await close({ task_ids: ids, as: 'done', code: many.code });
    assert.deepEqual(
      rest.left_out.map(({ id }: { id: string }) => id),
      [ids[0]],
    );
    assert.deepEqual([rest.closed, rest.failed], [5, 0]);
    const back = await callToolOk(app, token, 'reopen_task', { task_id: ids[1] });
    assert.match(back.text, /^Reopened: "task 1"/);
    assert.equal((await read(ada, ids[1] ?? '')).status, 'open');
    const twice = await callTool(app, token, 'reopen_task', { task_id: ids[0] });
    assert.equal(twice.isError, false);
  });

  it('a list shows the end of each id, every tool takes it back, and an end that two tasks share is refused', async () => {
    await using app = await startTestApp(engine);
    const { ada, token } = await startWithAda(app);
    const { token: stranger } = await startWithAda(app);
    const made = (await ada.ask('POST', '/v1/tasks', { title: 'pills', due_at: '2026-03-03T09:00:00Z' })).body.data;
    const [{ id: end }] = (await callToolOk(app, token, 'list_tasks', {})).structured.tasks;
    assert.equal(end, made.id.slice(-8));
    for (const [name, input] of [
      ['task_status', { task_id: end }],
      ['snooze_task', { task_id: end.toUpperCase(), minutes: 5 }],
      ['set_escalation', { task_id: end, mode: 'notify_once' }],
      ['update_task', { task_id: end, title: 'tablets' }],
      ['agenda', { task_id: end, from: '2026-03-03' }],
      ['complete_task', { task_id: ` "${end}"` }],
      ['reopen_task', { task_id: end }],
      ['close_tasks', { task_ids: end, as: 'skipped' }],
      ['list_outcomes', { task_id: end, from: '2026-03-01', until: '2026-03-04' }],
    ] as const) {
      const { text } = await callToolOk(app, token, name, input);
      assert.match(text, /pills|tablets/, name);
    }
    assert.equal((await read(ada, made.id)).status, 'skipped');
    // Another account learns nothing, and an end that nobody has is no task.
    for (const [by, task_id] of [
      [stranger, end],
      [token, 'ffffffff'],
    ])
      assert.match((await callTool(app, by ?? '', 'complete_task', { task_id })).text, /^invalid_input: task_id/);
    const twin = `01960000${made.id.slice(8, 24)}0000${end}`;
    await app.db
      .insertInto('tasks')
      .values({
        ...(await app.db.selectFrom('tasks').selectAll().where('id', '=', made.id).executeTakeFirstOrThrow()),
        id: twin,
      })
      .execute();
    const both = await callTool(app, token, 'task_status', { task_id: end });
    assert.ok(both.isError && both.text.includes(made.id) && both.text.includes(twin), both.text);
  });

  it('create_tasks creates what it can, says why the rest failed, and stays within the limits of the token', async () => {
    await using app = await startTestApp(engine);
    const { ada, token } = await startWithAda(app, { max_open_tasks: 2, max_stage: 0 });
    const tasks = [
      { title: 'a', due_at: '2026-03-05', recurrence: 'weekdays', notes: null },
      { title: 'b', due_at: 'soon' },
      { title: 'c', assign_to: 'Bob' },
      { title: 'd', due_at: '2026-03-05T09:00' },
      { title: 'e' },
    ];
    const { structured } = await callToolOk(app, token, 'create_tasks', { tasks });
    assert.deepEqual([structured.created, structured.failed], [2, 3]);
    const [a, b, c, d, e] = structured.results;
    assert.deepEqual([a.task.repeats, a.task.due_at, d.index], ['every week on Mon to Fri', '2026-03-05', 3]);
    assert.match(b.error, /^invalid_input: due_at: /);
    assert.match(c.error, /^not_allowed: /);
    assert.match(e.error, /^too_many_open_tasks: .*Waiting does not help\. Complete or close tasks/);
    assert.ok(!/Wait \d/.test(e.error));
    assert.equal((await ada.ask('GET', '/v1/tasks')).body.data.length, 2);
    const one = await callToolOk(app, token, 'task_status', { task_id: d.task.id });
    assert.match(one.text, /never above stage 0 \(a limit of an access token\)/);
    const loud = await callTool(app, token, 'update_task', { task_id: d.task.id, break_quiet_hours: true });
    assert.match(loud.text, /^not_allowed: /);
    const all = await callTool(app, token, 'create_tasks', { tasks: [{ title: '' }] });
    assert.ok(all.isError);
    assert.match(
      (await callTool(app, token, 'create_tasks', { tasks: Array(21).fill(tasks[0]) })).text,
      /^invalid_input/,
    );
  });

  it('list_outcomes folds each title once, however many words it looks for', async (context) => {
    await using app = await startTestApp(engine);
    const { ada, token } = await startWithAda(app);
    for (const index of Array(5).keys()) {
      const { body } = await ada.ask('POST', '/v1/tasks', { title: `a ${index}` });
      await ada.ask('POST', `/v1/tasks/${body.data.id}/complete`);
    }
    const { mock } = context.mock.method(String.prototype, 'normalize');
    const input = { text: 'a '.repeat(100).trim() };
    const { structured } = await callToolOk(app, token, 'list_outcomes', input);
    assert.equal(structured.done, 5);
    assert.ok(mock.callCount() < 20, `${mock.callCount()}`);
  });

  it('list_outcomes tells by day and occurrence what was done, skipped and is still open', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada } = scenario;
    const { token } = await mintToken(ada, { scopes: SCOPES });
    const created = await callToolOk(app, token, 'create_task', {
      title: 'Morning exercises',
      due_at: '2026-03-02T09:30',
      recurrence: { freq: 'daily' },
    });
    const task_id = created.structured.task.id;
    await callToolOk(app, token, 'create_task', { title: 'Other', due_at: '2026-03-02T09:45' });
    await scenario.advance('1h');
    await callToolOk(app, token, 'complete_task', { task_id });
    await scenario.advance('24h');
    await callToolOk(app, token, 'close_tasks', { task_ids: [task_id], as: 'skipped' });
    await scenario.advance('24h');
    const week = (await callToolOk(app, token, 'list_outcomes', { text: 'EXERCISE' })).structured;
    assert.deepEqual([week.from, week.until, week.done, week.skipped], ['2026-02-26', '2026-03-04', 1, 1]);
    assert.deepEqual(
      week.days.map(({ day, done, skipped }: Record<string, unknown>) => [day, Boolean(done), Boolean(skipped)]),
      [
        ['Mon 2026-03-02', true, false],
        ['Tue 2026-03-03', false, true],
      ],
    );
    assert.deepEqual(
      week.still_open.map(({ id, due_at }: Record<string, unknown>) => [id, due_at]),
      [[task_id, '2026-03-04T09:30']],
    );
    const only = (await callToolOk(app, token, 'list_outcomes', { task_id, outcome: 'done', from: '2026-03-02' }))
      .structured;
    assert.deepEqual([only.done, only.skipped, only.still_open], [1, 0, undefined]);
    const none = (await callToolOk(app, token, 'list_outcomes', { until: '2026-03-01' })).structured;
    assert.deepEqual([none.done, none.days], [0, []]);
  });

  it('pause_reminders pauses now or later, ends and cancels, and tells both pauses', async () => {
    await using app = await startTestApp(engine);
    const { ada, token } = await startWithAda(app);
    const pause = (input: object) => callToolOk(app, token, 'pause_reminders', input);
    const planned = await pause({ from: '2026-03-10', until: '2026-03-20', keep_must_not_miss: null });
    assert.match(
      planned.text,
      /^Planned\. No pause is running\. A pause is planned from Tuesday, 10 March 2026 at 00:00 until Saturday, 21 March 2026 at 00:00; tasks that break/,
    );
    assert.equal((await ada.ask('GET', '/v1/me')).body.data.paused_until, null);
    const running = await pause({ until: '2026-03-03 08:00', keep_must_not_miss: false });
    assert.doesNotMatch(running.text, /Before/);
    assert.match(
      running.text,
      /paused until Tuesday, 3 March 2026 at 08:00; nothing reminds meanwhile\. A pause is planned/,
    );
    const longer = await pause({ until: '2026-03-04 08:00' });
    assert.match(longer.text, /Before: paused until Tuesday, 3 March 2026 at 08:00\./);
    const later = await pause({ from: '2026-03-11', until: '2026-03-20' });
    assert.match(later.text, /Before: planned from Tuesday, 10 March 2026 at 00:00 until Saturday, 21 March/);
    assert.match((await pause({ end: 'planned' })).text, /No pause is planned/);
    assert.match((await pause({ end: 'now' })).text, /^The pause has ended\. No pause is running/);
    assert.match((await pause({ end: 'now' })).text, /^Nothing changed\. No pause is running/);
    const atOnce = await pause({ from: '2026-03-02T10:00', until: '2026-03-02T14:00' });
    assert.match(atOnce.text, /^Paused from now on\. Reminders are paused until Monday, 2 March 2026 at 14:00/);
    assert.match((await pause({ end: 'planned' })).text, /^Nothing changed; end: "now" ends the running one\./);
    for (const [input, expected] of [
      [{ until: '2026-03-01' }, /^invalid_input: until: /],
      [{ from: '2026-03-10', until: '2026-03-09' }, /^invalid_input: until: /],
      [{ from: '2026-03-10' }, /^invalid_input: until: /],
      [{ from: '2026-02-10', until: '2026-03-09' }, /^invalid_input: from: .*leave it out to start the pause now/],
      [{ end: 'now', until: '2026-03-10' }, /^invalid_input: Give either end, or until/],
    ] as const) {
      assert.match((await callTool(app, token, 'pause_reminders', input)).text, expected);
    }
    const without = (await mintToken(ada)).token;
    assert.match((await callTool(app, without, 'pause_reminders', { end: 'now' })).text, /^scope_required: /);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: a test reads a response like a client without our types.
const pick = (task: any, ...names: string[]): unknown[] => names.map((name) => task[name]);
