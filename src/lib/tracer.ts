/**
 * The interface for traces. Without tracing there is no tracer, and tracing costs nothing.
 *
 * A span contains the kind of work and its result, never text that a user wrote.
 */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  readonly traceId: string;
  set(attributes: Attributes): void;
  /** A failed span gets the type of the error, not its message, which may contain private text. */
  end(errorType?: string): void;
}

interface SpanOptions {
  readonly kind?: 'server' | 'client' | 'internal';
  readonly attributes?: Attributes;
  /** By default the active span. */
  readonly parent?: Span | undefined;
  /** A `traceparent` header of the caller. It is recorded as a link and does not affect sampling. */
  readonly relatedTo?: string | undefined;
}

export interface Tracer {
  start(name: string, options?: SpanOptions): Span;
  /** The span of the code that calls this. */
  active(): Span | undefined;
  run<T>(span: Span, work: () => T): T;
}

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
