/**
 * Refuses new requests while the process is overloaded, so that the requests in progress finish and a load
 * balancer uses another process. Overload is measured as the mean delay of the event loop.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { LogOnChange } from '../lib/log-on-change.ts';
import type { Logger } from '../lib/logger.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Answered even under overload: for the routes of monitoring. */
    neverShed?: true;
  }
}

const RESOLUTION_MS = 20;
const SAMPLE_EVERY_MS = 500;

export function shedLoad(app: FastifyInstance, maxDelayMs: number): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const log = new LogOnChange(app.log as Logger, {
    failing: 'refusing requests: the process cannot keep up',
    working: 'accepting requests again',
  });
  let isOverloaded = false;
  const sample = () => {
    // Without a measurement since the last sample the state stays as it is.
    if (delay.count === 0) return;
    const delay_ms = Math.round(delay.mean / 1e6 - RESOLUTION_MS);
    isOverloaded = delay_ms > maxDelayMs;
    delay.reset();
    if (isOverloaded) log.failed({ delay_ms });
    else log.worked({ delay_ms });
  };
  const sampling = setInterval(sample, SAMPLE_EVERY_MS).unref();

  // Measuring starts when the server is ready, because loading the program blocks the event loop too.
  app.addHook('onReady', async () => void delay.enable());
  app.addHook('onClose', async () => {
    clearInterval(sampling);
    delay.disable();
  });
  app.addHook('onRequest', async (request) => {
    // A health check must be able to tell an overloaded process from a dead one.
    if (isOverloaded && !request.routeOptions.config.neverShed)
      throw new AppError('overloaded', { retryAfterSeconds: 2 });
  });
}
