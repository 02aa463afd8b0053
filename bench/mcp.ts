/**
 * MCP calls through the whole service (token, limits, the API in-process, SQLite) against the SDK's
 * own handler on a bare HTTP server with the same six tools: once doing the same work, that is, making
 * the same call of the API without asking who calls, and once with an answer made of nothing. Each
 * runs in a process of its own, and all are asked in turns by the same client.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http, { Agent, createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { type CallToolResult, createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import type { Api } from '../src/agents/api.ts';
import type { Tool } from '../src/agents/tool.ts';
import { TOOLS, type ToolResult, useTool } from '../src/agents/toolbox.ts';
import { compose, type Service } from '../src/compose.ts';
import { loadConfig } from '../src/config.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createLogger } from '../src/lib/logger.ts';

const CLIENTS = 16;
const AT_ONCE = 200;
const ROUND_MS = 3_000;
const ROUNDS = 4;
const TASKS = 5;

interface Contestant {
  readonly port: number;
  readonly token: string;
  readonly taskId: string;
}

export async function benchMcp(): Promise<void> {
  const [service, bare, empty] = [await start('service'), await start('bare'), await start('empty')];
  try {
    console.log(`MCP calls per second (${CLIENTS} connections, best of ${ROUNDS} rounds of ${ROUND_MS / 1_000} s)`);
    console.log('revision     tool             SDK, empty   SDK, same work   service   ratio   p99 ms');
    for (const revision of ['2026-07-28', '2025-11-25']) {
      for (const tool of ['list_tasks', 'task_status', 'create_task'])
        await compare(revision, tool, service, bare, empty);
    }
    await burst(service.contestant);
  } finally {
    for (const { stop } of [service, bare, empty]) await stop();
  }
}

type Running = Awaited<ReturnType<typeof start>>;

async function compare(revision: string, tool: string, ...contestants: readonly Running[]): Promise<void> {
  const best = contestants.map(() => ({ perSecond: 0, p99: 0 }));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { contestant }] of contestants.entries()) {
      const result = await measure(contestant, revision, tool);
      if (result.perSecond > (best[index]?.perSecond ?? 0)) best[index] = result;
    }
  }
  const [service, bare, empty] = best as [Measured, Measured, Measured];
  const cells = [empty, bare, service].map(({ perSecond }) => perSecond.toFixed(0));
  const ratio = (service.perSecond / bare.perSecond).toFixed(2);
  console.log(
    `${revision}   ${tool.padEnd(15)}${[12, 16, 9].map((width, index) => cells[index]?.padStart(width)).join(' ')}    ` +
      `${ratio}   ${service.p99.toFixed(0).padStart(6)}`,
  );
}

interface Measured {
  readonly perSecond: number;
  readonly p99: number;
}

async function measure(contestant: Contestant, revision: string, tool: string): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const times: number[] = [];
  const endsAt = performance.now() + ROUND_MS;
  const client = async () => {
    while (performance.now() < endsAt) {
      const startedAt = performance.now();
      await call(contestant, agent, revision, tool);
      times.push(performance.now() - startedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const perSecond = times.length / ((performance.now() - startedAt) / 1_000);
  agent.destroy();
  return { perSecond, p99: percentile(times, 0.99) };
}

async function burst(contestant: Contestant): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  // Once before, so that connections are open and code is warm.
  await Promise.all(Array.from({ length: AT_ONCE }, () => call(contestant, agent, '2026-07-28', 'list_tasks')));
  const times = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const startedAt = performance.now();
      await call(contestant, agent, '2026-07-28', 'list_tasks');
      return performance.now() - startedAt;
    }),
  );
  agent.destroy();
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)].map((ms) => ms.toFixed(0));
  console.log(`${AT_ONCE} calls at once: p50 ${p50} ms, p99 ${p99} ms`);
}

const percentile = (times: readonly number[], part: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * part)] ?? 0;

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function inputFor(tool: string, taskId: string): object {
  if (tool === 'create_task') return { title: 'Water the plants', due_at: '2030-05-04T18:00' };
  return tool === 'task_status' ? { task_id: taskId } : { limit: TASKS };
}

async function call({ port, token, taskId }: Contestant, agent: Agent, revision: string, name: string): Promise<void> {
  const isModern = revision === '2026-07-28';
  const params = { name, arguments: inputFor(name, taskId), ...(isModern && { _meta: META }) };
  const modern = { 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': name };
  const headers = {
    ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...{ accept: 'application/json, text/event-stream', ...(isModern && modern) },
  };
  const request = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/mcp', agent, headers });
  request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = (await response.toArray()).join('');
  if (response.statusCode !== 200 || text.includes('"isError":true')) throw new Error(`${name} failed: ${text}`);
}

/** Each in a process of its own, so that neither pays for the other or for the client. */
async function start(role: 'service' | 'bare' | 'empty') {
  const child = fork(import.meta.filename, [role], { execArgv: ['--max-semi-space-size=4'] });
  const [contestant] = (await once(child, 'message')) as [Contestant];
  const stop = async () => {
    const gone = once(child, 'exit');
    child.disconnect();
    await gone;
  };
  return { contestant, stop };
}

async function settle(): Promise<{ service: Service; token: string; taskId: string; clear: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'crescendo-bench-'));
  const DATABASE_URL = `sqlite:${join(folder, 'bench.db')}`;
  const settings = { DATABASE_URL, SECRET_KEY: 'x'.repeat(32), LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '9000000' };
  const mails: string[] = [];
  const service = await compose({
    ...{ config: loadConfig(settings), version: '0.1.0', logger: createLogger('silent') },
    ...{ clock: systemClock(), wallClock: systemClock(), print: (text: string) => void mails.push(text) },
  });
  const ask = async (url: string, payload: object, token = '') => {
    const headers = token ? { authorization: `Bearer ${token}` } : {};
    return (await service.app.inject({ method: 'POST', url, payload, headers })).json().data;
  };
  const email = 'bench@example.org';
  await ask('/v1/auth/email/request', { email });
  const code = /is (\d{6})/.exec(mails.join())?.[1];
  const { session_token } = await ask('/v1/auth/email/verify', { email, code });
  const { token } = await ask('/v1/tokens', { scopes: ['tasks:read', 'tasks:write'] }, session_token);
  const tasks = [];
  // Sooner than what the benchmark makes, so that the list stays the same.
  for (let index = 1; index <= TASKS; index += 1) {
    tasks.push(
      await ask('/v1/tasks', { title: `Task ${index}`, due_at: `2029-01-0${index}T09:00:00Z` }, session_token),
    );
  }
  const clear = async () => {
    await service.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { service, token, taskId: tasks[0].id, clear };
}

async function serve(): Promise<() => Promise<void>> {
  const { service, token, taskId, clear } = await settle();
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  tell(service.app.server, token, taskId);
  return clear;
}

/** The SDK's handler around the same tools, which ask the API in the same way. */
async function serveBare(): Promise<() => Promise<void>> {
  const { service, token, taskId, clear } = await settle();
  const headers = { authorization: `Bearer ${token}` };
  const api: Api = async ({ idempotencyKey: _, ...request }) => {
    const response = await service.app.inject({ headers, ...request });
    return { data: response.json().data, headers: response.headers };
  };
  const clock = systemClock();
  const close = await listenBare(token, taskId, (tool, input) =>
    useTool(tool, { api, zone: 'UTC', now: clock.now() }, input, console.error),
  );
  return async () => {
    await close();
    await clear();
  };
}

const serveEmpty = () =>
  listenBare('none', '01960000-0000-7000-8000-000000000000', async ({ name }) => CANNED[name] ?? { content: [] });

/** As the SDK's documentation has it: the schemas made once, a server with its tools for each request. */
async function listenBare(
  token: string,
  taskId: string,
  run: (tool: Tool, input: unknown) => Promise<ToolResult>,
): Promise<() => Promise<void>> {
  const tools = TOOLS.map((tool) => ({
    ...{ tool, name: tool.name, description: tool.description },
    ...{ inputSchema: fromJsonSchema(plain(tool.input)), outputSchema: fromJsonSchema(plain(tool.output)) },
  }));
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'bare', version: '1' });
    for (const { tool, name, ...config } of tools) {
      server.registerTool(name, config, async (input: unknown) => (await run(tool, input)) as CallToolResult);
    }
    return server;
  });
  const answer = toNodeHandler(handler);
  const server = createServer((request, response) => void answer(request as NodeRequest, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  tell(server, token, taskId);
  return async () => {
    server.closeAllConnections();
    server.close();
  };
}

type NodeRequest = Parameters<ReturnType<typeof toNodeHandler>>[0];

function tell(server: Server, token: string, taskId: string): void {
  const { port } = server.address() as AddressInfo;
  process.send?.({ port, token, taskId } satisfies Contestant);
}

const plain = (schema: object) => JSON.parse(JSON.stringify(schema));

const AT = '2029-01-01T09:00:00+00:00';
const TEXT = '"Task 1" (id 01960000-0000-7000-8000-000000000000): open, due Monday, 1 January 2029 at 09:00, stage 0. ';
const TASK = {
  ...{ id: '01960000-0000-7000-8000-000000000000', title: 'Task 1', kind: 'todo', status: 'open' },
  ...{ accepted_by_owner: true, due_at: AT, has_time: true, mode: 'escalate', escalation_stage: 0, nudge_count: 0 },
  ...{ next_nudge_at: AT, next_nudge: 'Next nudge in 777 days, on Monday, 1 January 2029 at 09:00 (UTC).' },
  ...{ last_nudge_at: null, completed_at: null, skipped_at: null, created_at: AT },
};
const DETAIL = { notes: null, recurrence: null, lead_time_days: null, break_quiet_hours: false, snoozed_until: null };
const HERE = { timezone: 'UTC', now: AT };

/** What the service would answer, made of nothing. */
const answerWith = (lines: number, structuredContent: Record<string, unknown>) => ({
  content: [{ type: 'text' as const, text: TEXT.repeat(lines) }],
  structuredContent: { ...HERE, ...structuredContent },
});
const CANNED: Readonly<Record<string, ReturnType<typeof answerWith>>> = {
  create_task: answerWith(1, { task: TASK }),
  list_tasks: answerWith(TASKS, { tasks: Array.from({ length: TASKS }, () => TASK), next_cursor: null }),
  task_status: answerWith(6, {
    task: { ...TASK, ...DETAIL },
    forecast: Array.from({ length: 5 }, () => ({ at: AT, stage: 0, holds: [] })),
    last_deliveries: [],
    history: [{ at: AT, kind: 'created', by: 'owner', through: null, stage: null, until: null }],
  }),
};

if (process.send && process.argv[1] === import.meta.filename) {
  const roles = { service: serve, bare: serveBare, empty: serveEmpty };
  const stop = await roles[process.argv[2] as keyof typeof roles]();
  process.once('disconnect', () => void stop());
}
