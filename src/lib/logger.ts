import { type Logger, pino } from 'pino';

export type { Logger };

/** Structured lines on standard output, one JSON object each. Callers never pass a secret. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
}
