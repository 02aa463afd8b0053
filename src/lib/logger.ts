import { AsyncLocalStorage } from 'node:async_hooks';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Fields of every line that is logged while a request is handled, however deep in the code. */
export interface LogContext {
  readonly request_id: string;
  readonly task_id?: string;
  /** Set once the caller is authenticated. */
  user_id?: string;
  /** Set if the request is traced. */
  trace_id?: string;
}

const logContexts = new AsyncLocalStorage<LogContext>();

export const withLogContext = (context: LogContext, run: () => void): void => logContexts.run(context, run);

/**
 * Structured lines on standard output, one JSON object each. Callers never pass a secret, nor text that a
 * user wrote.
 */
export function createLogger(level: string, destination: DestinationStream = pino.destination(1)): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    mixin: () => ({ ...logContexts.getStore() }),
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination);
}

/** Pino's serialiser copies every property of an error, and some errors contain a whole connection with its keys. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { name, message, stack, cause } = error;
  const code = 'code' in error ? error.code : undefined;
  return { name, message, code, stack, ...(cause !== undefined && { cause: describeError(cause) }) };
}
