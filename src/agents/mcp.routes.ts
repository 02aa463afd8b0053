/**
 * `/mcp`: streamable HTTP without sessions. What is refused before the protocol begins is answered
 * as JSON-RPC too, with the HTTP status and the headers that clients look for.
 */
import { isUtf8 } from 'node:buffer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, Routes } from '../http/app.ts';
import { callerOf, vouchingFor } from '../http/authentication.ts';
import { noteFailure } from '../http/failures.ts';
import { ownAddress } from '../http/own-address.ts';
import { type Caller, SCOPES } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { apiFor } from './api.ts';
import { isOwnName, isOwnOrigin, ownNames } from './own-names.ts';

export interface AgentParts {
  readonly version: string;
  readonly clock: Clock;
  readonly baseUrl: string | undefined;
  readonly listensOn: string;
  readonly timezoneOf: (caller: Caller) => Promise<string>;
}

/** Room for a mistake: a title of a megabyte reaches the tool, which can say what is wrong with it. */
const BODY_LIMIT_BYTES = 4 * 1024 * 1024;
/** Longer than any call of the API that a tool waits for. */
const HANDLER_TIMEOUT_MS = 35_000;
const METADATA_PATH = '/.well-known/oauth-protected-resource';

export const mcpRoutes =
  (parts: AgentParts): Routes =>
  (app) => {
    for (const url of [METADATA_PATH, `${METADATA_PATH}/mcp`]) {
      app.get(url, { schema: { hide: true } }, async (request) => resourceMetadata(ownAddress(request, parts.baseUrl)));
    }
    // A context of its own, for its own way to read bodies and to word refusals.
    app.register(async (scope: App) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
        readText(body),
      );
      scope.setErrorHandler((error: Error, request, reply) => refuse(error, request, reply, parts));
      const names = ownNames(parts.baseUrl, parts.listensOn);
      scope.addHook('onRequest', async ({ host, headers }) => {
        if (!isOwnName(host, names)) throw new AppError('host_not_allowed');
        if (!isOwnOrigin(headers.origin, host, parts.baseUrl)) throw new AppError('origin_not_allowed');
      });
      scope.route({
        method: ['GET', 'POST', 'DELETE'],
        url: '/mcp',
        bodyLimit: BODY_LIMIT_BYTES,
        handlerTimeout: HANDLER_TIMEOUT_MS,
        schema: { hide: true },
        handler: (request, reply) => vouchingFor(request, () => answer(request, reply, parts)),
      });
    });
  };

let protocol: Promise<typeof import('./mcp-server.ts')> | undefined;

async function answer(request: FastifyRequest, reply: FastifyReply, parts: AgentParts): Promise<FastifyReply> {
  // Kept, since asking the loader again is not free.
  protocol ??= import('./mcp-server.ts');
  const { answerMcp } = await protocol;
  const response = await answerMcp({
    request: toWebRequest(request),
    message: parse(request.body),
    version: parts.version,
    websiteUrl: `${ownAddress(request, parts.baseUrl)}/guide`,
    agent: async () => ({
      api: apiFor(request),
      zone: await parts.timezoneOf(callerOf(request)),
      now: parts.clock.now(),
    }),
    onFault: (error) => request.log.error({ err: error }, 'a tool failed'),
  });
  // Every answer of ours is short and final, those framed as a stream too.
  const body = await response.text();
  response.headers.forEach((value, name) => void reply.header(name, value));
  return reply.code(response.status).send(body);
}

const READ_BY_PROTOCOL = /^(?:accept|content-type|last-event-id|mcp-.*)$/;

/** The token stays here: the protocol's side has no use for it. */
function toWebRequest({ method, headers }: FastifyRequest): Request {
  const own = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    READ_BY_PROTOCOL.test(name) && value !== undefined ? [[name, String(value)]] : [],
  );
  return new Request('http://localhost/mcp', { method, headers: own });
}

function readText(body: Buffer): string {
  if (isUtf8(body)) return body.toString('utf8');
  throw new InvalidInput({ type: 'json_invalid', loc: ['body'], msg: 'The body is not valid UTF-8' });
}

function parse(text: unknown): unknown {
  if (typeof text !== 'string' || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInput({ type: 'json_invalid', loc: ['body'], msg: 'The body is not valid JSON' });
  }
}

const PARSE_ERROR = -32_700;
/** The first of those that the protocol leaves to servers. */
const REFUSED = -32_000;

function refuse(error: Error, request: FastifyRequest, reply: FastifyReply, { baseUrl }: AgentParts): FastifyReply {
  if (error instanceof InvalidInput) {
    return reply.code(400).send(rpcError(PARSE_ERROR, `Parse error: ${error.problems[0]?.msg}`));
  }
  const { status, code, message } = noteFailure(error, request, reply);
  const address = ownAddress(request, baseUrl);
  const challenge = reply.getHeader('www-authenticate');
  if (challenge !== undefined) reply.header('www-authenticate', `${challenge}, ${whereToLook(address)}`);
  return reply.code(status).send(rpcError(REFUSED, `${code}: ${message}`, { code, guide: `${address}/guide` }));
}

const rpcError = (code: number, message: string, data?: object) => ({
  jsonrpc: '2.0',
  error: { code, message, ...(data && { data }) },
  id: null,
});

const TASK_SCOPES = SCOPES.filter((scope) => scope.startsWith('tasks:'));

/** Clients follow this after a 401. There is no authorization server behind it: tokens are minted by their user. */
const whereToLook = (address: string): string =>
  `resource_metadata="${address}${METADATA_PATH}/mcp", scope="${TASK_SCOPES.join(' ')}"`;

const resourceMetadata = (address: string) => ({
  resource: `${address}/mcp`,
  resource_name: 'Crescendo',
  resource_documentation: `${address}/guide`,
  scopes_supported: TASK_SCOPES,
  bearer_methods_supported: ['header'],
});
