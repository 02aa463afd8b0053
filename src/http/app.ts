/**
 * The HTTP shell: everything about a request that is not about a task. Routes arrive as functions;
 * each declares its schemas and returns `ok(data)`, the rest happens here.
 *
 * Order of refusals: unknown address, authentication, size, type, shape, and then whatever the
 * service behind the route says.
 */
import helmet from '@fastify/helmet';
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
import { takeAppSessions } from './app-session.ts';
import { type Authentication, authenticateRequests } from './authentication.ts';
import { BODY_LIMIT_BYTES, readBodiesAsJson } from './body.ts';
import { answerFailures, answerMalformedHttp, sendFailure } from './failures.ts';
import { limitAnswers } from './handler-timeout.ts';
import { type Answers, answerOnce } from './idempotency.ts';
import { turnAwayUnderLoad } from './load-shedding.ts';
import { describeApi } from './openapi.ts';
import { type RequestWatch, watchRequests } from './request-watch.ts';
import { buildSerializer } from './serialization.ts';
import { buildValidator } from './validation.ts';
import { answerWrongAddresses } from './wrong-address.ts';

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

type ValidatorFactory = NonNullable<
  NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>['buildValidator']
>;

/** Adds a noun's routes. */
export type Routes = (app: App) => void;

export interface AppOptions {
  readonly version: string;
  readonly baseUrl: string | undefined;
  readonly trustProxy: false | number | string[];
  readonly logger: Logger;
  readonly authentication: Authentication;
  readonly answers: Answers;
  readonly watch?: RequestWatch;
  readonly limits?: Partial<Limits>;
}

interface Limits {
  /** For a request to arrive whole. */
  requestTimeoutMs: number;
  /** For its answer to be made. */
  handlerTimeoutMs: number;
  /** Above this delay of the event loop new requests are turned away, so that those under way finish. */
  maxEventLoopDelayMs: number;
  /** A request that takes longer is told in the log. */
  slowRequestMs: number;
}

const LIMITS: Limits = {
  ...{ requestTimeoutMs: 30_000, handlerTimeoutMs: 30_000 },
  ...{ maxEventLoopDelayMs: 1_000, slowRequestMs: 1_000 },
};

export async function buildApp(options: AppOptions, routes: readonly Routes[]): Promise<App> {
  const limits = { ...LIMITS, ...options.limits };
  const app: App = Fastify<RawServerDefault>({
    loggerInstance: options.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Which request a line belongs to is told by the log context, for lines of services too.
    childLoggerFactory: (logger) => logger,
    genReqId: newId,
    trustProxy: believedProxies(options.trustProxy),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: limits.requestTimeoutMs,
    forceCloseConnections: 'idle',
    // While closing, requests on open connections are answered as usual instead of with a bare 503.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => void sendFailure(error, request, reply as FastifyReply),
    clientErrorHandler: answerMalformedHttp,
    // Node would answer a missing Host by itself, without a body; the hook below does it in the envelope.
    http: { requireHostHeader: false },
    schemaController: {
      compilersFactory: { buildValidator: buildValidator as unknown as ValidatorFactory, buildSerializer },
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  watchRequests(app, limits.slowRequestMs, options.watch);
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (request.raw.httpVersion === '1.1' && !request.headers.host) throw new AppError('malformed_request');
  });
  // Node would refuse an Expect header it does not know with a bare 417; ours is answered as if it were not there.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  // A connection that is kept alive past its answer would hold up the stop until it is cut.
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close');
  });
  answerFailures(app);
  limitAnswers(app, limits.handlerTimeoutMs);
  await sendSecurityHeaders(app, options.baseUrl);
  answerWrongAddresses(app);
  turnAwayUnderLoad(app, limits.maxEventLoopDelayMs);
  takeAppSessions(app);
  authenticateRequests(app, options.authentication);
  readBodiesAsJson(app);
  answerOnce(app, options.answers);
  await describeApi(app, options);
  for (const add of routes) add(app);
  return app;
}

/** Fastify takes addresses; a number of hops is a rule about how far from us a proxy may stand. */
function believedProxies(setting: false | number | string[]) {
  return typeof setting === 'number' ? (_address: string, hop: number) => hop < setting : setting;
}

async function sendSecurityHeaders(app: App, baseUrl: string | undefined): Promise<void> {
  const overTls = baseUrl?.startsWith('https:') ?? false;
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        'script-src': ["'self'"],
        'style-src': ["'self'"],
        'img-src': ["'self'", 'data:'],
        'object-src': ["'none'"],
        'base-uri': ["'none'"],
        'form-action': ["'self'"],
        'frame-ancestors': ["'none'"],
      },
    },
    // Promising TLS for months makes sense only where there is TLS.
    strictTransportSecurity: overTls,
    referrerPolicy: { policy: 'no-referrer' },
  });
}
