/**
 * Sends traces to a collector as OTLP over HTTP. This file imports OpenTelemetry, which costs time and memory, so
 * it is loaded only if a collector is configured.
 *
 * While the collector cannot be reached, spans collect in a bounded queue and the rest is dropped. Nothing waits
 * for the collector. The outage is logged once.
 *
 * Nothing is registered globally: each service in a process has its own tracer, or none.
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
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { newId } from '../lib/ids.ts';
import { LogOnChange } from '../lib/log-on-change.ts';
import type { Logger } from '../lib/logger.ts';
import { type Attributes, errorTypeOf, type Span, type Tracer } from '../lib/tracer.ts';

/** OpenTelemetry's names of its samplers, which decide which traces are kept. */
type SamplerName = `${'' | 'parentbased_'}${'always_on' | 'always_off' | 'traceidratio'}`;

export interface TracingOptions {
  /** The URL of the collector, without the path that the protocol adds. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly version: string;
  readonly sampler: SamplerName;
  readonly ratio: number;
  readonly logger: Logger;
}

const EXPORT_TIMEOUT_MS = 5_000;
/** How long the shutdown waits for the last traces. */
const FLUSH_TIMEOUT_MS = 3_000;
/** Longer SQL statements are cut off. */
const MAX_ATTRIBUTE_LENGTH = 2_000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

export class Tracing implements Tracer {
  readonly #provider: TracerProvider;
  readonly #backend: Backend;
  readonly #active = new AsyncLocalStorage<TracedSpan>();
  readonly #exports: LogOnChange;

  constructor(options: TracingOptions) {
    const { endpoint, serviceName, version, sampler, ratio, logger } = options;
    const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
    this.#exports = new LogOnChange(logger, {
      failing: 'traces cannot be sent and are lost',
      working: 'traces are sent again',
    });
    const exporter = withFailureLog(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS }), this.#exports);
    this.#provider = new TracerProvider({
      sampler: createSampler(sampler, ratio),
      resource: resourceFromAttributes({
        'service.name': serviceName,
        'service.version': version,
        'service.instance.id': newId(),
      }),
      spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
      spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: 2 * EXPORT_TIMEOUT_MS })],
    });
    this.#backend = this.#provider.getTracer('crescendo', version);
  }

  start(name: string, options: Parameters<Tracer['start']>[1] = {}): Span {
    const { kind = 'internal', attributes = {}, relatedTo } = options;
    const parent = (options.parent as TracedSpan | undefined) ?? this.#active.getStore();
    const spanOptions = { kind: KINDS[kind], attributes, links: linksTo(relatedTo) };
    return new TracedSpan(this.#backend.startSpan(name, spanOptions, parent?.context ?? ROOT_CONTEXT));
  }

  active(): Span | undefined {
    return this.#active.getStore();
  }

  run<T>(span: Span, work: () => T): T {
    return this.#active.run(span as TracedSpan, work);
  }

  /** Sends the remaining spans, unless that takes too long. Never rejects. */
  async stop(): Promise<void> {
    const timedOut = Promise.withResolvers<void>();
    const onTimeout = () => {
      this.#exports.failed({ reason: 'timeout' });
      timedOut.resolve();
    };
    const timer = setTimeout(onTimeout, FLUSH_TIMEOUT_MS);
    await Promise.race([this.#provider.shutdown().catch(() => undefined), timedOut.promise]);
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

/** Any client can send the header, so it is only linked: it neither sets the trace id nor decides about sampling. */
function linksTo(traceparent: string | undefined): Link[] {
  const context = traceparent === undefined ? null : parseTraceParent(traceparent);
  return context ? [{ context: { ...context, isRemote: true } }] : [];
}

function withFailureLog(exporter: OTLPTraceExporter, log: LogOnChange): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) log.worked();
        else log.failed({ reason: errorTypeOf(result.error) });
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}

function createSampler(name: SamplerName, ratio: number): Sampler {
  const root = createRootSampler(name.replace('parentbased_', ''), ratio);
  return name.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function createRootSampler(name: string, ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio);
  return name === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler();
}
