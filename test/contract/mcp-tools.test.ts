import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOOLS } from '../../src/agents/tools.ts';
import { newId } from '../../src/lib/ids.ts';
import { ALL_TOOL_NAMES, callTool, callToolOk, mintToken, rpc, startWithAgent, TOOL_NAMES } from '../support/agents.ts';
import { onEveryEngine, onEveryEngineWith } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startScenario } from '../support/scenario.ts';
import { channelRow } from '../support/stored-channel.ts';

/** Minimal valid arguments for each tool. */
const inputFor = (name: string, task_id: string): object =>
  ({
    create_task: { title: 'x' },
    create_tasks: { tasks: [{ title: 'x' }] },
    list_tasks: {},
    list_outcomes: {},
    agenda: {},
    pause_reminders: { end: 'now' },
    set_timezone: { timezone: 'Europe/Oslo' },
    answer_request: { task_id, answer: 'accept' },
    snooze_task: { task_id, minutes: 5 },
    set_escalation: { task_id, mode: 'notify_once' },
    update_task: { task_id, title: 'y' },
    close_tasks: { task_ids: [task_id], as: 'done' },
  })[name] ?? { task_id };

const ABOUT_ONE_TASK = ALL_TOOL_NAMES.filter((name) => inputFor(name, 'x') && 'task_id' in inputFor(name, 'x'));
const NEEDS: Readonly<Record<string, string>> = {
  list_tasks: 'tasks:read',
  task_status: 'tasks:read',
  agenda: 'tasks:read',
  list_outcomes: 'tasks:read',
  pause_reminders: 'settings:write',
  set_timezone: 'settings:write',
};

onEveryEngineWith(startWithAgent, (it, test) => {
  it('every tool accepts and rejects each set of scopes as specified, and all tools are always listed', async (service) => {
    const { app, ada } = service;
    const sets = [['tasks:read'], ['tasks:write'], ['settings:write'], ['tasks:read', 'tasks:write']];
    for (const scopes of sets) {
      const { token } = await mintToken(ada, { scopes });
      for (const [path, names] of [
        ['/mcp', TOOL_NAMES],
        ['/mcp/all', ALL_TOOL_NAMES],
      ] as const) {
        const { result } = await rpc(app, token, 'tools/list', {}, path);
        assert.deepEqual(
          result.tools.map(({ name }: { name: string }) => name),
          names,
        );
      }
      for (const name of ALL_TOOL_NAMES) {
        const { body } = await ada.ask('POST', '/v1/tasks', { title: 'x' });
        const needed = NEEDS[name] ?? 'tasks:write';
        const { isError, text } = await callTool(app, token, name, inputFor(name, body.data.id));
        const pair = `${name} with ${scopes}: ${text}`;
        assert.equal(isError, !scopes.includes(needed), pair);
        if (isError) assert.ok(text.includes(`scope_required: The access token lacks the scope ${needed}.`), pair);
      }
    }
  });

  it('an answer about a nudge in quiet hours or a pause says what holds it and until when, and ring_anyway lets it pass once', async ({
    app,
    ada,
  }) => {
    await ada.ask('PATCH', '/v1/me', { quiet_hours_start: '22:00', quiet_hours_end: '07:00' });
    const { token } = await mintToken(ada, { scopes: ['tasks:read', 'tasks:write'] });
    const next = async (id: string) => (await ada.ask('GET', `/v1/tasks/${id}`)).body.data.next_fire_at;
    const HELD =
      /Next nudge .* 07:00.*held by quiet hours; asked for: 2026-03-02T23:30\..*update_task with ring_anyway/;
    const lock = { title: 'lock', due_at: '2026-03-02T23:30' };
    const held = await callToolOk(app, token, 'create_task', lock);
    assert.match(held.text, HELD);
    const { id } = held.structured.task;
    assert.match((await callToolOk(app, token, 'task_status', { task_id: id })).text, HELD);
    assert.equal(JSON.parse((await callToolOk(app, token, 'list_tasks', {})).text).tasks[0].held_by, 'quiet hours');
    const rings = await callToolOk(app, token, 'update_task', { task_id: id, ring_anyway: true });
    assert.doesNotMatch(rings.text, /held/);
    assert.equal(await next(id), '2026-03-02T23:30:00.000Z');
    const snoozed = await callToolOk(app, token, 'snooze_task', { task_id: id, until: '2026-03-02T23:45' });
    assert.match(snoozed.text, /held by quiet hours; asked for: 2026-03-02T23:45/);
    await callToolOk(app, token, 'snooze_task', { task_id: id, until: '2026-03-02T23:50', ring_anyway: true });
    assert.equal(await next(id), '2026-03-02T23:50:00.000Z');
    const loud = await callToolOk(app, token, 'create_task', { ...lock, lead_time_days: 0, ring_anyway: true });
    const ahead: { at: string; stage: number }[] = (
      await ada.ask('GET', `/v1/tasks/${loud.structured.task.id}/forecast`)
    ).body.data;
    assert.equal(ahead.find(({ stage }) => stage === 0)?.at, '2026-03-02T23:30:00.000Z');

    const planned = { from: '2026-03-04T00:00:00Z', until: '2026-03-10T08:00:00Z', keep_must_not_miss: true };
    await ada.ask('PUT', '/v1/me/pause/planned', planned);
    const away = await callToolOk(app, token, 'create_task', { title: 'ferns', due_at: '2026-03-05T18:00' });
    assert.match(away.text, /10 March 2026 at 08:00.*held by the user's pause/);
    await ada.ask('DELETE', '/v1/me/pause/planned');

    // A token that cannot read does not learn which hold it is.
    const blind = await mintToken(ada, { scopes: ['tasks:write'] });
    assert.match((await callToolOk(app, blind.token, 'create_task', lock)).text, /held by quiet hours or a pause/);
    const passed = await callToolOk(app, blind.token, 'create_task', { ...lock, ring_anyway: true });
    assert.equal(await next(passed.structured.task.id), '2026-03-02T23:30:00.000Z');
    const quiet = await mintToken(ada, { scopes: ['tasks:read', 'tasks:write'], max_stage: 1 });
    const refused = await callTool(app, quiet.token, 'create_task', { ...lock, title: 'none', ring_anyway: true });
    assert.match(refused.text, /^not_allowed: ring_anyway/);
    assert.equal((await ada.ask('GET', '/v1/tasks/search?q=none')).body.data.length, 0);
  });

  it("a token can neither read nor change another user's task, nor find out that it exists", async ({ app, ada }) => {
    const bob = await createPerson(app);
    const { token } = await mintToken(bob);
    const { body } = await ada.ask('POST', '/v1/tasks', { title: 'Secret of Ada', due_at: '2026-03-02T12:00:00Z' });
    const id: string = body.data.id;
    const guesses = [
      id,
      id.toUpperCase(),
      `urn:uuid:${id}`,
      `{${id}}`,
      ` ${id}`,
      `${id}/timeline`,
      `${id}?x=1`,
      `${id}%00`,
      `../tasks/${id}`,
      `..%2ftasks%2f${id}`,
      `${id.slice(0, -1)}0`,
      '',
      '*',
      '%',
      "' or 1=1 --",
      '\u0000',
    ];
    const idOf = (text: string) => text.replaceAll(/[0-9a-f-]{36}/g, 'ID');
    for (const name of [...ABOUT_ONE_TASK, 'close_tasks']) {
      for (const guess of guesses) {
        const { isError, text } = await callTool(app, token, name, inputFor(name, guess));
        assert.ok(isError && /(not_found|invalid_input): /.test(text) && !text.includes('Secret'), `${name} ${guess}`);
      }
      const [existing, missing] = [
        await callTool(app, token, name, inputFor(name, id)),
        await callTool(app, token, name, inputFor(name, newId())),
      ];
      assert.equal(idOf(existing.text), idOf(missing.text), `${name} reveals that the task exists`);
    }
    for (const status of ['open', 'all', 'pending', 'overdue']) {
      assert.deepEqual((await callToolOk(app, token, 'list_tasks', { status })).structured.tasks, []);
    }
    const after = await ada.ask('GET', `/v1/tasks/${id}`);
    assert.deepEqual(
      [after.body.data.status, after.body.data.mode, after.body.data.deferred_until],
      ['open', 'escalate', null],
    );
  });

  it('the answer to a mistake contains the code, the reason and what to do', async ({ app, ada }) => {
    await ada.ask('PATCH', '/v1/me', { timezone: 'Europe/Berlin' });
    const { token } = await mintToken(ada);
    const { structured } = await callToolOk(app, token, 'create_task', {
      title: 'pills',
      due_at: '2026-03-03T09:00',
    });
    const task_id = structured.task.id;
    const now = /it is Monday, 2 March 2026 at 10:00\./;
    const mistakes: [name: string, input: object, ...expected: RegExp[]][] = [
      ['complete_task', { task_id: newId() }, /^not_found: /, /Call list_tasks/],
      ['complete_task', { task_id: 'the pills' }, /^invalid_input: task_id: /, /Call list_tasks/],
      ['complete_task', { task_id: 'PILLS' }, /^not_found: task_id: .*"pills" is [0-9a-f-]{36}\./],
      ['complete_task', {}, /^invalid_input: task_id: Field required\./],
      ['complete_task', { task_id: null }, /^invalid_input: task_id: Field required\./],
      [
        'create_task',
        { title: 'x', due_at: '2026-03-02T08:00' },
        /has passed \(2 hours ago\).*allow_past: true\. It is Monday, 2 March/,
      ],
      ['create_task', { title: 'x', due_at: '2026-03-01' }, /^invalid_input: due_at: Sunday, 1 March 2026 has passed/],
      ['create_task', { title: 'x', recurrence: 'daily' }, /^invalid_input: due_at: a recurrence needs it/],
      ['create_task', { title: 'x', owner_id: newId() }, /^not_allowed: Assigning .* the user to do, in the app\./],
      ['update_task', { task_id, assignee: 'Bob' }, /^not_allowed: Assigning .* the user to do, in the app\./],
      ['update_task', { task_id, title: null }, /^invalid_input: Give at least one change/],
      [
        'update_task',
        { task_id, notes: 'x', clear: ['notes'] },
        /^invalid_input: clear: notes is set in the same call/,
      ],
      ['snooze_task', { task_id, until: '2026-03-05' }, /^invalid_input: until: .*a time beside the date/],
      ['pause_reminders', {}, /^(invalid_input|scope_required): /],
      ['list_outcomes', { from: '2026-03-05', until: '2026-03-01' }, /^invalid_input: from: .*not be after until/],
      ['close_tasks', { task_ids: [], as: 'done' }, /^invalid_input: task_ids: /],
      ['snooze_task', { task_id, until: '2026-03-01T09:00' }, /^invalid_input: until: .*future/, /Europe\/Berlin/, now],
      ['snooze_task', { task_id, until: 'tomorrow' }, /^invalid_input: until: .*ISO 8601/, now],
      ['snooze_task', { task_id }, /^invalid_input: Give exactly one of until, minutes and duration/],
      ['snooze_task', { task_id, minutes: 5, duration: 'PT5M' }, /^invalid_input: Give exactly one/],
      ...['PT0S', '-PT5M', 'five minutes', 'P99999Y', ' '].map((duration): [string, object, RegExp] => [
        'snooze_task',
        { task_id, duration },
        /^invalid_input: duration: .*positive ISO 8601 duration/,
      ]),
      ['create_task', { title: 'x', due_at: '2026-02-30T09:00' }, /^invalid_input: due_at: /, now],
      ['create_task', { title: 'x', due_at: '2026-13-01' }, /^invalid_input: due_at: /],
      ['create_task', { title: 'x', due_at: '2026-03-05', has_time: true }, /^invalid_input: due_at: .*needs a time/],
      [
        'create_task',
        { title: 'x', due: '2026-03-05' },
        /^invalid_input: There is no argument "due"; create_task takes title/,
      ],
      [
        'create_task',
        { title: 'x'.repeat(1_000_000) },
        /^invalid_input: title: String should have at most 200 characters\./,
      ],
      ['create_task', { title: '' }, /^invalid_input: title: .*at least 1 character/],
      ['create_task', { title: 7 }, /^invalid_input: title: .*string/],
      ['create_task', { title: 'a\u0000b' }, /^invalid_input: title: /],
      [
        'create_task',
        { title: 'x', recurrence: { freq: 'daily', interval: 0 } },
        /^invalid_input: recurrence\.interval: /,
      ],
      [
        'create_task',
        { title: 'x', due_at: '2026-03-05T09:00', recurrence: { freq: 'now and then' } },
        /^invalid_input: recurrence\.freq: it is not understood\. Write \{"freq": "daily"\}/,
      ],
      [
        'create_task',
        { title: 'x', due_at: '2026-03-05T09:00', recurrence: { freq: `a${' '.repeat(80_000)}!` } },
        /^invalid_input: recurrence\.freq: it is too long\. /,
      ],
      [
        'create_task',
        { title: 'x', due_at: '2026-03-05', recurrence: { freq: 'hourly' } },
        /^invalid_input: recurrence: .*has_time/,
      ],
      ['create_task', { title: 'x', idempotency_key: 'x'.repeat(256) }, /^invalid_input: idempotency_key: /],
      ['set_escalation', { task_id }, /^invalid_input: Give at least one of mode/],
      ['set_escalation', { task_id, mode: 'loud' }, /^invalid_input: mode: .*escalate, notify_once/],
      ['list_tasks', { status: 'opne' }, /^invalid_input: status: .*open, overdue/],
      ['list_tasks', { cursor: 'made up' }, /^invalid_input: cursor: /],
    ];
    for (const [name, input, ...expected] of mistakes) {
      const { isError, text, structured } = await callTool(app, token, name, input);
      const shown = `${name} ${JSON.stringify(input).slice(0, 100)} → ${text.slice(0, 400)}`;
      assert.ok(isError && structured === undefined, shown);
      for (const pattern of expected) assert.match(text, pattern, shown);
      assert.ok(text.length < 700 && !/node_modules|\.ts:\d|at \w+ \(/.test(text), shown);
    }
    await callToolOk(app, token, 'complete_task', { task_id });
    const closed = await callTool(app, token, 'snooze_task', { task_id, minutes: 5 });
    assert.match(closed.text, /^task_closed: .*create_task makes a new one/);
    assert.deepEqual((await callToolOk(app, token, 'list_tasks')).structured.tasks, []);
  });

  it('times without an offset are in the zone of the user, and every answer names the zone and the next nudge in words', async (service) => {
    const { app, ada } = service;
    await ada.ask('PATCH', '/v1/me', { timezone: 'America/New_York' });
    // Also for a token that cannot read.
    const { token } = await mintToken(ada, { scopes: ['tasks:write'] });
    const timed = await callToolOk(app, token, 'create_task', { title: 'call', due_at: '2026-03-02T12:00' });
    const words = 'Next nudge in 8 hours, on Monday, 2 March 2026 at 12:00 (America/New_York).';
    assert.ok(timed.text.endsWith(words), timed.text);
    const day = await callToolOk(app, token, 'create_task', { title: 'tax', due_at: '2026-03-09' });
    assert.match(
      day.text,
      /Due Monday, 9 March 2026, all day\. .*Next nudge in 7 days, on Monday, 9 March 2026 at 09:00/,
    );
    const undated = await callToolOk(app, token, 'create_task', { title: 'some day' });
    assert.match(undated.text, /No nudge is planned: the task has no due date.*Times are in America\/New_York\.$/);
    const task_id = undated.structured.task.id;
    // Eight days on the wall clock, across the change to summer time.
    const snoozed = await callToolOk(app, token, 'snooze_task', { task_id, duration: 'P8D' });
    assert.match(snoozed.text, /Next nudge in 8 days, on Tuesday, 10 March 2026 at 04:00/);
    const soon = await callToolOk(app, token, 'snooze_task', { task_id, minutes: 90 });
    assert.match(soon.text, /Next nudge in 90 minutes, on Monday, 2 March 2026 at 05:30 \(America\/New_York\)/);
    const until = await callToolOk(app, token, 'snooze_task', { task_id, until: '2026-03-02T18:00' });
    assert.match(until.text, /Next nudge in 14 hours, on Monday, 2 March 2026 at 18:00/);
    const done = await callToolOk(app, token, 'complete_task', { task_id });
    assert.match(done.text, /^Done: .*No more nudges: the task is done\./);
  });

  it('create_task puts a task into a space of the user, and into no other', async ({ app, ada }) => {
    const bob = await createPerson(app);
    const spaceOf = async (person: Person) => (await person.ask('POST', '/v1/spaces', { name: 'Home' })).body.data.id;
    const { token } = await mintToken(ada);
    const space_id = await spaceOf(ada);
    const made = await callTool(app, token, 'create_task', { title: 'Water', space_id });
    assert.match(made.text, /^Created "Water".* In the space "Home"\./);
    const shared = (await ada.ask('GET', `/v1/spaces/${space_id}/tasks`)).body.data;
    assert.deepEqual(
      shared.map(({ title }: { title: string }) => title),
      ['Water'],
    );
    const refused = await callTool(app, token, 'create_task', { title: 'Bread', space_id: await spaceOf(bob) });
    assert.match(refused.text, /not_found/);
  });

  it('the due_at that a tool shows is accepted back to the letter, as the occurrence and for a new task', async (service) => {
    const { app, ada, token } = service;
    const recurrence = { freq: 'daily' };
    for (const [zone, due_at, has_time] of [
      ['Europe/Berlin', '2026-03-03T09:00:00.125Z', true],
      ['Europe/Berlin', '2026-03-03T09:00:00.100Z', true],
      ['Asia/Kathmandu', '2026-03-03T09:00:00Z', true],
      ['Africa/Monrovia', '1950-03-03T09:00:00.001Z', true],
      ['America/New_York', '2026-03-03T00:00:00Z', false],
      ['Europe/Berlin', '2026-03-03T23:00:00Z', false],
    ] as const) {
      await ada.ask('PATCH', '/v1/me', { timezone: zone });
      const past = { allow_past: true };
      const input = { title: 'pills', due_at, has_time, recurrence, ...past };
      const created = await callToolOk(app, token, 'create_task', input);
      const task_id = created.structured.task.id;
      const stored = (await ada.ask('GET', `/v1/tasks/${task_id}`)).body.data;
      const { text } = await callToolOk(app, token, 'task_status', { task_id });
      const [, inStatus] = /As arguments: due_at (\S+), recurrence/.exec(text) ?? [];
      const { structured } = await callToolOk(app, token, 'list_tasks', { limit: 100 });
      const short = structured.tasks.find(({ id }: { id: string }) => task_id.endsWith(id))?.due_at;
      assert.equal(inStatus, short);
      for (const shown of [short]) {
        const copy = await callToolOk(app, token, 'create_task', { title: 'copy', due_at: shown, ...past });
        const copied = (await ada.ask('GET', `/v1/tasks/${copy.structured.task.id}`)).body.data;
        if (has_time) assert.equal(copied.due_at, stored.due_at);
        await callToolOk(app, token, 'snooze_task', { task_id, occurrence_due_at: shown, minutes: 5 });
      }
      const shown = short;
      const named = { task_id, occurrence_due_at: shown };
      await callToolOk(app, token, 'complete_task', named);
      assert.match((await callTool(app, token, 'complete_task', named)).text, /^occurrence_passed: /);
    }
  });

  test('repeated create_task calls with the same idempotency_key create one task', async ({ app, ada, token }) => {
    const input = { title: 'pills', due_at: '2026-03-03T09:00', idempotency_key: 'k1' };
    const answers = await Promise.all([1, 2, 3].map(() => callTool(app, token, 'create_task', input)));
    const again = await callToolOk(app, token, 'create_task', input);
    const made = answers.filter(({ isError }) => !isError);
    assert.ok(made.length > 0);
    for (const { structured } of made) assert.equal(structured.task.id, again.structured.task.id);
    for (const { text } of answers.filter(({ isError }) => isError)) assert.match(text, /^request_in_progress: /);
    const other = await callTool(app, token, 'create_task', { ...input, title: 'other' });
    assert.match(other.text, /^idempotency_key_reused: .*another idempotency_key/);
    assert.equal((await ada.ask('GET', '/v1/tasks')).body.data.length, 1);
  });

  it('task_status says that nothing reaches the user, and why', async ({ app, token }) => {
    const { structured } = await callToolOk(app, token, 'create_task', { title: 'pills', due_at: '2026-03-05' });
    const status = await callToolOk(app, token, 'task_status', { task_id: structured.task.id });
    assert.match(status.text, /^No reminder reaches the user at present: no device or channel is set up\. The user/m);
  });

  it('a long list is paginated, in the order of the API', async ({ app, token }) => {
    for (let day = 1; day <= 5; day += 1) {
      await callToolOk(app, token, 'create_task', { title: `day ${day}`, due_at: `2026-04-0${day}` });
    }
    const titles: string[] = [];
    let cursor: string | undefined;
    do {
      const { structured } = await callToolOk(app, token, 'list_tasks', { limit: 2, ...(cursor && { cursor }) });
      titles.push(...structured.tasks.map(({ title }: { title: string }) => title));
      cursor = structured.next_cursor ?? undefined;
    } while (cursor);
    assert.deepEqual(titles, ['day 1', 'day 2', 'day 3', 'day 4', 'day 5']);
  });
});

onEveryEngine((engine, it) => {
  it('task_status contains the forecast, the last deliveries and which agent did what', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada, device } = scenario;
    const { token } = await mintToken(ada, { name: 'Jeeves' });
    const created = await callToolOk(app, token, 'create_task', { title: 'pills', due_at: '2026-03-02T09:30:00Z' });
    const task_id = created.structured.task.id;
    await scenario.advance('31m');
    const { text } = await callToolOk(app, token, 'task_status', { task_id });
    assert.match(text, /^"pills".* 1 nudge so far, stage 0\./);
    assert.match(text, /^Ahead: 2026-03-02T09:45, 10:00, 10:15: stage 1, to "iPhone"; 10:30/m);
    assert.match(text, /Last deliveries: 2026-03-02T09:30: stage 0, to "iPhone", status sent, seen no\./);
    assert.match(text, /History: 2026-03-02T09:30: nudge, stage 0; 09:00: created, by owner, through "Jeeves"\./);
    assert.ok(!text.includes(device));
    const channel = channelRow(app.clock.now(), { user_id: ada.userId, provider: 'webhook', tier: 1 });
    await app.db.insertInto('channels').values(channel).execute();
    const falling = await callToolOk(app, token, 'task_status', { task_id });
    assert.match(falling.text, /Ahead: 2026-03-02T09:45: stage 1, to "iPhone", unanswered webhook 2026-03-02T09:\d\d/);
    await scenario.advance('20m');
    const fell = await callToolOk(app, token, 'task_status', { task_id });
    assert.match(fell.text, /fell_back, via webhook/);
    assert.doesNotMatch(fell.text, /No reminder reaches/);
  });
});

test('every tool describes its purpose, its scope, its arguments and its side effects', () => {
  for (const { name, title, description, annotations, input } of TOOLS['/mcp/all']) {
    assert.ok(title.length > 5 && description.length > 100, name);
    assert.match(description, /Needs (tasks|settings):(read|write)\.$/, name);
    assert.equal(annotations.readOnlyHint, description.includes('tasks:read'), name);
    assert.equal(annotations.destructiveHint, ['complete_task', 'close_tasks'].includes(name), name);
    assert.equal('additionalProperties' in input && input.additionalProperties, false, name);
    for (const [field, schema] of Object.entries(input.properties)) {
      const words = JSON.stringify(schema);
      assert.ok(words.includes('"description":"'), `${name}.${field} is not explained`);
    }
  }
  for (const [path, names] of [
    ['/mcp', TOOL_NAMES],
    ['/mcp/all', ALL_TOOL_NAMES],
  ] as const) {
    assert.deepEqual(
      TOOLS[path].map(({ name }) => name),
      names,
    );
  }
});
