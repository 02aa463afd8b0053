/**
 * MCP calls per second of three servers with the same six tools. Each runs in a process of its own, so that
 * none pays for another one or for the client, and one client calls them in turns:
 *
 *   service  the whole service: token, limits, the API in-process, SQLite
 *   bare     the SDK's own handler on a bare HTTP server; it makes the same API calls but authenticates no caller
 *   empty    the same handler with canned answers
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http, { Agent, createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { type CallToolResult, createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import type { Api } from '../src/agents/api.ts';
import { ConsentCodes } from '../src/agents/consent-codes.ts';
import type { Tool } from '../src/agents/define-tool.ts';
import { callTool, TOOLS, type ToolResult } from '../src/agents/tools.ts';
import { Vault } from '../src/keys/vault.ts';
import { systemClock } from '../src/lib/clock.ts';
import { type BenchService, startBenchService } from './bench-service.ts';
import type { Report } from './report.ts';
import { sized } from './sizes.ts';
import { median, percentile, spread } from './statistics.ts';

const CLIENTS = 16;
/** As many as the service lets wait for one account. */
const BURST = 100;
const ROUND_MS = sized(100, 1_000);
const ROUNDS = sized(1, 3);
const TASKS = 5;

interface Endpoint {
  readonly port: number;
  readonly token: string;
  readonly taskId: string;
}

export async function benchMcp(report: Report): Promise<void> {
  const [service, bare, empty] = [await start('service'), await start('bare'), await start('empty')];
  try {
    for (const revision of sized(1, 2) === 1 ? ['2026-07-28'] : ['2026-07-28', '2025-11-25']) {
      for (const tool of ['list_tasks', 'task_status', 'create_task'])
        await compare(report, revision, tool, service, bare, empty);
    }
    await burst(report, service.endpoint);
  } finally {
    for (const { stop } of [service, bare, empty]) await stop();
  }
}

type Running = Awaited<ReturnType<typeof start>>;

async function compare(
  report: Report,
  revision: string,
  tool: string,
  ...servers: readonly [service: Running, bare: Running, empty: Running]
): Promise<void> {
  const rounds = servers.map((): Measured[] => []);
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, { endpoint }] of servers.entries()) {
      const measured = await measure(endpoint, revision, tool);
      // The first round is a warm-up.
      if (round > 0) rounds[index]?.push(measured);
    }
  }
  const [service = [], bare = [], empty = []] = rounds;
  const rates = (measured: readonly Measured[]) =>
    spread(
      measured.map(({ perSecond }) => perSecond),
      '/s',
    );
  const p99 = median(service.map((measured) => measured.p99));
  report.add({
    id: `mcp-${tool}-${revision}`,
    what: `MCP ${tool} (${revision}) / the SDK with the same API calls`,
    figures: [
      `service ${rates(service)}, p99 ${p99.toFixed(0)} ms`,
      `SDK ${rates(bare)}`,
      `SDK without work ${rates(empty)}`,
    ],
    value: median(service.map(({ perSecond }, round) => perSecond / (bare[round]?.perSecond ?? Number.NaN))),
  });
}

interface Measured {
  readonly perSecond: number;
  readonly p99: number;
}

async function measure(endpoint: Endpoint, revision: string, tool: string): Promise<Measured> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const times: number[] = [];
  const endsAt = performance.now() + ROUND_MS;
  const client = async () => {
    while (performance.now() < endsAt) {
      const startedAt = performance.now();
      await call(endpoint, agent, revision, tool);
      times.push(performance.now() - startedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const perSecond = times.length / ((performance.now() - startedAt) / 1_000);
  agent.destroy();
  return { perSecond, p99: percentile(times, 0.99) };
}

async function burst(report: Report, endpoint: Endpoint): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  // A warm-up that opens the connections.
  await Promise.all(Array.from({ length: BURST }, () => call(endpoint, agent, '2026-07-28', 'list_tasks')));
  const times = await Promise.all(
    Array.from({ length: BURST }, async () => {
      const startedAt = performance.now();
      await call(endpoint, agent, '2026-07-28', 'list_tasks');
      return performance.now() - startedAt;
    }),
  );
  agent.destroy();
  report.add({
    id: 'mcp-burst',
    what: `${BURST} MCP calls at once: p99`,
    figures: [`p50 ${percentile(times, 0.5).toFixed(0)} ms`],
    value: percentile(times, 0.99),
    unit: ' ms',
  });
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

function inputFor(tool: string, taskId: string): object {
  if (tool === 'create_task') return { title: 'Water the plants', due_at: '2030-05-04T18:00' };
  return tool === 'task_status' ? { task_id: taskId } : { limit: TASKS };
}

async function call({ port, token, taskId }: Endpoint, agent: Agent, revision: string, name: string): Promise<void> {
  const isModern = revision === '2026-07-28';
  const params = { name, arguments: inputFor(name, taskId), ...(isModern && { _meta: META }) };
  const modernHeaders = { 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': name };
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(isModern && modernHeaders),
  };
  const request = http.request({ port, host: '127.0.0.1', method: 'POST', path: '/mcp', agent, headers });
  request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = (await response.toArray()).join('');
  if (response.statusCode !== 200 || text.includes('"isError":true')) throw new Error(`${name} failed: ${text}`);
}

async function start(role: 'service' | 'bare' | 'empty') {
  const child = fork(import.meta.filename, [role], { execArgv: ['--max-semi-space-size=4'] });
  const [endpoint] = (await once(child, 'message')) as [Endpoint];
  const stop = async () => {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  };
  return { endpoint, stop };
}

/** Starts the service with an account that has an access token and a few tasks. */
async function startService(): Promise<{ service: BenchService; token: string; taskId: string }> {
  const service = await startBenchService();
  const { headers } = await service.signIn();
  const post = async (url: string, payload: object) =>
    (await service.app.inject({ method: 'POST', url, payload, headers })).json().data;
  const { token } = await post('/v1/tokens', { scopes: ['tasks:read', 'tasks:write'] });
  const tasks = [];
  // Due before the tasks that the benchmark creates, so that list_tasks always returns the same ones.
  for (let index = 1; index <= TASKS; index += 1) {
    tasks.push(await post('/v1/tasks', { title: `Task ${index}`, due_at: `2029-01-0${index}T09:00:00Z` }));
  }
  return { service, token, taskId: tasks[0].id };
}

async function serve(): Promise<() => Promise<void>> {
  const { service, token, taskId } = await startService();
  await service.app.listen({ port: 0, host: '127.0.0.1' });
  reportEndpoint(service.app.server, token, taskId);
  return () => service.close();
}

async function serveBare(): Promise<() => Promise<void>> {
  const { service, token, taskId } = await startService();
  const headers = { authorization: `Bearer ${token}` };
  const api: Api = async ({ idempotencyKey: _, ...request }) => {
    const response = await service.app.inject({ headers, ...request });
    return { data: response.json().data, headers: response.headers };
  };
  const clock = systemClock();
  const codes = new ConsentCodes(new Vault(['bench']));
  const rights = { canRead: true, caller: 'bench', codes, ask: undefined };
  const agent = { api, zone: 'UTC', quietHours: undefined, dayStart: undefined, ceiling: null, ...rights };
  const close = await listenBare(token, taskId, async (tool, input) => {
    const result = await callTool(tool, { ...agent, now: clock.now() }, input, console.error);
    return 'content' in result ? result : { content: [] };
  });
  return async () => {
    await close();
    await service.close();
  };
}

const serveEmpty = () =>
  listenBare('none', '01960000-0000-7000-8000-000000000000', async ({ name }) => CANNED[name] ?? { content: [] });

/** As in the SDK's documentation: schemas are built once, a server with its tools for each request. */
async function listenBare(
  token: string,
  taskId: string,
  run: (tool: Tool, input: unknown) => Promise<ToolResult>,
): Promise<() => Promise<void>> {
  const tools = TOOLS['/mcp'].map((tool) => ({
    tool,
    name: tool.name,
    description: tool.description,
    inputSchema: fromJsonSchema(toPlainJson(tool.input)),
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
  reportEndpoint(server, token, taskId);
  return async () => {
    server.closeAllConnections();
    server.close();
  };
}

type NodeRequest = Parameters<ReturnType<typeof toNodeHandler>>[0];

function reportEndpoint(server: Server, token: string, taskId: string): void {
  const { port } = server.address() as AddressInfo;
  process.send?.({ port, token, taskId } satisfies Endpoint);
}

const toPlainJson = (schema: object) => JSON.parse(JSON.stringify(schema));

const INSTANT = '2029-01-01T09:00:00+00:00';
const TEXT = '"Task 1" (id 01960000-0000-7000-8000-000000000000): open, due Monday, 1 January 2029 at 09:00, stage 0. ';
const TASK = {
  id: '01960000-0000-7000-8000-000000000000',
  title: 'Task 1',
  kind: 'todo',
  status: 'open',
  accepted_by_owner: true,
  due_at: INSTANT,
  has_time: true,
  mode: 'escalate',
  escalation_stage: 0,
  nudge_count: 0,
  next_nudge_at: INSTANT,
  next_nudge: 'Next nudge in 777 days, on Monday, 1 January 2029 at 09:00 (UTC).',
  last_nudge_at: null,
  completed_at: null,
  skipped_at: null,
  created_at: INSTANT,
};
const DETAIL = { notes: null, recurrence: null, lead_time_days: null, break_quiet_hours: false, snoozed_until: null };
const TIME_FIELDS = { timezone: 'UTC', now: INSTANT };

/** An answer like the service's, without any work. */
const cannedAnswer = (lines: number, structuredContent: Record<string, unknown>) => ({
  content: [{ type: 'text' as const, text: TEXT.repeat(lines) }],
  structuredContent: { ...TIME_FIELDS, ...structuredContent },
});
const CANNED: Readonly<Record<string, ReturnType<typeof cannedAnswer>>> = {
  create_task: cannedAnswer(1, { task: TASK }),
  list_tasks: cannedAnswer(TASKS, { tasks: Array.from({ length: TASKS }, () => TASK), next_cursor: null }),
  task_status: cannedAnswer(6, {
    task: { ...TASK, ...DETAIL },
    forecast: Array.from({ length: 5 }, () => ({ at: INSTANT, stage: 0, holds: [] })),
    last_deliveries: [],
    history: [{ at: INSTANT, kind: 'created', by: 'owner', through: null, stage: null, until: null }],
  }),
};

if (process.send && process.argv[1] === import.meta.filename) {
  const roles = { service: serve, bare: serveBare, empty: serveEmpty };
  const stop = await roles[process.argv[2] as keyof typeof roles]();
  process.once('disconnect', () => void stop());
}
