import type { Clock } from '../../lib/clock.ts';
import type { Routes } from '../app.ts';

/**
 * Under CLOCK_SPEED, tells the app the time of the service with every answer. By the browser's clock, which is far
 * behind, due tasks would seem to be days ahead.
 */
export const tellServiceClock =
  (clock: Clock, speed: number): Routes =>
  (app) => {
    if (speed === 1) return;
    app.addHook('onSend', (_request, reply, _payload, done) => {
      reply.header('x-service-clock', `${clock.now().toISOString()} ${speed}`);
      done();
    });
  };
