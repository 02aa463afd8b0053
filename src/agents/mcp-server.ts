/**
 * The protocol's side of the tools. Each request gets a server object of its own that knows one
 * caller and is thrown away with the answer, so nothing of one user can reach another.
 *
 * This file brings in the SDK, which takes its time and memory: it is loaded when the first agent calls.
 */
import {
  createMcpHandler,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  // The low-level server: the comfortable one would judge the input a second time and cost half the throughput.
  Server,
} from '@modelcontextprotocol/server';
import type { Agent } from './tool.ts';
import { TOOLS, type ToolResult, useTool } from './toolbox.ts';

export interface McpRequest {
  readonly request: Request;
  readonly message: unknown;
  readonly version: string;
  readonly websiteUrl: string;
  /** Asked once a tool is called. */
  readonly agent: () => Promise<Agent>;
  readonly onFault: (error: unknown) => void;
}

const INSTRUCTIONS =
  'Crescendo reminds its user of tasks, a little stronger each time, until they are dealt with. All times are in the ' +
  "user's time zone, which every answer names; times you give without an offset are read in it. Tell the user when the " +
  'next reminder comes. An error says what to do about it.';

/** The same for everyone: what a token may not do is said when it tries. */
const LISTED = TOOLS.map(({ name, title, description, annotations, input, output }) => ({
  ...{ name, title, description, inputSchema: input, outputSchema: output },
  annotations: { ...annotations, openWorldHint: false },
})) as unknown as ListToolsResult['tools'];

const AN_HOUR = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

export async function answerMcp({ request, message, ...call }: McpRequest): Promise<Response> {
  const handler = createMcpHandler(() => serverFor(call), { onerror: () => undefined });
  return handler.fetch(request, message === undefined ? {} : { parsedBody: message });
}

type Call = Omit<McpRequest, 'request' | 'message'>;

function serverFor(call: Call): Server {
  const server = new Server(
    { name: 'crescendo', title: 'Crescendo', version: call.version, websiteUrl: call.websiteUrl },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': AN_HOUR, 'server/discover': AN_HOUR },
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: LISTED }));
  server.setRequestHandler('tools/call', ({ params }) => callTool(call, params.name, params.arguments));
  return server;
}

async function callTool({ agent, onFault }: Call, name: string, input: unknown) {
  const tool = TOOLS.find((one) => one.name === name);
  if (!tool) {
    const names = TOOLS.map((one) => one.name).join(', ');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such tool. The tools are ${names}.`);
  }
  return (await useTool(tool, await agent(), input, onFault)) as ToolResult & Record<string, unknown>;
}
