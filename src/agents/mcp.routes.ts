/**
 * `/mcp` and `/mcp/all`: streamable HTTP without sessions, each with its own list of tools. Requests that
 * are rejected before they reach the protocol get a JSON-RPC error too, with the HTTP status and headers
 * that clients check.
 */
import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isAllowedOrigin } from '../http/allowed-hosts.ts';
import type { App, Routes } from '../http/app.ts';
import { callerOf } from '../http/authentication.ts';
import { baseUrlOfRequest, issuerOf } from '../http/base-url.ts';
import { decodeUtf8, refuseExcess } from '../http/body.ts';
import { callerLeftSignal } from '../http/caller-left.ts';
import { BEARER_CHALLENGE, prepareFailure } from '../http/failures.ts';
import { type Caller, SCOPES, type Scope } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { stopBeingShort } from '../lib/next-turn.ts';
import { KeyedSemaphore, QueueFull } from '../lib/semaphore.ts';
import { apiFor } from './api.ts';
import { ConsentCodes, type KeyedHashes } from './consent-codes.ts';
import type { Agent } from './define-tool.ts';
import { isListening, openStream } from './listen.ts';
import { neededScopes } from './needed-scopes.ts';
import type { Subscriptions } from './subscriptions.ts';
import { MCP_PATHS, type McpPath } from './tools.ts';

interface AgentSettings {
  readonly day_start: string;
  readonly timezone: string;
  readonly quiet_hours_start: string | null;
  readonly quiet_hours_end: string | null;
}

export interface McpParts {
  readonly version: string;
  readonly clock: Clock;
  readonly baseUrl: string | undefined;
  readonly settingsOf: (caller: Caller) => Promise<AgentSettings>;
  readonly subscriptions: Subscriptions;
  /** Makes the codes of dry runs. */
  readonly hashes: KeyedHashes;
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
        requireScopes(request, reply, neededScopes(message, pathOf(request)));
        const release = await places.acquire(callerOf(request).userId, callerLeftSignal(reply)).catch(toRefusal);
        // A reply can be awaited, and is done when its stream has ended: the place is given back before that.
        const body = await handle(request, reply, message, parts).finally(release);
        return reply.send(body);
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
): Promise<string | Readable> {
  const { handleMcp, openSubscription } = await loadMcpServer();
  const missing = new Set<string>();
  const call = {
    request: toWebRequest(request),
    path: pathOf(request),
    version: parts.version,
    websiteUrl: `${baseUrlOfRequest(request, parts.baseUrl)}/guide`,
    loadAgent: () => loadAgent(request, parts),
    onUnexpectedError: (error: unknown) => request.log.error({ err: error }, 'an MCP tool failed unexpectedly'),
    onMissingScope: (scope: string) => void missing.add(scope),
  };
  if (isListening(message)) return openStream(reply, { ...call, message }, parts.subscriptions, openSubscription);
  const response = await handleMcp({ ...call, message });
  // Buffered: every other response is short and complete, even one framed as an event stream.
  const body = await response.text();
  // The scope of a tool may depend on its arguments. Calls of a batch that were carried out must not be repeated.
  if (!Array.isArray(message))
    requireScopes(
      request,
      reply,
      SCOPES.filter((scope) => missing.has(scope)),
    );
  response.headers.forEach((value, name) => void reply.header(name, value));
  reply.code(response.status);
  return body;
}

/**
 * Refuses a connection that lacks a scope by a status, after which its client asks its person for more. The challenge
 * has the scopes it holds too: a client may ask for exactly those of the challenge. An access token has the scopes that
 * it was made with, so its tools say what is missing.
 */
function requireScopes(request: FastifyRequest, reply: FastifyReply, needed: readonly Scope[]): void {
  const caller = callerOf(request);
  if (caller.kind === 'session' || !caller.isConnection) return;
  const missing = needed.filter((scope) => !caller.scopes.includes(scope));
  if (missing.length === 0) return;
  const wanted = SCOPES.filter((scope) => caller.scopes.includes(scope) || missing.includes(scope));
  reply.header('www-authenticate', `${BEARER_CHALLENGE}, error="insufficient_scope", scope="${wanted.join(' ')}"`);
  const sentence = `The connection lacks the scope ${missing.join(' and ')}. Connect again, and ask the user to allow it.`;
  throw new AppError('scope_required', { sentence });
}

async function loadAgent(
  request: FastifyRequest,
  { clock, settingsOf, hashes }: McpParts,
): Promise<Omit<Agent, 'ask'>> {
  const caller = callerOf(request);
  const { timezone, quiet_hours_start: start, quiet_hours_end: end, day_start } = await settingsOf(caller);
  const canRead = caller.kind === 'session' || caller.scopes.includes('tasks:read');
  return {
    api: apiFor(request),
    zone: timezone,
    now: clock.now(),
    canRead,
    caller: JSON.stringify([caller.userId, caller.kind === 'token' ? caller.tokenId : null]),
    codes: new ConsentCodes(hashes),
    dayStart: canRead ? day_start : undefined,
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
    reply.header(
      'www-authenticate',
      `${challenge}, ${challengeParameters(address, pathOf(request), String(challenge))}`,
    );
  return reply.code(status).send(rpcError(SERVER_ERROR, `${code}: ${message}`, { code, guide: `${address}/guide` }));
}

const rpcError = (code: number, message: string, data?: object) => ({
  jsonrpc: '2.0',
  error: { code, message, ...(data && { data }) },
  id: null,
});

const TASK_SCOPES = SCOPES.filter((scope) => scope.startsWith('tasks:'));

/** Clients follow these after a 401, and after a 403 that names the scopes itself. */
function challengeParameters(address: string, path: McpPath, challenge: string): string {
  const metadata = `resource_metadata="${address}${METADATA_PATH}${path}"`;
  return challenge.includes(' scope="') ? metadata : `${metadata}, scope="${TASK_SCOPES.join(' ')}"`;
}

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
