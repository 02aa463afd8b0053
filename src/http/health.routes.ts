import { Type } from 'typebox';
import { nullableInstantOut } from '../lib/schema.ts';
import type { Routes } from './app.ts';
import { envelopeOf, ok } from './envelope.ts';
import type { Health } from './health.ts';

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
  (version: string, health: Health): Routes =>
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
        config: { refuses: ['engine_late'], alwaysAnswered: true },
      },
      async () => {
        const lag_seconds = await health.judge();
        const engine = { lag_seconds, last_sweep_at: health.lastSweepAt() };
        return ok({ status: 'ok', version, database: 'ok', engine });
      },
    );
  };
