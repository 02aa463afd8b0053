/**
 * What is seen of a request from outside of its route: its log lines, its figures, its trace.
 *
 * A line at `info` is written for what failed on our side or took long; the others are for `debug`,
 * since whoever wants to know of every request has a proxy that says so already. An address appears
 * by its route's pattern alone: a path may hold a secret, and anyone can invent a new one.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isUuid } from '../lib/ids.ts';
import { type LogContext, withLogContext } from '../lib/log-context.ts';
import type { Span, Tracer } from '../lib/tracer.ts';

interface RequestFigures {
  began(): void;
  ended(method: string, route: string, status: number, seconds: number): void;
}

export interface RequestWatch {
  readonly figures?: RequestFigures | undefined;
  readonly tracer?: Tracer | undefined;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What the lines of this request tell of it; null before it is known to be one. */
    about: LogContext | null;
    span: Span | null;
  }
  interface FastifyContextConfig {
    /** For whoever runs the service: always answered, however busy it is. */
    alwaysAnswered?: true;
    /** Looked at so often that to look at the looking would tell nothing. */
    unwatched?: true;
  }
}

export function watchRequests(app: FastifyInstance, slowMs: number, { figures, tracer }: RequestWatch = {}): void {
  app.decorateRequest('about', null);
  app.decorateRequest('span', null);
  app.addHook('onRequest', (request, _reply, done) => {
    request.about = aboutOf(request);
    const { unwatched } = request.routeOptions.config;
    if (!unwatched) figures?.began();
    if (!unwatched && tracer) request.span = startSpan(tracer, request, request.about);
    enter(request.about, request.span, tracer, done);
  });
  app.addHook('onResponse', async (request, reply) => {
    if (!request.about || request.routeOptions.config.unwatched) return;
    const { method, routeOptions } = request;
    const { statusCode: status, elapsedTime: ms } = reply;
    figures?.ended(method, routeOptions.url ?? '', status, ms / 1_000);
    if (request.span) endSpan(request.span, reply);
    const isNews = (status >= 500 && reply.refusedWith !== 'overloaded') || ms > slowMs;
    request.log[isNews ? 'info' : 'debug'](
      { ...request.about, method, route: routeOptions.url, status, ms },
      'request',
    );
  });
}

function enter(about: LogContext, span: Span | null, tracer: Tracer | undefined, done: () => void): void {
  withLogContext(about, () => (tracer && span ? tracer.run(span, done) : done()));
}

/** What stands in the address may be anything; a line repeats only what looks like an id. */
function aboutOf({ id, params }: FastifyRequest): LogContext {
  const { task_id } = (params ?? {}) as { readonly task_id?: string };
  return task_id !== undefined && isUuid(task_id) ? { request_id: id, task_id } : { request_id: id };
}

/** One that is asked in answer to another, as a tool of an agent does, is a part of that one's trace. */
function startSpan(tracer: Tracer, { id, method, headers, routeOptions }: FastifyRequest, about: LogContext): Span {
  const route = routeOptions.url;
  const { traceparent } = headers;
  const span = tracer.start(route === undefined ? method : `${method} ${route}`, {
    kind: tracer.active() ? 'internal' : 'server',
    attributes: {
      ...{ 'http.request.method': method, 'crescendo.request_id': id },
      ...(route !== undefined && { 'http.route': route }),
    },
    relatedTo: typeof traceparent === 'string' ? traceparent : undefined,
  });
  about.trace_id = span.traceId;
  return span;
}

function endSpan(span: Span, { statusCode, refusedWith }: FastifyReply): void {
  span.set({ 'http.response.status_code': statusCode, ...(refusedWith && { 'crescendo.error_code': refusedWith }) });
  span.end(statusCode >= 500 ? (refusedWith ?? String(statusCode)) : undefined);
}
