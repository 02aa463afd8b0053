/**
 * The HTTP server around the routes. A route declares its schemas and returns `ok(data)`; everything else
 * about a request happens here.
 *
 * A request is refused by the first of these checks that fails: host name, route, origin of the page, authentication,
 * size, content type, shape, and then the service behind the route.
 */
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyServerOptions,
  LogController,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import type { CostBudget } from '../limits/cost-budget.ts';
import { type DatabasePool, type LoadLimits, LoadShedding } from '../limits/load-shedding.ts';
import { MONITORING_PATH, refuseForeignHosts } from './allowed-hosts.ts';
import { type Authentication, authenticateRequests } from './authentication.ts';
import { readBasicPasswords } from './basic-password.ts';
import { BODY_LIMIT_BYTES, readBodiesAsJson } from './body.ts';
import { trustedProxies } from './client-address.ts';
import { openToOtherOrigins } from './cross-origin.ts';
import { answerMalformedHttp, handleErrors, sendFailure } from './failures.ts';
import { refuseForeignPages } from './foreign-pages.ts';
import { limitHandlerTime } from './handler-timeout.ts';
import { limitCosts } from './limit-costs.ts';
import { closeAllSockets } from './listen.ts';
import { observeRequests, type RequestObservers } from './observe-requests.ts';
import { describeApi } from './openapi.ts';
import { createSchemaBucket } from './schema-bucket.ts';
import { securityHeaders } from './security-headers.ts';
import { buildSerializer } from './serialization.ts';
import { shedLoad } from './shed-load.ts';
import { limitStreamedAnswers } from './streamed-answer.ts';
import { answerUnknownRoutes } from './unknown-routes.ts';
import { noticeUntrustedProxies } from './untrusted-proxy.ts';
import { buildValidator } from './validation.ts';
import { readAppSessionCookie } from './web-app/app-session.ts';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>;
type ValidatorFactory = NonNullable<NonNullable<SchemaController['compilersFactory']>['buildValidator']>;

/** Adds the routes of one folder. */
export type Routes = (app: App) => void;

export interface AppOptions {
  readonly baseUrl: string | undefined;
  /** The host names that the service answers to, besides the one in `baseUrl`. */
  readonly hostNames: readonly string[];
  readonly trustProxy: false | number | string[];
  readonly logger: Logger;
  readonly authentication: Authentication;
  /** Whether passwords are taken over plain HTTP from other machines. */
  readonly basicOverHttp: boolean;
  readonly costBudget: CostBudget;
  /** Adds the `Idempotency-Key` hooks, which run after authentication and before the route. */
  readonly addIdempotency: Routes;
  readonly observers?: RequestObservers;
  readonly limits?: Partial<Limits>;
  readonly pool: DatabasePool | undefined;
  /** Whether a newer release has changed the tables. Then only monitoring is answered. */
  readonly isOutdated: () => boolean;
}

interface Limits extends LoadLimits {
  /** From the first byte of a request to the last. */
  requestTimeoutMs: number;
  /** From the request to its answer. */
  handlerTimeoutMs: number;
  /** A long answer is cut if its reader takes nothing for this long. */
  readerTimeoutMs: number;
  /** Slower requests are logged at `info`. */
  slowRequestMs: number;
}

const LIMITS: Limits = {
  requestTimeoutMs: 30_000,
  handlerTimeoutMs: 30_000,
  maxTurnMs: 10,
  maxWaiting: 200,
  maxWaitMs: 1_000,
  readerTimeoutMs: 60_000,
  slowRequestMs: 1_000,
};

export async function buildApp(options: AppOptions, routes: readonly Routes[]): Promise<App> {
  const limits = { ...LIMITS, ...options.limits };
  const isTrustedProxy = trustedProxies(options.trustProxy);
  const app: App = Fastify<RawServerDefault>({
    loggerInstance: options.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newId,
    trustProxy: options.trustProxy !== false && isTrustedProxy,
    bodyLimit: BODY_LIMIT_BYTES,
    // As long as a whole request line may be: a long id is invalid and not a path that does not exist.
    routerOptions: { maxParamLength: 16_384 },
    requestTimeout: limits.requestTimeoutMs,
    // Closes a socket on which nothing moves any more, for example because the client does not read its answer.
    connectionTimeout: limits.readerTimeoutMs,
    forceCloseConnections: 'idle',
    // While the server closes, requests on open connections are still answered, instead of with a bare 503.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendFailure(error, request, reply as FastifyReply),
    clientErrorHandler: answerMalformedHttp,
    // Node would answer a missing Host header without a body; the hook below answers with the envelope.
    http: { requireHostHeader: false },
    schemaController: {
      bucket: createSchemaBucket as unknown as NonNullable<SchemaController['bucket']>,
      compilersFactory: { buildValidator: buildValidator as unknown as ValidatorFactory, buildSerializer },
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  // The log context adds the request id, also to lines that services write, so no request needs a logger of its own.
  app.log.child = () => app.log;
  shedLoad(app, new LoadShedding(limits, options.pool), isTrustedProxy, (method) =>
    options.observers?.metrics?.refused(method),
  );
  observeRequests(app, limits.slowRequestMs, options.observers);
  const isHttps = options.baseUrl?.startsWith('https:') ?? false;
  const headers = securityHeaders(isHttps);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id);
    const lacksHost = request.raw.httpVersion === '1.1' && !request.headers.host;
    // Node uses the first of two, and a proxy in front may have decided by the second.
    if (lacksHost || hasTwoHosts(request.raw.rawHeaders)) throw new AppError('malformed_request');
    done();
  });
  const ownNames = options.baseUrl ? [new URL(options.baseUrl).hostname, ...options.hostNames] : options.hostNames;
  refuseForeignHosts(app, new Set(ownNames), options.authentication.clock);
  app.addHook('onRequest', (request, _reply, done) => {
    if (!options.isOutdated() || MONITORING_PATH.test(request.url)) return done();
    throw new AppError('newer_release', { retryAfterSeconds: 5 });
  });
  // Node would refuse an unknown Expect header with a bare 417; this server ignores the header.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  // A keep-alive connection would delay the stop until it is cut.
  let isClosing = false;
  app.addHook('preClose', async () => {
    isClosing = true;
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (PERSONAL_PATH.test(request.url)) reply.header('cache-control', 'no-store');
    if (isClosing) reply.header('connection', 'close');
    done();
  });
  closeAllSockets(app);
  handleErrors(app);
  limitHandlerTime(app, limits.handlerTimeoutMs);
  answerUnknownRoutes(app);
  noticeUntrustedProxies(app, options.authentication.clock);
  openToOtherOrigins(app);
  refuseForeignPages(app, options.baseUrl);
  readAppSessionCookie(app, isHttps);
  readBasicPasswords(app, options.basicOverHttp);
  authenticateRequests(app, options.authentication);
  limitCosts(app, options.costBudget);
  limitStreamedAnswers(app, limits.readerTimeoutMs);
  readBodiesAsJson(app);
  options.addIdempotency(app);
  await describeApi(app, options);
  for (const add of routes) add(app);
  return app;
}

/** An answer here belongs to one person, so neither a browser nor a proxy may keep it. */
const PERSONAL_PATH = /^\/(v1|mcp|oauth|caldav|app\/session|app\/live|app\/provider|app\/sign-in-options)(?![\w-])/;

/** Names and values alternate. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let name = 0; name < rawHeaders.length; name += 2) if (rawHeaders[name]?.toLowerCase() === 'host') hosts += 1;
  return hosts > 1;
}
