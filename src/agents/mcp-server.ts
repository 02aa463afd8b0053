/**
 * Connects the tools to the MCP SDK. Each request gets its own server object, which holds one caller and
 * is discarded after the response, so no data of one user can reach another.
 *
 * This file imports the SDK, which costs time and memory, so it is loaded on the first MCP request.
 */
import {
  createMcpHandler,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  // The low-level server: McpServer would validate the input a second time and halve the throughput.
  Server,
} from '@modelcontextprotocol/server';
import { nextTurn } from '../lib/next-turn.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { Agent } from './define-tool.ts';
import { callTool, type McpPath, TOOLS, type ToolResult } from './tools.ts';

export interface McpRequest {
  readonly request: Request;
  readonly message: unknown;
  readonly path: McpPath;
  readonly version: string;
  readonly websiteUrl: string;
  /** Called only when a tool is called. */
  readonly loadAgent: () => Promise<Agent>;
  readonly onUnexpectedError: (error: unknown) => void;
}

const INSTRUCTIONS =
  'Crescendo reminds its user of tasks, a little stronger each time, until they are dealt with. All times are in the ' +
  "user's time zone, which every answer names; times you give without an offset are read in it. Tell the user when the " +
  'next reminder comes. An error says what to do about it.';

/** The same for every token: a tool reports a missing scope when it is called. */
const toolList = (path: McpPath): ListToolsResult =>
  ({
    tools: TOOLS[path].map(({ name, title, description, annotations, input, output }) => ({
      name,
      title,
      description,
      inputSchema: input,
      outputSchema: output,
      annotations: { ...annotations, openWorldHint: false },
    })),
  }) as unknown as ListToolsResult;
const TOOL_LISTS = { '/mcp': toolList('/mcp'), '/mcp/all': toolList('/mcp/all') };

const CACHE_FOR_AN_HOUR = { ttlMs: 3_600_000, cacheScope: 'public' } as const;

export async function handleMcp({ request, message, ...given }: McpRequest): Promise<Response> {
  // The SDK starts all calls of a batch at once.
  const call = { ...given, turns: new Semaphore({ capacity: 1 }) };
  const handler = createMcpHandler(() => serverFor(call), { onerror: () => undefined });
  return handler.fetch(request, message === undefined ? {} : { parsedBody: message });
}

type Call = Omit<McpRequest, 'request' | 'message'> & { readonly turns: Semaphore };

function serverFor(call: Call): Server {
  const server = new Server(
    { name: 'crescendo', title: 'Crescendo', version: call.version, websiteUrl: call.websiteUrl },
    {
      capabilities: { tools: {} },
      instructions: INSTRUCTIONS,
      cacheHints: { 'tools/list': CACHE_FOR_AN_HOUR, 'server/discover': CACHE_FOR_AN_HOUR },
    },
  );
  server.setRequestHandler('tools/list', async () => TOOL_LISTS[call.path]);
  server.setRequestHandler('tools/call', ({ params }) => handleToolCall(call, params.name, params.arguments));
  return server;
}

async function handleToolCall({ path, loadAgent, onUnexpectedError, turns }: Call, name: string, input: unknown) {
  const tool = TOOLS[path].find((one) => one.name === name);
  if (!tool) {
    const names = TOOLS[path].map((one) => one.name).join(', ');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such tool. The tools are ${names}.`);
  }
  const release = await turns.acquire();
  try {
    return (await callTool(tool, await loadAgent(), input, onUnexpectedError)) as ToolResult & Record<string, unknown>;
  } finally {
    // Calls on SQLite never yield, so without this other requests would wait for the whole batch.
    void nextTurn().then(release);
  }
}
