/**
 * Writes the log line, the metrics and the trace of every request.
 *
 * Requests that failed on our side, were slow, or were refused because the caller may not do that are logged at `info`,
 * all others at `debug`: an operator who wants a line per request has the log of a proxy. The log names the pattern of
 * the route, never the path: a path may contain a secret, and clients can invent any number of paths.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type LogContext, runInRequest } from '../lib/current-request.ts';
import { isUuid } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import type { Span, Tracer } from '../lib/tracer.ts';

interface RequestMetrics {
  started(): void;
  ended(method: string, route: string, status: number, seconds: number): void;
  /** Refused because of an overload, before its route was known. */
  refused(method: string): void;
}

export interface RequestObservers {
  readonly metrics?: RequestMetrics | undefined;
  readonly tracer?: Tracer | undefined;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Called when an answer is complete, or earlier for an answer that stays open. Only the first call counts. */
    readonly observeAnswer: (request: FastifyRequest, reply: FastifyReply) => void;
  }
  interface FastifyRequest {
    isObserved: boolean;
    /** Fields of every log line of this request. Null until the first hook has run. */
    logContext: LogContext | null;
    span: Span | null;
    /** `routeOptions`, which Fastify builds anew each time. Set by the first hook. */
    route: FastifyRequest['routeOptions'];
  }
  interface FastifyContextConfig {
    /** No log line, metrics or trace: for routes that monitoring calls often, and for streams. */
    unobserved?: true;
  }
}

export function observeRequests(
  app: FastifyInstance,
  slowMs: number,
  { metrics, tracer }: RequestObservers = {},
): void {
  app.decorateRequest('logContext', null);
  app.decorateRequest('span', null);
  app.decorateRequest('route');
  app.addHook('onRequest', (request, _reply, done) => {
    const logContext = createLogContext(request);
    request.logContext = logContext;
    request.route = request.routeOptions;
    const { unobserved } = request.route.config;
    if (!unobserved) metrics?.started();
    const span = tracer && !unobserved ? startSpan(tracer, request, logContext) : null;
    request.span = span;
    runInRequest({ log: logContext }, () => (tracer && span ? tracer.run(span, done) : done()));
  });
  app.decorateRequest('isObserved', false);
  app.decorate('observeAnswer', (request, reply) => {
    const { method, logContext, route, isObserved } = request;
    if (!logContext || isObserved || route.config.unobserved) return;
    request.isObserved = true;
    const { statusCode: status, elapsedTime: ms } = reply;
    metrics?.ended(method, route.url ?? '', status, ms / 1_000);
    if (request.span) endSpan(request.span, reply);
    const isFault = status >= 500 && !LOGGED_ON_THEIR_OWN.includes(reply.refusedWith);
    const isForbidden = status === 403 && reply.refusedWith !== 'host_not_allowed';
    const isNotable = isFault || isForbidden || ms > slowMs;
    const level = isNotable ? 'info' : 'debug';
    const log = request.log as Logger;
    const code = reply.refusedWith ?? undefined;
    if (log.isLevelEnabled(level)) log[level]({ ...logContext, method, route: route.url, status, code, ms }, 'request');
  });
  app.addHook('onResponse', (request, reply, done) => {
    app.observeAnswer(request, reply);
    done();
  });
}

/** An overload and an outage log one line when they start, because they can fail many requests. So does a wrong host name. */
const LOGGED_ON_THEIR_OWN: readonly FastifyReply['refusedWith'][] = [
  'overloaded',
  'newer_release',
  'database_unavailable',
];

/** A path parameter may be any text; only one that looks like an id is logged. */
function createLogContext({ id, params }: FastifyRequest): LogContext {
  const { task_id } = (params ?? {}) as { readonly task_id?: string };
  return task_id !== undefined && isUuid(task_id) ? { request_id: id, task_id } : { request_id: id };
}

/** An in-process API call of an MCP tool belongs to the trace of the outer request. */
function startSpan(
  tracer: Tracer,
  { id, method, headers, route: { url: route } }: FastifyRequest,
  logContext: LogContext,
): Span {
  const { traceparent } = headers;
  const span = tracer.start(route === undefined ? method : `${method} ${route}`, {
    kind: tracer.active() ? 'internal' : 'server',
    attributes: {
      'http.request.method': method,
      'crescendo.request_id': id,
      ...(route !== undefined && { 'http.route': route }),
    },
    relatedTo: typeof traceparent === 'string' ? traceparent : undefined,
  });
  logContext.trace_id = span.traceId;
  return span;
}

function endSpan(span: Span, { statusCode, refusedWith }: FastifyReply): void {
  span.set({ 'http.response.status_code': statusCode, ...(refusedWith && { 'crescendo.error_code': refusedWith }) });
  span.end(statusCode >= 500 ? (refusedWith ?? String(statusCode)) : undefined);
}
