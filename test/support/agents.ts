/** Agents of people, for tests: a token, and MCP spoken as the wire has it. */
import assert from 'node:assert/strict';
import type { Bed } from './bed.ts';
import type { Person } from './people.ts';

export interface Minted {
  readonly id: string;
  readonly token: string;
  readonly prefix: string;
}

export async function mint(person: Person, fields: object = {}): Promise<Minted> {
  const wanted = { scopes: ['tasks:read', 'tasks:write'], name: 'Robot', ...fields };
  const { status, body } = await person.ask('POST', '/v1/tokens', wanted);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data;
}

export const TOOL_NAMES = [
  'create_task',
  'list_tasks',
  'task_status',
  'complete_task',
  'snooze_task',
  'set_escalation',
] as const;

/** What every client sends beside its message. */
export const headersOf = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
});

/** The JSON of an answer, framed as a stream or not. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads an answer as a client without our types would.
export function unframed(body: string): any {
  const data = /^data: (.*)$/m.exec(body)?.[1];
  return JSON.parse(data ?? body);
}

export async function rpc(bed: Bed, token: string, method: string, params: object = {}) {
  const payload = { jsonrpc: '2.0', id: 1, method, params };
  const response = await bed.app.inject({ method: 'POST', url: '/mcp', headers: headersOf(token), payload });
  assert.equal(response.statusCode, 200, response.body);
  return unframed(response.body);
}

export interface Told {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly structured: any;
}

/** Calls a tool the way 2025-era clients do. */
export async function use(bed: Bed, token: string, name: string, input: object = {}): Promise<Told> {
  const { result } = await rpc(bed, token, 'tools/call', { name, arguments: input });
  return { isError: result.isError ?? false, text: result.content[0].text, structured: result.structuredContent };
}

/** The same, where it must work. */
export async function used(bed: Bed, token: string, name: string, input: object = {}): Promise<Told> {
  const told = await use(bed, token, name, input);
  assert.equal(told.isError, false, told.text);
  return told;
}
