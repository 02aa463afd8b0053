/** Agents for tests: mints tokens and makes raw MCP calls. */
import assert from 'node:assert/strict';
import type { EngineName } from './engines.ts';
import { type Person, startWithAda } from './people.ts';
import type { TestApp } from './test-app.ts';

export interface MintedToken {
  readonly id: string;
  readonly token: string;
  readonly prefix: string;
}

export async function mintToken(person: Person, fields: object = {}): Promise<MintedToken> {
  const request = { scopes: ['tasks:read', 'tasks:write'], name: 'Robot', ...fields };
  const { status, body } = await person.ask('POST', '/v1/tokens', request);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

/** Starts the service with Ada and the token of her agent. */
export async function startWithAgent(engine: EngineName) {
  const service = await startWithAda(engine);
  return { ...service, token: (await mintToken(service.ada)).token };
}

export const TOOL_NAMES = [
  'create_task',
  'list_tasks',
  'task_status',
  'complete_task',
  'snooze_task',
  'set_escalation',
] as const;

/** The headers that every client sends. */
export const headersOf = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});

/** The JSON of a response, whether or not it is framed as an event stream. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads a response like a client without our types.
export function parseBody(body: string): any {
  const data = /^data: (.*)$/m.exec(body)?.[1];
  return JSON.parse(data ?? body);
}

/** The tools of `/mcp/all`. */
export const ALL_TOOL_NAMES = [
  ...TOOL_NAMES,
  'create_tasks',
  'update_task',
  'close_tasks',
  'reopen_task',
  'answer_request',
  'pause_reminders',
  'set_timezone',
  'agenda',
  'list_outcomes',
] as const;

export async function rpc(app: TestApp, token: string, method: string, params: object = {}, url = '/mcp') {
  const payload = { jsonrpc: '2.0', id: 1, method, params };
  const response = await app.fastify.inject({ method: 'POST', url, headers: headersOf(token), payload });
  assert.equal(response.statusCode, 200, response.body);
  return parseBody(response.body);
}

export interface ToolResult {
  readonly isError: boolean;
  readonly text: string;
  /** The document that the text of a list is; of words about one task, its id. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly structured: any;
}

/** Calls a tool the way 2025-era clients do. */
export async function callTool(app: TestApp, token: string, name: string, input: object = {}): Promise<ToolResult> {
  const { result } = await rpc(app, token, 'tools/call', { name, arguments: input }, '/mcp/all');
  const [{ text }] = result.content;
  assert.equal(result.structuredContent, undefined, 'no fact is told twice');
  return { isError: result.isError ?? false, text, structured: result.isError ? undefined : documentOf(result) };
}

/** Calls a tool and asserts that it succeeds. */
export async function callToolOk(app: TestApp, token: string, name: string, input: object = {}): Promise<ToolResult> {
  const result = await callTool(app, token, name, input);
  assert.equal(result.isError, false, result.text);
  return result;
}

/** Calls of the other tools, in an order in which all succeed. */
export const callsFor = (task_id: string, path = '/mcp'): [name: string, input: Record<string, unknown>][] => [
  ['list_tasks', {}],
  ['task_status', { task_id }],
  ['snooze_task', { task_id, minutes: 30 }],
  ['set_escalation', { task_id, break_quiet_hours: true }],
  ['complete_task', { task_id }],
  ...(path === '/mcp' ? [] : callsBeyond(task_id)),
];

const callsBeyond = (task_id: string): [name: string, input: Record<string, unknown>][] => [
  ['reopen_task', { task_id }],
  ['update_task', { task_id, due_at: '2030-01-02T09:00' }],
  ['create_tasks', { tasks: [{ title: 'x' }] }],
  ['close_tasks', { task_ids: [task_id], as: 'skipped' }],
  ['agenda', {}],
  ['list_outcomes', {}],
  ['pause_reminders', { end: 'now' }],
  ['set_timezone', { timezone: 'Europe/Oslo' }],
];

/** The document that the text of a list is; of words about one task, its id and the zone. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
export function documentOf({ content: [{ text }] }: any): any {
  if (text.startsWith('{')) return JSON.parse(text);
  const [, id] = /\(id ([0-9a-f-]{36})\)/.exec(text) ?? [];
  const [, timezone] = /(?:Times are in |time zone is |\()(UTC|[A-Z]\w+\/[\w/]+)/.exec(text) ?? [];
  return { timezone, ...(id !== undefined && { task: { id } }) };
}
