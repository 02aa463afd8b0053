/**
 * Finds out who is asking and whether they may, before anything of the request is read.
 *
 * Where anyone may ask, the Authorization header is not even looked at: a stale token must not keep
 * a person from signing in.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Caller, Scope, SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { type Access, type AccessTable, findAccess } from './access.ts';
import { AccountRate } from './account-rate.ts';
import { CHALLENGE } from './challenge.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every route that is not for anyone. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    access?: Access;
  }
}

export interface Authentication {
  readonly table: AccessTable;
  readonly authenticate: (token: string) => Promise<Caller | undefined>;
  readonly clock: Clock;
  readonly requestsPerMinute: number;
  /** Where the service is reached over HTTPS, an access token that came without it may have been read on the way. */
  readonly httpsOnly: boolean;
}

export function authenticateRequests(app: FastifyInstance, options: Authentication): void {
  const rate = new AccountRate(options.requestsPerMinute, options.clock);
  app.decorateRequest('caller', null);
  app.addHook('onRoute', (route) => markRoute(route, options.table));
  app.addHook('onRequest', async (request, reply) => {
    const access = request.routeOptions.config.access;
    if (access === undefined || access === 'anyone') return;
    const caller = await identify(request, reply, options);
    if (request.about) request.about.user_id = caller.userId;
    admit(caller, access, reply);
    rate.count(caller.userId);
    request.caller = caller;
  });
}

/** Who has just been identified, for calls of the API that are made in answer to the same request. */
const vouchedFor = new AsyncLocalStorage<{ readonly authorization: string | undefined; readonly caller: Caller }>();

/** Runs what asks the API in-process on behalf of this request: the same token is not looked up again. */
export const vouchingFor = <T>(request: FastifyRequest, run: () => T): T =>
  vouchedFor.run({ authorization: request.headers.authorization, caller: callerOf(request) }, run);

/** The caller of a route that is not for anyone. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Error('This route has no caller: the access table says that anyone may ask.');
  return caller;
}

/** The caller of a route that only a signed-in person may call. */
export function sessionOf(request: FastifyRequest): SessionCaller {
  const caller = callerOf(request);
  if (caller.kind !== 'session') throw new Error('This route takes access tokens: the access table says so.');
  return caller;
}

/** Writes the table's word into the route, for the hook above and for the description. */
function markRoute(route: RouteOptions, table: AccessTable): void {
  for (const method of [route.method].flat()) {
    const access = findAccess(table, method, route.url);
    if (access === undefined)
      throw new Error(`${method} ${route.url} is missing from the access table in http/access.ts.`);
    route.config = { ...route.config, access };
    if (route.schema) route.schema = { ...route.schema, security: securityOf(access) };
  }
}

function securityOf(access: Access): Record<string, string[]>[] {
  if (access === 'anyone') return [];
  if (access === 'session' || access === 'token') return [{ [access]: [] }];
  return [{ session: [] }, { token: [access] }];
}

async function identify(request: FastifyRequest, reply: FastifyReply, options: Authentication): Promise<Caller> {
  const header = request.headers.authorization;
  const known = vouchedFor.getStore();
  if (known && known.authorization === header) return known.caller;
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  const caller = token === undefined ? undefined : await options.authenticate(token);
  if (!caller) {
    reply.header('www-authenticate', header === undefined ? CHALLENGE : `${CHALLENGE}, error="invalid_token"`);
    throw new AppError('unauthenticated');
  }
  if (caller.kind === 'token' && options.httpsOnly && request.protocol !== 'https')
    throw new AppError('https_required');
  return caller;
}

function admit(caller: Caller, access: Access, reply: FastifyReply): void {
  if (caller.kind === 'session') {
    if (access !== 'token') return;
    reply.header('www-authenticate', `${CHALLENGE}, error="insufficient_scope"`);
    throw new AppError('token_required');
  }
  if (access === 'session') throw new AppError('session_required');
  if (access === 'token' || caller.scopes.includes(access as Scope)) return;
  reply.header('www-authenticate', `${CHALLENGE}, error="insufficient_scope", scope="${access}"`);
  throw new AppError('scope_required', { sentence: `The access token lacks the scope ${access}.` });
}
