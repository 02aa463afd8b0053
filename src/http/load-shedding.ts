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
  const sampling = setInterval(() => {
    // No reading since the last look says nothing either way.
    if (delay.count > 0) isTooBusy = delay.mean / 1e6 - RESOLUTION_MS > maxDelayMs;
    delay.reset();
  }, SAMPLE_EVERY_MS).unref();

  // Measuring begins with the first request that could be late: loading the program is no load.
  app.addHook('onReady', async () => void delay.enable());
  app.addHook('onClose', async () => {
    clearInterval(sampling);
    delay.disable();
  });
  app.addHook('onRequest', async (request) => {
    // A health check must tell a busy process from a dead one.
    if (isTooBusy && request.routeOptions.url !== '/health') throw new AppError('overloaded', { retryAfterSeconds: 2 });
  });
}
