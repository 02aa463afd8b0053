/**
 * GET /metrics, for Prometheus. It has its own token, because no account of the service belongs to the operator.
 * Without METRICS_TOKEN the route does not exist.
 */
import type { Routes } from '../http/app.ts';
import { AppError } from '../lib/errors.ts';
import { isEqualSecret } from '../lib/secrets.ts';
import { OPENMETRICS_TYPE, PROMETHEUS_TYPE, prefersOpenMetrics, toOpenMetrics } from './openmetrics.ts';

export const metricsRoutes =
  (token: string, read: () => Promise<string>): Routes =>
  (app) => {
    app.get('/metrics', { schema: { hide: true }, config: { unobserved: true } }, async ({ headers }, reply) => {
      const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
      if (given === undefined || !isEqualSecret(given, token)) throw new AppError('unauthenticated');
      const text = await read();
      reply.header('cache-control', 'no-store').header('vary', 'accept');
      if (prefersOpenMetrics(headers.accept)) return reply.type(OPENMETRICS_TYPE).send(toOpenMetrics(text));
      return reply.type(PROMETHEUS_TYPE).send(text);
    });
  };
