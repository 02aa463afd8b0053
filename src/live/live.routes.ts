/**
 * Tells the web app that something changed, by server-sent events. It is no part of the API: only the session in the
 * cookie of the app opens a stream, never a bearer token.
 */
import { Readable } from 'node:stream';
import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { extendHandlerTime } from '../http/handler-timeout.ts';
import { usesAppSession } from '../http/web-app/app-session.ts';
import { withJitter } from '../lib/back-off.ts';
import { AppError } from '../lib/errors.ts';
import type { LiveStreams } from './live-streams.ts';

/** After this time the app connects again, perhaps to a process that started since. */
const LONGEST_MS = 3_600_000;
/** With more than this unread, the browser does not read. More messages would say nothing new, since all are alike. */
const MOST_UNREAD_BYTES = 4_096;

const options = {
  schema: { hide: true },
  // A stream lasts as long as a page is open, which would spoil the durations of requests.
  config: { unobserved: true },
  exposeHeadRoute: false,
} as const;

export const liveRoutes =
  (streams: LiveStreams): Routes =>
  (app) => {
    app.get('/app/live', options, async (request, reply) => {
      if (!usesAppSession(request))
        throw new AppError('session_required', { sentence: 'Only the session of the web app can listen for changes.' });
      const messages = new Readable({ read: () => undefined });
      const close = await streams.open(sessionOf(request), {
        write: (text) => void (messages.readableLength < MOST_UNREAD_BYTES && messages.push(text)),
        end: () => void messages.push(null),
      });
      reply.raw.once('close', close);
      if (reply.raw.destroyed) close();
      extendHandlerTime(reply, withJitter(LONGEST_MS, Math.random()));
      return (
        reply
          .type('text/event-stream')
          // A proxy that collects answers would delay every message.
          .header('x-accel-buffering', 'no')
          .header('cache-control', 'no-store')
          // The socket of a stream that ended must not keep a stopping process waiting.
          .header('connection', 'close')
          .send(messages)
      );
    });
  };
