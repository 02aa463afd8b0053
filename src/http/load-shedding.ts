/**
 * Turns new requests away while the process cannot keep up, so that those under way finish and a
 * load balancer looks elsewhere. Measured by how late the event loop is on average.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../lib/errors.ts';

const RESOLUTION_MS = 20;
const SAMPLE_EVERY_MS = 500;

export function turnAwayUnderLoad(app: FastifyInstance, maxDelayMs: number): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let isTooBusy = false;
  const sample = () => {
    // No reading since the last look says nothing either way.
    if (delay.count === 0) return;
    const delay_ms = Math.round(delay.mean / 1e6 - RESOLUTION_MS);
    const wasTooBusy = isTooBusy;
    isTooBusy = delay_ms > maxDelayMs;
    delay.reset();
    if (isTooBusy && !wasTooBusy) app.log.warn({ delay_ms }, 'requests are turned away: the process cannot keep up');
    if (!isTooBusy && wasTooBusy) app.log.info({ delay_ms }, 'requests are taken again');
  };
  const sampling = setInterval(sample, SAMPLE_EVERY_MS).unref();

  // Measuring begins with the first request that could be late: loading the program is no load.
  app.addHook('onReady', async () => void delay.enable());
  app.addHook('onClose', async () => {
    clearInterval(sampling);
    delay.disable();
  });
  app.addHook('onRequest', async (request) => {
    // A health check must tell a busy process from a dead one.
    if (isTooBusy && !request.routeOptions.config.alwaysAnswered)
      throw new AppError('overloaded', { retryAfterSeconds: 2 });
  });
}
