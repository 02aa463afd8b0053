import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callTool, callToolOk, mintToken } from '../support/agents.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startScenario } from '../support/scenario.ts';
import { type Answer, startTestApp } from '../support/test-app.ts';

onEveryEngine((engine, it) => {
  it('tokens list the guard-rails they were minted with; the default is none', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await mintToken(ada, { max_stage: 1, max_open_tasks: 3 });
    await mintToken(ada);
    const { body } = await ada.ask('GET', '/v1/tokens');
    assert.deepEqual(
      body.data.map(({ max_stage, max_open_tasks }: Record<string, unknown>) => [max_stage, max_open_tasks]),
      [
        [null, null],
        [1, 3],
      ],
    );
    for (const wrong of [{ max_stage: 3 }, { max_stage: -1 }, { max_open_tasks: 0 }, { max_open_tasks: 1.5 }]) {
      assert.equal((await ada.ask('POST', '/v1/tokens', wrong)).status, 422, JSON.stringify(wrong));
    }
  });

  it('the end of an access token is read in the zone of its owner, and the token is refused from that moment on', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await ada.ask('PATCH', '/v1/me', { timezone: 'America/New_York' });
    const ending = (await ada.ask('POST', '/v1/tokens', { expires_at: '2026-03-02T05:00:00' })).body.data;
    assert.equal(ending.expires_at, '2026-03-02T10:00:00.000Z');
    assert.equal((await ada.ask('POST', '/v1/tokens', { expires_at: '2026-03-02T03:59:00' })).status, 422);
    await app.clock.advance('1m');
    const lasting = (await ada.ask('POST', '/v1/tokens', {})).body.data;
    const use = async ({ token }: { token: string }) => (await ada.ask('GET', '/v1/me', undefined, token)).status;
    await app.clock.advance('58m');
    assert.deepEqual([await use(ending), await use(lasting)], [200, 200]);
    await app.clock.advance('1m');
    assert.deepEqual([await use(ending), await use(lasting)], [401, 200]);
    const listed = (await ada.ask('GET', '/v1/tokens')).body.data;
    assert.deepEqual(
      listed.map(({ id }: { id: string }) => id),
      [lasting.id, ending.id],
      'the newest first, and one that has ended until it is revoked',
    );
  });

  it('a task created with a token of max_stage 0 keeps nudging at stage 0, as its forecast says', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada, phone } = scenario;
    const { token } = await mintToken(ada, { max_stage: 0 });
    const due = { due_at: '2026-03-02T09:30:00Z' };
    const { structured } = await callToolOk(app, token, 'create_task', { title: 'capped', ...due });
    await scenario.create({ title: 'free', has_time: true, ...due });
    const { body } = await ada.ask('GET', `/v1/tasks/${structured.task.id}/forecast?limit=6`);
    const stages = body.data.map(({ stage }: { stage: number }) => stage);
    assert.deepEqual(stages, [0, 0, 0, 0, 0, 0]);
    await scenario.advance('3h');
    const shown = phone.take();
    const strongest = (title: string) =>
      shown.filter((line) => line.endsWith(title)).map((line) => [line.slice(11, 16), line.slice(17, 18)].join(' '));
    assert.deepEqual(strongest('capped'), ['09:30 0', '09:45 0', '10:00 0', '10:15 0', '10:30 0', '11:30 0']);
    assert.deepEqual(strongest('free'), ['09:30 0', '09:45 1', '10:00 1', '10:15 1', '10:30 2', '11:30 2']);
    const task = await scenario.read(structured.task.id);
    assert.deepEqual([task.escalation_stage, task.nudge_count], [0, 6]);
  });

  it('max_stage still applies after the mode changes, the task repeats or the token is revoked', async () => {
    await using scenario = await startScenario(engine);
    const { app, ada, phone } = scenario;
    const { id, token } = await mintToken(ada, { max_stage: 0 });
    const { structured } = await callToolOk(app, token, 'create_task', {
      title: 'pills',
      due_at: '2026-03-02T09:30:00Z',
      recurrence: { freq: 'daily' },
      mode: 'notify_once',
    });
    const task_id = structured.task.id;
    await callToolOk(app, token, 'set_escalation', { task_id, mode: 'escalate' });
    await callToolOk(app, token, 'complete_task', { task_id });
    await ada.ask('DELETE', `/v1/tokens/${id}`);
    await scenario.advance('26h');
    const lines = phone.take();
    assert.ok(lines.length >= 5 && lines.every((line) => line.includes(' 0 pills')), lines.join('\n'));
  });

  it('set_escalation leaves omitted fields unchanged', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const { token } = await mintToken(ada);
    const input = { title: 'x', due_at: '2026-03-05', mode: 'notify_once', lead_time_days: 2 };
    const { structured } = await callToolOk(app, token, 'create_task', input);
    const task_id = structured.task.id;
    await callToolOk(app, token, 'set_escalation', { task_id, break_quiet_hours: true });
    const read = async () => (await ada.ask('GET', `/v1/tasks/${task_id}`)).body.data;
    const task = await read();
    assert.deepEqual([task.mode, task.break_quiet_hours, task.lead_time_days], ['notify_once', true, 2]);
    await callToolOk(app, token, 'set_escalation', { task_id, clear: ['lead_time_days'] });
    assert.equal((await read()).lead_time_days, null);
  });

  test('a token never has more than max_open_tasks open, even when it creates many at once', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const { token } = await mintToken(ada, { max_open_tasks: 3 });
    // Tasks of the user and of other tokens do not count.
    await ada.ask('POST', '/v1/tasks', { title: 'mine' });
    await callToolOk(app, (await mintToken(ada)).token, 'create_task', { title: "another's" });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => callTool(app, token, 'create_task', { title: `t${index}` })),
    );
    const made = answers.filter(({ isError }) => !isError);
    assert.equal(made.length, 3);
    const refused = answers.find(({ isError }) => isError);
    assert.match(refused?.text ?? '', /^too_many_open_tasks: .*Complete or close tasks that are done/);
    const rest = await ada.ask('POST', '/v1/tasks', { title: 'x' }, token);
    assert.deepEqual([rest.status, rest.body.error.split(':')[0]], [429, 'too_many_open_tasks']);
    const task_id = made[0]?.structured.task.id;
    await callToolOk(app, token, 'complete_task', { task_id });
    await callToolOk(app, token, 'create_task', { title: 'one more' });
    const reopened = await ada.ask('POST', `/v1/tasks/${task_id}/reopen`, undefined, token);
    assert.equal(reopened.status, 429);
    // The limit applies to the token, not to the user.
    assert.equal((await ada.ask('POST', `/v1/tasks/${task_id}/reopen`)).status, 200);
  });

  test('a task that a token reopens counts for its max_open_tasks, whoever created the task', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const { token } = await mintToken(ada, { max_open_tasks: 2 });
    const other = (await mintToken(ada)).token;
    const closed: string[] = [];
    for (const creator of [ada.sessionToken, other, ada.sessionToken]) {
      const { id } = (await ada.ask('POST', '/v1/tasks', { title: 'x' }, creator)).body.data;
      await ada.ask('POST', `/v1/tasks/${id}/complete`);
      closed.push(id);
    }
    const answers = await Promise.all(closed.map((id) => ada.ask('POST', `/v1/tasks/${id}/reopen`, undefined, token)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 429]);
    assert.equal((await ada.ask('POST', '/v1/tasks', { title: 'x' }, token)).status, 429);
    const reopened = answers.find(({ status }) => status === 200)?.body.data.id;
    await ada.ask('POST', `/v1/tasks/${reopened}/complete`);
    assert.equal((await ada.ask('POST', '/v1/tasks', { title: 'x' }, token)).status, 200);
  });

  it('no change by a token brings its user nudges above its max_stage', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const tokens = new Map<number, string>();
    for (const stage of [0, 1, 2]) tokens.set(stage, (await mintToken(ada, { max_stage: stage })).token);
    const [soon, later, latest] = ['2026-03-02T12:00:00Z', '2026-03-05T12:00:00Z', '2026-03-09T12:00:00Z'];
    const dated = { title: 'x', due_at: later, has_time: true };
    const edit = (changes: object) => (id: string, token: string) =>
      ada.ask('PATCH', `/v1/tasks/${id}`, changes, token);
    const action = (name: string, body?: object) => (id: string, token: string) =>
      ada.ask('POST', `/v1/tasks/${id}/${name}`, body, token);
    const closedBySession = (id: string) => ada.ask('POST', `/v1/tasks/${id}/drop`);
    const table: [
      task: object,
      change: (id: string, token: string) => Promise<Answer>,
      isCapped: boolean,
      first?: (id: string) => Promise<Answer>,
    ][] = [
      [{ ...dated, mode: 'notify_once' }, edit({ mode: 'escalate' }), true],
      [{ title: 'x' }, edit({ due_at: soon, has_time: true }), true],
      [dated, edit({ due_at: soon }), true],
      [dated, edit({ has_time: false }), true],
      [dated, edit({ recurrence: { freq: 'minutely' } }), true],
      [{ title: 'x' }, action('snooze', { until: soon }), true],
      [
        dated,
        action('snooze', { until: later }),
        true,
        (id) => ada.ask('POST', `/v1/tasks/${id}/snooze`, { until: latest }),
      ],
      [dated, action('reopen'), true, closedBySession],
      [{ ...dated, owner_id: ada.userId }, action('accept'), true],
      [{ ...dated, owner_id: ada.userId, recurrence: { freq: 'daily' } }, action('complete'), true],
      // What follows brings no nudges, so the user's own task keeps its whole ladder.
      [dated, edit({ title: 'y', notes: 'z', lead_time_days: 1 }), false],
      [dated, edit({ due_at: latest }), false],
      [dated, action('snooze', { until: latest }), false],
      [{ ...dated, recurrence: { freq: 'daily' } }, action('complete'), false],
      [{ ...dated, recurrence: { freq: 'daily' } }, action('skip'), false],
      [dated, (id, token) => action('drop')(id, token).then(() => action('reopen')(id, token)), false],
    ];
    for (const [index, [task, change, isCapped, first]] of table.entries()) {
      for (const [stage, token] of tokens) {
        const maker = 'owner_id' in task ? bob : ada;
        const { id } = (await maker.ask('POST', '/v1/tasks', task)).body.data;
        await first?.(id);
        const { status, body } = await change(id, token);
        assert.equal(status, 200, JSON.stringify(body));
        const forecast = (await ada.ask('GET', `/v1/tasks/${id}/forecast?limit=8`)).body.data;
        const strongest = Math.max(...forecast.map((nudge: { stage: number }) => nudge.stage));
        assert.equal(strongest, isCapped ? stage : 2, `row ${index}, max_stage ${stage}`);
      }
    }
  });

  it('a token with a max_stage below 2 makes no task break quiet hours', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const [capped, free] = [
      (await mintToken(ada, { max_stage: 1 })).token,
      (await mintToken(ada, { max_stage: 2 })).token,
    ];
    const loud = { title: 'x', break_quiet_hours: true };
    const refused = await ada.ask('POST', '/v1/tasks', loud, capped);
    assert.deepEqual([refused.status, refused.body.error.split(':')[0]], [403, 'not_allowed']);
    const mine = (await ada.ask('POST', '/v1/tasks', { title: 'x' })).body.data.id;
    const edit = (token: string) => ada.ask('PATCH', `/v1/tasks/${mine}`, { break_quiet_hours: true }, token);
    assert.equal((await edit(capped)).status, 403);
    const tool = await callTool(app, capped, 'set_escalation', { task_id: mine, break_quiet_hours: true });
    assert.match(tool.text, /^not_allowed: .*max_stage/);
    assert.equal((await edit(free)).status, 200);
    // Sending back what is so already is not refused.
    assert.equal((await edit(capped)).status, 200);
    assert.equal((await ada.ask('POST', '/v1/tasks', loud, free)).status, 200);
  });

  it('the owner lifts the ceiling of a task by changing its mode with a session, and a token does not', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const { token } = await mintToken(ada, { max_stage: 0 });
    const free = (await mintToken(ada)).token;
    const due = { due_at: '2026-03-05T12:00:00Z', has_time: true };
    const { id } = (await ada.ask('POST', '/v1/tasks', { title: 'x', ...due }, token)).body.data;
    const strongest = async () => {
      const { body } = await ada.ask('GET', `/v1/tasks/${id}/forecast?limit=8`);
      return Math.max(...body.data.map(({ stage }: { stage: number }) => stage));
    };
    for (const by of [free, ada.sessionToken]) {
      await ada.ask('PATCH', `/v1/tasks/${id}`, { title: 'y', due_at: '2026-03-04T12:00:00Z' }, by);
      assert.equal(await strongest(), 0);
    }
    for (const [by, expected] of [
      [free, 0],
      [ada.sessionToken, 2],
    ] as const) {
      for (const mode of ['notify_once', 'escalate']) await ada.ask('PATCH', `/v1/tasks/${id}`, { mode }, by);
      assert.equal(await strongest(), expected);
    }
  });

  test('an account has at most 100 access tokens, even when it mints many at once', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    for (let index = 0; index < 97; index += 1) await mintToken(ada);
    const answers = await Promise.all(Array.from({ length: 6 }, () => ada.ask('POST', '/v1/tokens', {})));
    assert.equal(answers.filter(({ status }) => status === 200).length, 3);
    const refused = answers.find(({ status }) => status !== 200);
    assert.deepEqual([refused?.status, refused?.body.error.split(':')[0]], [429, 'too_many_tokens']);
    const [newest] = (await ada.ask('GET', '/v1/tokens')).body.data;
    await ada.ask('DELETE', `/v1/tokens/${newest.id}`);
    assert.equal((await ada.ask('POST', '/v1/tokens', {})).status, 200);
  });

  it('the timeline shows the token to the owner only, and only while the token exists', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const { id, token, prefix } = await mintToken(ada, { name: 'Jeeves' });
    const { body } = await bob.ask('POST', '/v1/tasks', { title: 'for Ada', owner_id: ada.userId });
    const task = `/v1/tasks/${body.data.id}`;
    await ada.ask('POST', `${task}/accept`);
    await callToolOk(app, token, 'complete_task', { task_id: body.data.id });
    const tokens = async (viewer: typeof ada) =>
      (await viewer.ask('GET', `${task}/timeline`)).body.data.map(({ kind, token }: Record<string, unknown>) => [
        kind,
        token,
      ]);
    const unnamed = [
      ['accepted', null],
      ['created', null],
    ];
    assert.deepEqual(await tokens(ada), [['done', { name: 'Jeeves', prefix }], ...unnamed]);
    assert.deepEqual(await tokens(bob), [['done', null], ...unnamed]);
    await ada.ask('DELETE', `/v1/tokens/${id}`);
    assert.deepEqual(await tokens(ada), [['done', null], ...unnamed]);
    const [entry] = (await ada.ask('GET', `${task}/timeline`)).body.data;
    assert.equal(entry.token_id, id);
  });
});
