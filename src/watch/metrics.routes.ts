/**
 * GET /metrics, for Prometheus and its kin. It has a token of its own, since no account of the service
 * speaks for whoever runs it. Where METRICS_TOKEN is not set there is no such address.
 */
import type { Routes } from '../http/app.ts';
import { AppError } from '../lib/errors.ts';
import { isEqualSecret } from '../lib/secrets.ts';
import { OPENMETRICS_TYPE, PROMETHEUS_TYPE, toOpenMetrics, wantsOpenMetrics } from './exposition.ts';

export const metricsRoutes =
  (token: string, read: () => Promise<string>): Routes =>
  (app) => {
    app.get(
      '/metrics',
      { schema: { hide: true }, config: { alwaysAnswered: true, unwatched: true } },
      async ({ headers }, reply) => {
        const [, given] = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
        if (given === undefined || !isEqualSecret(given, token)) throw new AppError('unauthenticated');
        const text = await read();
        reply.header('cache-control', 'no-store').header('vary', 'accept');
        if (wantsOpenMetrics(headers.accept)) return reply.type(OPENMETRICS_TYPE).send(toOpenMetrics(text));
        return reply.type(PROMETHEUS_TYPE).send(text);
      },
    );
  };
