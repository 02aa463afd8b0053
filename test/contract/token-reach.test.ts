import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callTool, callToolOk, mintToken } from '../support/agents.ts';
import { onEveryEngine } from '../support/engines.ts';
import { signIn } from '../support/people.ts';
import { startScenario } from '../support/scenario.ts';
import { startTestApp } from '../support/test-app.ts';

onEveryEngine((engine) => {
  test('tokens list the guard-rails they were minted with; the default is none', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app);
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

  test('a task created with a token of max_stage 0 keeps nudging at stage 0, as its forecast says', async () => {
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

  test('max_stage still applies after the mode changes, the task repeats or the token is revoked', async () => {
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

  test('set_escalation leaves omitted fields unchanged', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app);
    const { token } = await mintToken(ada);
    const input = { title: 'x', due_at: '2026-03-05', mode: 'notify_once', lead_time_days: 2 };
    const { structured } = await callToolOk(app, token, 'create_task', input);
    const task_id = structured.task.id;
    await callToolOk(app, token, 'set_escalation', { task_id, break_quiet_hours: true });
    const read = async () => (await ada.ask('GET', `/v1/tasks/${task_id}`)).body.data;
    const task = await read();
    assert.deepEqual([task.mode, task.break_quiet_hours, task.lead_time_days], ['notify_once', true, 2]);
    await callToolOk(app, token, 'set_escalation', { task_id, lead_time_days: null });
    assert.equal((await read()).lead_time_days, null);
  });

  test('a token never has more than max_open_tasks open, even when it creates many at once', async () => {
    await using app = await startTestApp(engine);
    const ada = await signIn(app);
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
    assert.match(refused?.text ?? '', /^too_many_open_tasks: .*Complete tasks that are done/);
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

  test('the timeline shows the token to the owner only, and only while the token exists', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await signIn(app), await signIn(app)];
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
