/**
 * `/mcp` and `/mcp/all`: streamable HTTP without sessions, each with its own list of tools. Requests that
 * are rejected before they reach the protocol get a JSON-RPC error too, with the HTTP status and headers
 * that clients check.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isAllowedOrigin } from '../http/allowed-hosts.ts';
import type { App, Routes } from '../http/app.ts';
import { callerOf } from '../http/authentication.ts';
import { baseUrlOfRequest, issuerOf } from '../http/base-url.ts';
import { decodeUtf8, refuseExcess } from '../http/body.ts';
import { callerLeftSignal } from '../http/caller-left.ts';
import { prepareFailure } from '../http/failures.ts';
import { type Caller, SCOPES } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { stopBeingShort } from '../lib/next-turn.ts';
import { KeyedSemaphore, QueueFull } from '../lib/semaphore.ts';
import { apiFor } from './api.ts';
import type { Agent } from './define-tool.ts';
import { MCP_PATHS, type McpPath } from './tools.ts';

interface AgentSettings {
  readonly timezone: string;
  readonly quiet_hours_start: string | null;
  readonly quiet_hours_end: string | null;
}

export interface McpParts {
  readonly version: string;
  readonly clock: Clock;
  readonly baseUrl: string | undefined;
  readonly settingsOf: (caller: Caller) => Promise<AgentSettings>;
}

/** More than the API takes, so that an oversized argument reaches the tool, which can explain the mistake. */
const BODY_LIMIT_BYTES = 1024 * 1024;
/** More calls than a model makes at once, and few enough to be answered within the timeout. */
const MOST_CALLS = 50;
/** How many MCP requests of one account run at once, and how many more may wait. */
const PER_ACCOUNT = { capacity: 4, maxWaiting: 100 };
const RETRY_AFTER_SECONDS = 2;
/** Longer than the timeout of any API call that a tool makes. */
const HANDLER_TIMEOUT_MS = 35_000;
const METADATA_PATH = '/.well-known/oauth-protected-resource';

export const mcpRoutes =
  (parts: McpParts): Routes =>
  (app) => {
    const describe = (url: string, resource: McpPath) =>
      app.get(url, { config: { crossOrigin: true }, schema: { hide: true } }, async (request) =>
        resourceMetadata(request, parts.baseUrl, resource),
      );
    describe(METADATA_PATH, '/mcp');
    for (const path of MCP_PATHS) describe(METADATA_PATH + path, path);
    // A separate Fastify context, because MCP has its own body parser and error format.
    app.register(async (scope: App) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => {
        refuseExcess(body);
        return decodeUtf8(body);
      });
      scope.setErrorHandler((error: Error, request, reply) => sendError(error, request, reply, parts));
      const places = new KeyedSemaphore(PER_ACCOUNT);
      scope.addHook('onRequest', async ({ host, headers }) => {
        if (!isAllowedOrigin(headers.origin, host, parts.baseUrl)) throw new AppError('origin_not_allowed');
      });
      const handler = async (request: FastifyRequest, reply: FastifyReply) => {
        stopBeingShort();
        const message = parse(request.body);
        if (Array.isArray(message) && message.length > MOST_CALLS) return sendTooManyCalls(reply);
        const release = await places.acquire(callerOf(request).userId, callerLeftSignal(reply)).catch(toRefusal);
        return handle(request, reply, message, parts).finally(release);
      };
      for (const url of MCP_PATHS) {
        scope.route({
          method: ['GET', 'POST', 'DELETE'],
          url,
          bodyLimit: BODY_LIMIT_BYTES,
          handlerTimeout: HANDLER_TIMEOUT_MS,
          config: { crossOrigin: true },
          schema: { hide: true },
          handler,
        });
      }
    });
  };

const pathOf = ({ routeOptions }: FastifyRequest): McpPath => (routeOptions.url === '/mcp/all' ? '/mcp/all' : '/mcp');

let mcpServer: Promise<typeof import('./mcp-server.ts')> | undefined;

/** Blocks the event loop for 65 ms, so a process that serves assistants does it before it listens. Cached then. */
export function loadMcpServer(): Promise<typeof import('./mcp-server.ts')> {
  mcpServer ??= import('./mcp-server.ts');
  return mcpServer;
}

async function handle(
  request: FastifyRequest,
  reply: FastifyReply,
  message: unknown,
  parts: McpParts,
): Promise<FastifyReply> {
  const { handleMcp } = await loadMcpServer();
  const response = await handleMcp({
    request: toWebRequest(request),
    message,
    path: pathOf(request),
    version: parts.version,
    websiteUrl: `${baseUrlOfRequest(request, parts.baseUrl)}/guide`,
    loadAgent: () => loadAgent(request, parts),
    onUnexpectedError: (error) => request.log.error({ err: error }, 'an MCP tool failed unexpectedly'),
  });
  // Buffered: every response is short and complete, even one framed as an event stream.
  const body = await response.text();
  response.headers.forEach((value, name) => void reply.header(name, value));
  return reply.code(response.status).send(body);
}

async function loadAgent(request: FastifyRequest, { clock, settingsOf }: McpParts): Promise<Omit<Agent, 'ask'>> {
  const caller = callerOf(request);
  const { timezone, quiet_hours_start: start, quiet_hours_end: end } = await settingsOf(caller);
  const canRead = caller.kind === 'session' || caller.scopes.includes('tasks:read');
  return {
    api: apiFor(request),
    zone: timezone,
    now: clock.now(),
    canRead,
    quietHours: canRead && start !== null && end !== null ? `${start} to ${end}` : undefined,
    ceiling: caller.kind === 'session' ? null : caller.maxStage,
  };
}

const PROTOCOL_HEADERS = /^(?:accept|content-type|last-event-id|mcp-.*)$/;

const ANY_TYPE = /(?:^|,)\s*\*\/\*/;
const BOTH_TYPES = 'application/json, text/event-stream';

/** Leaves out the authorization header, which the SDK does not need. */
function toWebRequest({ method, headers }: FastifyRequest): Request {
  const own = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    PROTOCOL_HEADERS.test(name) && value !== undefined ? [[name, String(value)]] : [],
  );
  const webHeaders = new Headers(own);
  // The SDK looks for the names of both types. Without the header, HTTP accepts every type too.
  if (method === 'POST' && ANY_TYPE.test(headers.accept ?? '*/*')) webHeaders.set('accept', BOTH_TYPES);
  return new Request('http://localhost/mcp', { method, headers: webHeaders });
}

function parse(text: unknown): unknown {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInput({ type: 'json_invalid', loc: ['body'], msg: 'The body is not valid JSON' });
  }
}

function toRefusal(error: unknown): never {
  if (!(error instanceof QueueFull)) throw error;
  const sentence = 'Too many requests of this account are waiting. Try again in a moment.';
  throw new AppError('too_many_requests', { sentence, retryAfterSeconds: RETRY_AFTER_SECONDS });
}

const sendTooManyCalls = (reply: FastifyReply): FastifyReply =>
  reply.code(400).send(rpcError(INVALID_REQUEST, `Invalid Request: a batch has at most ${MOST_CALLS} messages.`));

const INVALID_REQUEST = -32_600;
const PARSE_ERROR = -32_700;
/** The first code that JSON-RPC reserves for servers. */
const SERVER_ERROR = -32_000;

function sendError(error: Error, request: FastifyRequest, reply: FastifyReply, { baseUrl }: McpParts): FastifyReply {
  if (error instanceof InvalidInput) {
    return reply.code(400).send(rpcError(PARSE_ERROR, `Parse error: ${error.problems[0]?.msg}`));
  }
  const { status, code, message } = prepareFailure(error, request, reply);
  const address = baseUrlOfRequest(request, baseUrl);
  const challenge = reply.getHeader('www-authenticate');
  if (challenge !== undefined)
    reply.header('www-authenticate', `${challenge}, ${challengeParameters(address, pathOf(request))}`);
  return reply.code(status).send(rpcError(SERVER_ERROR, `${code}: ${message}`, { code, guide: `${address}/guide` }));
}

const rpcError = (code: number, message: string, data?: object) => ({
  jsonrpc: '2.0',
  error: { code, message, ...(data && { data }) },
  id: null,
});

const TASK_SCOPES = SCOPES.filter((scope) => scope.startsWith('tasks:'));

/** Clients follow these after a 401. */
const challengeParameters = (address: string, path: McpPath): string =>
  `resource_metadata="${address}${METADATA_PATH}${path}", scope="${TASK_SCOPES.join(' ')}"`;

/** Without an authorization server, people mint access tokens and paste them. */
function resourceMetadata(request: FastifyRequest, baseUrl: string | undefined, path: McpPath) {
  const address = baseUrlOfRequest(request, baseUrl);
  const issuer = issuerOf(request, baseUrl);
  return {
    resource: address + path,
    ...(issuer && { authorization_servers: [issuer] }),
    resource_name: 'Crescendo',
    resource_documentation: `${address}/guide`,
    scopes_supported: TASK_SCOPES,
    bearer_methods_supported: ['header'],
  };
}
