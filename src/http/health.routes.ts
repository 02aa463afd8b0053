import { AppError } from '../lib/errors.ts';
import { nullableInstantOut, Type } from '../lib/schema.ts';
import type { Routes } from './app.ts';
import { envelopeOf, ok } from './envelope.ts';
import type { Health } from './health.ts';
import { API_VERSION } from './openapi.ts';

/** Which installation answers: a doctor compares it with its own database. The id says nothing else. */
export const INSTANCE_HEADER = 'crescendo-instance';
export const RELEASE_HEADER = 'crescendo-release';

const HealthOut = Type.Object({
  status: Type.String({ description: '`ok`; `busy` while requests are refused because of an overload.' }),
  version: Type.String(),
  database: Type.String(),
  engine: Type.Object({
    lag_seconds: Type.Number({ description: 'How many seconds late the most overdue nudge is.' }),
    last_sweep_at: Type.Unsafe<Date | null>({
      ...nullableInstantOut,
      description: 'When the engine of this process last checked for due tasks; null if the process has no engine.',
    }),
  }),
});

export const healthRoutes =
  (release: string, health: Health, instanceId: string): Routes =>
  (app) => {
    app.get(
      '/health',
      {
        schema: {
          operationId: 'health',
          tags: ['service'],
          summary: 'Check the health of the service',
          response: { 200: envelopeOf(HealthOut) },
        },
        config: { refuses: ['engine_late'] },
      },
      async (_request, reply) => {
        reply.header(INSTANCE_HEADER, instanceId).header(RELEASE_HEADER, release);
        const older = health.olderProcesses();
        if (older > 0) reply.header('crescendo-older-processes', older);
        const lag_seconds = await health.check();
        const engine = { lag_seconds, last_sweep_at: health.lastSweepAt() };
        return ok({ status: app.load.isOverloaded ? 'busy' : 'ok', version: API_VERSION, database: 'ok', engine });
      },
    );
    app.get('/health/live', PROBE, async () => ok({ status: 'ok' }));
    app.get('/health/ready', PROBE, async () => {
      await health.check();
      if (app.load.isOverloaded) throw new AppError('overloaded', { retryAfterSeconds: 2 });
      return ok({ status: 'ok' });
    });
  };

/**
 * For orchestrators that ask two questions. Live: the process answers, so restarting it would not help. Ready: it
 * can serve requests now.
 */
const PROBE = { schema: { hide: true } } as const;
