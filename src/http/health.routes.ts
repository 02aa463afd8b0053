import { Type } from 'typebox';
import { AppError } from '../lib/errors.ts';
import { nullable } from '../lib/schema.ts';
import type { Routes } from './app.ts';
import { envelopeOf, ok } from './envelope.ts';

export interface Health {
  readonly version: string;
  /** Rejects when the database does not answer. */
  readonly pingDatabase: () => Promise<void>;
}

/** Shorter than the patience of the usual load balancer. */
const PING_TIMEOUT_MS = 2_000;

const HealthOut = Type.Object({
  status: Type.String(),
  version: Type.String(),
  database: Type.String(),
  engine: Type.Object({
    lag_seconds: nullable(
      Type.Number({ description: 'How late the most overdue nudge is; null while no engine has run.' }),
    ),
    last_sweep_at: nullable(Type.String({ format: 'date-time' })),
  }),
});

export const healthRoutes =
  ({ version, pingDatabase }: Health): Routes =>
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
      },
      async () => {
        await within(PING_TIMEOUT_MS, pingDatabase());
        return ok({ status: 'ok', version, database: 'ok', engine: { lag_seconds: null, last_sweep_at: null } });
      },
    );
  };

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new AppError('database_unavailable', { retryAfterSeconds: 2 })), limitMs);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
