/**
 * Traces, sent to a collector as OTLP over HTTP. This file brings in OpenTelemetry, which takes its
 * time and memory: it is loaded only where a collector is configured.
 *
 * A collector that cannot be reached costs the spans of that time and nothing else: they gather in a
 * queue of bounded length, what does not fit is dropped, and nobody waits. That is logged once.
 *
 * Nothing is registered globally: two services in one process have a tracer each, or none.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Tracer as Backend,
  type Span as BackendSpan,
  type Context,
  type Link,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import { newId } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import { type Attributes, errorTypeOf, type Span, type Tracer } from '../lib/tracer.ts';
import { type SamplerName, samplerOf } from './sampler.ts';
import { ToldOnce } from './told-once.ts';

export interface TracingOptions {
  /** Of the collector, without the path that the protocol adds. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly version: string;
  readonly sampler: SamplerName;
  readonly ratio: number;
  readonly logger: Logger;
}

const EXPORT_WITHIN_MS = 5_000;
/** Of a stop, no more than this is spent on traces. */
const FLUSH_WITHIN_MS = 3_000;
/** A statement that is longer is of no use in a trace. */
const LONGEST_ATTRIBUTE = 2_000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

export class Tracing implements Tracer {
  readonly #provider: TracerProvider;
  readonly #backend: Backend;
  readonly #active = new AsyncLocalStorage<TracedSpan>();
  readonly #reach: ToldOnce;

  constructor(options: TracingOptions) {
    const { endpoint, serviceName, version, sampler, ratio, logger } = options;
    const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
    this.#reach = new ToldOnce(logger, {
      failing: 'traces cannot be sent at the moment; those of this time are lost',
      working: 'traces are sent again',
    });
    const exporter = tellingOfFailures(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_WITHIN_MS }), this.#reach);
    this.#provider = new TracerProvider({
      sampler: samplerOf(sampler, ratio),
      resource: resourceFromAttributes({
        ...{ 'service.name': serviceName, 'service.version': version },
        'service.instance.id': newId(),
      }),
      spanLimits: { attributeValueLengthLimit: LONGEST_ATTRIBUTE },
      spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: 2 * EXPORT_WITHIN_MS })],
    });
    this.#backend = this.#provider.getTracer('crescendo', version);
  }

  start(name: string, options: Parameters<Tracer['start']>[1] = {}): Span {
    const { kind = 'internal', attributes = {}, relatedTo } = options;
    const parent = (options.parent as TracedSpan | undefined) ?? this.#active.getStore();
    const about = { kind: KINDS[kind], attributes, links: linksTo(relatedTo) };
    return new TracedSpan(this.#backend.startSpan(name, about, parent?.context ?? ROOT_CONTEXT));
  }

  active(): Span | undefined {
    return this.#active.getStore();
  }

  run<T>(span: Span, work: () => T): T {
    return this.#active.run(span as TracedSpan, work);
  }

  /** Sends what is left, as far as that is possible in a short time. Never rejects. */
  async stop(): Promise<void> {
    const enough = Promise.withResolvers<void>();
    const giveUp = () => {
      this.#reach.fails({ reason: 'timeout' });
      enough.resolve();
    };
    const timer = setTimeout(giveUp, FLUSH_WITHIN_MS);
    await Promise.race([this.#provider.shutdown().catch(() => undefined), enough.promise]);
    clearTimeout(timer);
  }
}

class TracedSpan implements Span {
  readonly #span: BackendSpan;
  readonly context: Context;

  constructor(span: BackendSpan) {
    this.#span = span;
    this.context = trace.setSpan(ROOT_CONTEXT, span);
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  end(errorType?: string): void {
    if (errorType !== undefined) {
      this.#span.setAttribute('error.type', errorType);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  }
}

/** Anyone can send the header, so it neither names our trace nor decides whether there is one. */
function linksTo(traceparent: string | undefined): Link[] {
  const context = traceparent === undefined ? null : parseTraceParent(traceparent);
  return context ? [{ context: { ...context, isRemote: true } }] : [];
}

function tellingOfFailures(exporter: OTLPTraceExporter, reach: ToldOnce): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) reach.works();
        else reach.fails({ reason: errorTypeOf(result.error) });
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
