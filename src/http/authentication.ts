/**
 * Authenticates the caller and checks the access table, before the body of the request is read. Checks after it whether
 * the sign-in is recent enough, where the route asks for that, and before the request can spend an `Idempotency-Key`.
 *
 * On routes for anyone the Authorization header is ignored: a stale token must not keep a person from
 * signing in.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { Caller, Scope, SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { requireRecentSignIn } from '../lib/session-lifetime.ts';
import { AccountRateLimit } from '../limits/account-rate-limit.ts';
import { type Access, type AccessTable, findAccess } from './access.ts';
import { BASIC_CHALLENGE } from './basic-password.ts';
import { BEARER_CHALLENGE } from './failures.ts';
import { InProcessCalls, type KnownCaller } from './in-process-calls.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly inProcessCalls: InProcessCalls;
    readonly findCaller: Authentication['authenticate'];
  }
  interface FastifyRequest {
    /** Null on routes for anyone. */
    caller: Caller | null;
    /** When the token of the caller was looked up, in milliseconds. */
    callerFoundAt: number;
  }
  interface FastifyContextConfig {
    access?: Access;
    /** Whether the session needs a recent sign-in: for what outlives it. A function decides by the body. */
    needsRecentSignIn?: true | ((body: unknown) => boolean);
  }
}

export interface Authentication {
  readonly table: AccessTable;
  readonly authenticate: (token: string) => Promise<Caller | undefined>;
  /** Called at each request, so that an account that stopped being an administrator is refused at once. */
  readonly isAdmin: (userId: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly requestsPerMinute: number;
  /** Refuses access tokens over plain HTTP, where others on the network may have read them. */
  readonly httpsOnly: boolean;
}

export function authenticateRequests(app: FastifyInstance, options: Authentication): void {
  app.decorate('inProcessCalls', new InProcessCalls());
  app.decorate('findCaller', async (token: string) => {
    const caller = await options.authenticate(token);
    if (caller) app.knownTokens.remember(token, caller.userId);
    else app.knownTokens.forget(token);
    return caller;
  });
  const rateLimit = new AccountRateLimit(options.requestsPerMinute, options.clock);
  app.decorateRequest('caller', null);
  app.decorateRequest('callerFoundAt', 0);
  app.addHook('onRoute', (route) => addAccessToRoute(route, options.table));
  app.addHook('onRequest', (request, reply, done) => {
    const access = request.route.config.access;
    if (access === undefined || access === 'anyone') return done();
    return admit(request, reply, access);
  });
  app.addHook('preHandler', (request, reply, done) => {
    const { access, needsRecentSignIn: needs } = request.route.config;
    const needsProof = needs === true || needs?.(request.body);
    const isKnown = !needsProof && Math.abs(options.clock.now().getTime() - request.callerFoundAt) < KNOWN_FOR_MS;
    if (access === undefined || access === 'anyone' || isKnown) return done();
    return admitAgain(request, reply, access, needsProof === true);
  });

  /** Reading the body may have taken half a minute, and its sender decides how long: the session may have ended since. */
  async function admitAgain(request: FastifyRequest, reply: FastifyReply, access: Access, needsProof: boolean) {
    const caller = await authenticate(request, reply, access, options);
    if (access === 'admin' && !(await options.isAdmin(caller.userId))) throw new AppError('admin_required');
    request.caller = caller;
    if (needsProof) requireRecentSignIn(sessionOf(request), options.clock.now());
  }

  async function admit(request: FastifyRequest, reply: FastifyReply, access: Access): Promise<void> {
    const caller = await authenticate(request, reply, access, options);
    if (request.logContext) request.logContext.user_id = caller.userId;
    authorize(caller, access, reply);
    rateLimit.countRequest(caller.userId);
    if (access === 'admin' && !(await options.isAdmin(caller.userId))) throw new AppError('admin_required');
    request.caller = caller;
  }
}

/** A batch can run for half a minute. A token that was revoked meanwhile counts no longer than this. */
const KNOWN_FOR_MS = 1_000;

/** For API calls that are made in-process to answer this request. Its token is looked up again once a second. */
export const knownCallerOf = (request: FastifyRequest): KnownCaller => ({
  caller: callerOf(request),
  foundAt: request.callerFoundAt,
});

/** Whether the token of the request still counts: its session may have ended, or its account was suspended or deleted. */
export async function isStillAuthenticated(request: FastifyRequest): Promise<boolean> {
  const token = bearerTokenOf(request.headers.authorization);
  const caller = token === undefined ? undefined : await request.server.findCaller(token);
  return caller?.userId === callerOf(request).userId;
}

export const bearerTokenOf = (header = ''): string | undefined => /^Bearer +(\S+)$/i.exec(header)?.[1];

/** Throws on a route for anyone, which has no caller. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Error('This route has no caller: the access table opens it to anyone.');
  return caller;
}

/** Throws on a route that access tokens may call. */
export function sessionOf(request: FastifyRequest): SessionCaller {
  const caller = callerOf(request);
  if (caller.kind !== 'session') throw new Error('This route also accepts access tokens, says the access table.');
  return caller;
}

/** Copies the entry of the access table into the route, for the hook above and for the API description. */
function addAccessToRoute(route: RouteOptions, table: AccessTable): void {
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
  if (access === 'admin') return [{ session: [] }];
  if (access === 'session' || access === 'token') return [{ [access]: [] }];
  return [{ session: [] }, { token: [access] }];
}

async function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  access: Access,
  options: Authentication,
): Promise<Caller> {
  const known = request.server.inProcessCalls.findCaller(request);
  const now = options.clock.now().getTime();
  request.callerFoundAt = now;
  // The difference is negative if the clock was set back.
  if (known && Math.abs(now - known.foundAt) < KNOWN_FOR_MS) return known.caller;
  const token = bearerTokenOf(request.headers.authorization);
  const caller = token === undefined ? undefined : await request.server.findCaller(token);
  if (!caller || !(known || isForThisRoute(caller, access))) {
    reply.header('www-authenticate', challengeOf(request));
    throw new AppError('unauthenticated');
  }
  if (known) {
    known.foundAt = now;
    return caller;
  }
  if (caller.kind === 'token' && options.httpsOnly && request.protocol !== 'https')
    throw new AppError('https_required');
  return caller;
}

function challengeOf({ headers, route }: FastifyRequest): string {
  if (route.config.takesBasic) return BASIC_CHALLENGE;
  return headers.authorization === undefined ? BEARER_CHALLENGE : `${BEARER_CHALLENGE}, error="invalid_token"`;
}

/** The audience of a connection is the MCP server. In-process calls on its behalf were vouched for above. */
const isForThisRoute = (caller: Caller, access: Access): boolean =>
  access === 'token' || caller.kind === 'session' || !caller.isConnection;

function authorize(caller: Caller, access: Access, reply: FastifyReply): void {
  if (caller.kind === 'session') {
    if (access !== 'token') return;
    reply.header('www-authenticate', `${BEARER_CHALLENGE}, error="insufficient_scope"`);
    throw new AppError('token_required');
  }
  if (access === 'session' || access === 'admin') throw new AppError('session_required');
  if (access === 'token' || caller.scopes.includes(access as Scope)) return;
  reply.header('www-authenticate', `${BEARER_CHALLENGE}, error="insufficient_scope", scope="${access}"`);
  throw new AppError('scope_required', { sentence: `The access token lacks the scope ${access}.` });
}
