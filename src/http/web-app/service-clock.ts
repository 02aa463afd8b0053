import type { Clock } from '../../lib/clock.ts';
import type { Routes } from '../app.ts';

/**
 * Under CLOCK_SPEED, tells the app the time of the service with every answer. The clock of the browser is far behind, so
 * that what is due would seem to lie days ahead.
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
