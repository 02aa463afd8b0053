import { Type } from 'typebox';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { nullableInstantOut } from '../lib/schema.ts';
import type { Routes } from './app.ts';
import { envelopeOf, ok } from './envelope.ts';

export interface Health {
  readonly version: string;
  /** Rejects when the database does not answer. */
  readonly pingDatabase: () => Promise<void>;
  /** What reminders live by, and when the next of them is due: any process can tell whether it is late. */
  readonly clock: Clock;
  readonly findNextFireAt: () => Promise<Date | null>;
  /** Null where this process has no engine. */
  readonly lastSweepAt: () => Date | null;
}

/** A reminder that comes later than this is a fault that somebody must hear of. */
const LATE_SECONDS = 60;

/** Shorter than the patience of the usual load balancer. */
const PING_TIMEOUT_MS = 2_000;

const HealthOut = Type.Object({
  status: Type.String(),
  version: Type.String(),
  database: Type.String(),
  engine: Type.Object({
    lag_seconds: Type.Number({ description: 'How late the most overdue nudge is.' }),
    last_sweep_at: Type.Unsafe<Date | null>({
      ...nullableInstantOut,
      description: 'When the engine of this process looked last; null where it has none.',
    }),
  }),
});

export const healthRoutes =
  ({ version, pingDatabase, clock, findNextFireAt, lastSweepAt }: Health): Routes =>
  (app) => {
    app.get(
      '/health',
      {
        schema: {
          operationId: 'health',
          tags: ['service'],
          summary: 'Tell whether the service can do its work',
          response: { 200: envelopeOf(HealthOut) },
        },
        config: { refuses: ['engine_late'] },
      },
      async () => {
        await within(PING_TIMEOUT_MS, pingDatabase());
        const next = await within(PING_TIMEOUT_MS, findNextFireAt());
        const lag_seconds = Math.max(0, clock.now().getTime() - (next?.getTime() ?? Number.POSITIVE_INFINITY)) / 1_000;
        if (lag_seconds > LATE_SECONDS) throw new AppError('engine_late');
        return ok({ status: 'ok', version, database: 'ok', engine: { lag_seconds, last_sweep_at: lastSweepAt() } });
      },
    );
  };

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new AppError('database_unavailable', { retryAfterSeconds: 2 })), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
