/**
 * How a part of the service lets whoever runs it see a piece of work in a trace. Where tracing is off
 * there is no tracer, and nothing of this costs anything.
 *
 * A span tells what kind of work it was and what became of it; never what a person wrote.
 */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  readonly traceId: string;
  set(attributes: Attributes): void;
  /** With the kind of error where it failed: its words may repeat what nobody else should read. */
  end(errorType?: string): void;
}

interface SpanOptions {
  readonly kind?: 'server' | 'client' | 'internal';
  readonly attributes?: Attributes;
  /** Otherwise the one in which it begins. */
  readonly parent?: Span | undefined;
  /** A `traceparent` from outside. It is remembered as related; it decides nothing here. */
  readonly relatedTo?: string | undefined;
}

export interface Tracer {
  start(name: string, options?: SpanOptions): Span;
  /** The span in which this is called. */
  active(): Span | undefined;
  run<T>(span: Span, work: () => T): T;
}

/** Does the work as a span of its own. */
export async function inSpan<T>(
  tracer: Tracer,
  name: string,
  options: SpanOptions,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const span = tracer.start(name, options);
  try {
    const result = await tracer.run(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(errorTypeOf(error));
    throw error;
  }
}

export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
