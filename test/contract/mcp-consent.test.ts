/** A bulk change by an assistant happens only with the code of its own dry run, and one call takes it back. */
import assert from 'node:assert/strict';
import { callTool, callToolOk, headersOf, mintToken, parseBody } from '../support/agents.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson, type Person } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const MODERN = '2026-07-28';

async function createTasks(person: Person, count: number): Promise<string[]> {
  const ids = [];
  for (const index of Array(count).keys())
    ids.push((await person.ask('POST', '/v1/tasks', { title: `task ${index}` })).body.data.id);
  return ids;
}

const openTasks = async (person: Person) => (await person.ask('GET', '/v1/tasks?status=open')).body.data.length;

/** A call of a client that says it can ask its user, with whatever else it claims. */
async function callAsking(app: TestApp, token: string, input: object, extra: object) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const params = { name: 'close_tasks', arguments: input, _meta, ...extra };
  const headers = {
    ...headersOf(token),
    'mcp-protocol-version': MODERN,
    'mcp-method': 'tools/call',
    'mcp-name': 'close_tasks',
  };
  const payload = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const { body } = await app.fastify.inject({ method: 'POST', url: '/mcp/all', headers, payload });
  return parseBody(body).result;
}

onEveryEngine((engine, it) => {
  it('no first call drops tasks or closes many, however it is spelled', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const { token } = await mintToken(ada);
    const task_ids = await createTasks(ada, 6);
    const drop = { task_ids, as: 'dropped' };
    const [one, two] = task_ids;
    for (const spelling of [
      {},
      { confirm: true },
      { code: '' },
      { code: 'true' },
      { code: 'yes' },
      { code: 'A'.repeat(54) },
      { code: null },
      { code: ['x'] },
      { dry_run: false },
    ]) {
      for (const input of [
        { ...drop, ...spelling },
        { ...drop, as: 'done', ...spelling },
        { task_ids: [one], as: 'dropped', ...spelling },
        { task_ids: [one, two], as: 'done', ...spelling },
        { task_ids: `${one},${two}`, as: 'skipped', ...spelling },
      ])
        await callTool(app, token, 'close_tasks', input);
      assert.equal(await openTasks(ada), 6, JSON.stringify(spelling));
    }
    // A client that claims its user has agreed before anybody was asked.
    const agreed = { inputResponses: { consent: { action: 'accept', content: { agree: true } } } };
    for (const extra of [agreed, { ...agreed, requestState: 'yes' }]) {
      const { resultType } = await callAsking(app, token, drop, extra);
      assert.deepEqual([resultType, await openTasks(ada)], ['input_required', 6]);
    }
    const { requestState } = await callAsking(app, token, drop, {});
    await callAsking(app, token, drop, { ...agreed, requestState });
    assert.equal(await openTasks(ada), 0);
  });

  it('the code counts for its caller, its way and its tasks alone, for ten minutes and once', async () => {
    await using app = await startTestApp(engine);
    const [ada, bob] = [await createPerson(app), await createPerson(app)];
    const { token } = await mintToken(ada);
    const task_ids = await createTasks(ada, 7);
    const six = task_ids.slice(0, 6);
    const codeOf = async () =>
      (await callToolOk(app, token, 'close_tasks', { task_ids: six, as: 'done' })).structured.code;
    const code = await codeOf();
    for (const [by, input] of [
      [(await mintToken(ada)).token, { task_ids: six, as: 'done' }],
      [(await mintToken(bob)).token, { task_ids: six, as: 'done' }],
      [token, { task_ids: six, as: 'dropped' }],
      [token, { task_ids, as: 'done' }],
      [token, { task_ids: six.slice(1), as: 'done' }],
      [token, { task_ids: [...six.slice(1), task_ids[6]], as: 'done' }],
    ] as const) {
      const { text } = await callTool(app, by, 'close_tasks', { ...input, code });
      assert.match(text, /^invalid_input: code: .*Nothing changed: call again without code/);
    }
    await app.clock.advance('11m');
    assert.match(
      (await callTool(app, token, 'close_tasks', { task_ids: six, as: 'done', code })).text,
      /^invalid_input/,
    );
    assert.equal(await openTasks(ada), 7);
    const fresh = await codeOf();
    // The order of the ids does not matter.
    const input = { task_ids: six.toReversed(), as: 'done', code: fresh };
    const closed = (await callToolOk(app, token, 'close_tasks', input)).structured;
    assert.deepEqual([closed.closed, await openTasks(ada)], [6, 1]);
    const back = (await callToolOk(app, token, 'reopen_task', { undo: closed.undo })).structured;
    assert.deepEqual([back.reopened, back.failed, await openTasks(ada)], [6, 0, 7]);
    // All tasks are as the dry run showed them, and yet the user agreed once.
    assert.match((await callTool(app, token, 'close_tasks', input)).text, /^invalid_input: code: it was used already/);
    assert.equal(await openTasks(ada), 7);
  });

  it('what changed since the dry run is left out and named, and the undo leaves what happened since', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const { token } = await mintToken(ada);
    const [renamed = '', moved = '', done = '', ...rest] = await createTasks(ada, 5);
    const series = { title: 'series', due_at: '2026-03-03T08:00:00Z', has_time: true, recurrence: { freq: 'daily' } };
    const { id: repeating } = (await ada.ask('POST', '/v1/tasks', series)).body.data;
    const call = { task_ids: [renamed, moved, done, repeating, ...rest], as: 'dropped' };
    const { code } = (await callToolOk(app, token, 'close_tasks', call)).structured;
    await ada.ask('PATCH', `/v1/tasks/${renamed}`, { title: 'the new kitchen' });
    await ada.ask('PATCH', `/v1/tasks/${moved}`, { due_at: '2026-03-09T08:00:00Z' });
    await ada.ask('POST', `/v1/tasks/${done}/complete`);
    await ada.ask('POST', `/v1/tasks/${repeating}/complete`);
    const { structured: answer } = await callToolOk(app, token, 'close_tasks', { ...call, code });
    assert.deepEqual([answer.closed, answer.failed], [2, 0]);
    assert.deepEqual(
      new Set(answer.left_out.map(({ id }: { id: string }) => id)),
      new Set([renamed, moved, done, repeating]),
    );
    assert.ok(answer.left_out.some(({ title }: { title: string }) => title === 'the new kitchen'));
    assert.equal(await openTasks(ada), 3);
    const [kept = '', other = ''] = rest;
    await ada.ask('POST', `/v1/tasks/${kept}/reopen`);
    await ada.ask('POST', `/v1/tasks/${kept}/skip`);
    const undone = (await callToolOk(app, token, 'reopen_task', { undo: answer.undo })).structured;
    assert.deepEqual([undone.reopened, undone.failed], [1, 1]);
    assert.match(undone.results.find(({ id }: { id: string }) => id === kept).error, /^nothing_to_reopen/);
    assert.equal((await ada.ask('GET', `/v1/tasks/${other}`)).body.data.status, 'open');
    assert.equal((await ada.ask('GET', `/v1/tasks/${kept}`)).body.data.status, 'skipped');
  });

  it('the time zone is told and set by an assistant with settings:write, and the answer says what moves', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    await ada.ask('PATCH', '/v1/me', { timezone: 'Europe/Amsterdam' });
    await ada.ask('POST', '/v1/tasks', { title: 'all day', due_at: '2026-03-09T00:00:00' });
    await ada.ask('POST', '/v1/tasks', { title: 'call', due_at: '2026-03-09T10:00:00Z', has_time: true });
    const { token } = await mintToken(ada, { scopes: ['settings:write'] });
    const blind = await callToolOk(app, token, 'set_timezone', { timezone: 'europe/amsterdam' });
    assert.match(blind.text, /^Nothing changed: the time zone is Europe\/Amsterdam\./);
    const all = (await mintToken(ada, { scopes: ['settings:write', 'tasks:read'] })).token;
    const { text } = await callToolOk(app, all, 'set_timezone', { timezone: 'America/New York' });
    assert.match(
      text,
      /^The time zone is America\/New_York now, where it is Monday, 2 March 2026 at 04:00\. Before: Europe\/Amsterdam\. Of the open tasks, 1 next nudge moves: "all day" to Monday, 9 March 2026 at 09:00\.$/,
    );
    assert.equal((await ada.ask('GET', '/v1/me')).body.data.timezone, 'America/New_York');
    // The route takes the zone alone: a token changes no other setting by it.
    const headers = { authorization: `Bearer ${token}` };
    const payload = { timezone: 'Asia/Tokyo', day_start: '03:00', display_name: 'x' };
    await app.ask({ method: 'PUT', url: '/v1/me/timezone', headers, payload });
    const { timezone, day_start, display_name } = (await ada.ask('GET', '/v1/me')).body.data;
    assert.deepEqual([timezone, day_start, display_name], ['Asia/Tokyo', '09:00', null]);
  });
});
