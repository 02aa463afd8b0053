import { type DestinationStream, type Logger, pino } from 'pino';
import { currentRequest } from './current-request.ts';

export type { Logger };

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
    mixin: () => ({ ...currentRequest().log }),
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
