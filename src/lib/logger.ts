import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Structured lines on standard output, one JSON object each. Callers never pass a secret. */
export function createLogger(level: string, destination: DestinationStream = pino.destination(1)): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, destination);
}
