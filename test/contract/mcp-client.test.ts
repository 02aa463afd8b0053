import assert from 'node:assert/strict';
import { Client, type ElicitResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { ALL_TOOL_NAMES, callsFor, documentOf, mintToken, TOOL_NAMES } from '../support/agents.ts';
import { onEveryEngine } from '../support/engines.ts';
import { createPerson } from '../support/people.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

const listen = (app: TestApp) => app.fastify.listen({ port: 0, host: '127.0.0.1' });

interface Connection {
  readonly path?: string;
  /** What the user answers to a question; without it the client cannot ask. */
  readonly answer?: () => ElicitResult;
}

async function connect(
  address: string,
  token: string,
  mode: 'legacy' | 'auto',
  { path = '/mcp', answer }: Connection = {},
): Promise<Client> {
  const capabilities = answer ? { elicitation: { form: {} } } : {};
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode }, capabilities });
  if (answer) client.setRequestHandler('elicitation/create', async () => answer());
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(path, address), { requestInit }));
  return client;
}

onEveryEngine((engine, it) => {
  for (const [mode, revision] of [
    ['legacy', '2025-11-25'],
    ['auto', '2026-07-28'],
  ] as const) {
    it(`the official client lists and calls every tool of both addresses in revision ${revision}`, async () => {
      await using app = await startTestApp(engine);
      const { token } = await mintToken(await createPerson(app), {
        scopes: ['tasks:read', 'tasks:write', 'settings:write'],
      });
      const address = await listen(app);
      for (const [path, names] of [
        ['/mcp', TOOL_NAMES],
        ['/mcp/all', ALL_TOOL_NAMES],
      ] as const) {
        const client = await connect(address, token, mode, { path });
        assert.equal(client.getNegotiatedProtocolVersion(), revision);
        assert.equal(client.getServerVersion()?.name, 'crescendo');
        const { tools } = await client.listTools();
        assert.deepEqual(
          tools.map(({ name }) => name),
          names,
        );
        const input = { title: 'pills', due_at: '2030-01-01T09:00' };
        const made = await client.callTool({ name: 'create_task', arguments: input });
        for (const [name, input] of callsFor(documentOf(made).task.id, path)) {
          const result = await client.callTool({ name, arguments: input });
          assert.ok(!result.isError && documentOf(result).timezone, `${name} ${JSON.stringify(result)}`);
        }
        await assert.rejects(client.callTool({ name: 'drop_table', arguments: {} }), /There is no such tool/);
        await client.close();
      }
    });

    it(`the prompts for morning, evening and week are on /mcp/all alone in revision ${revision}`, async () => {
      await using app = await startTestApp(engine);
      const { token } = await mintToken(await createPerson(app));
      const address = await listen(app);
      const client = await connect(address, token, mode, { path: '/mcp/all' });
      const { prompts } = await client.listPrompts();
      const names = prompts.map(({ name }) => name);
      assert.deepEqual(names, ['morning_review', 'evening_review', 'weekly_review']);
      for (const name of names) {
        const { messages } = await client.getPrompt({ name });
        const text = messages.map(({ content }) => ('text' in content ? content.text : '')).join();
        // Every word of this form is a tool that the address has.
        const named = [...text.matchAll(/\b(?!due_)[a-z]+_[a-z_]+\b/g)].map(([word]) => word);
        for (const word of named) assert.ok((ALL_TOOL_NAMES as readonly string[]).includes(word), `${name}: ${word}`);
        assert.ok(
          ['list_tasks', 'list_outcomes', 'close_tasks'].filter((one) => named.includes(one)).length >= 2,
          name,
        );
        assert.ok(countTokens(text) < 280, `${name}: ${countTokens(text)} tokens`);
      }
      await assert.rejects(client.getPrompt({ name: 'other' }), /no such prompt.*morning_review/);
      await client.close();
      const six = await connect(address, token, mode);
      const { prompts: none, resources } = six.getServerCapabilities() ?? {};
      assert.deepEqual([none, resources], [undefined, undefined]);
      await six.close();
    });
  }

  it('a client that can ask its user does so before tasks are dropped, and nothing happens without a yes', async () => {
    await using app = await startTestApp(engine);
    const ada = await createPerson(app);
    const { token } = await mintToken(ada);
    const address = await listen(app);
    const { body } = await ada.ask('POST', '/v1/tasks', { title: 'Old "list"' });
    const drop = { name: 'close_tasks', arguments: { task_ids: [body.data.id], as: 'dropped' } };
    const statusAfter = async (mode: 'legacy' | 'auto', connection: Connection) => {
      const client = await connect(address, token, mode, { path: '/mcp/all', ...connection });
      const document = documentOf(await client.callTool(drop));
      await client.close();
      return [document.dry_run, (await ada.ask('GET', `/v1/tasks/${body.data.id}`)).body.data.status];
    };
    // A client of 2025 has no way to be asked without a session, so it gets the dry run.
    const yes = (): ElicitResult => ({ action: 'accept', content: { agree: true } });
    assert.deepEqual(await statusAfter('legacy', { answer: yes }), [true, 'open']);
    assert.deepEqual(await statusAfter('auto', {}), [true, 'open']);
    for (const refusal of [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept', content: { agree: false } },
    ] as const) {
      assert.deepEqual(await statusAfter('auto', { answer: () => refusal }), [undefined, 'open'], refusal.action);
    }
    assert.deepEqual(await statusAfter('auto', { answer: yes }), [undefined, 'dropped']);
  });
});
