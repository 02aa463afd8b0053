/**
 * Gives an answer up that takes too long, so that a caller knows and the connection is free again.
 *
 * Fastify has a limit of its own, but ends it with the `close` of the request, which Node emits as
 * soon as the body has been read: a request with a body would never be given up.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { sendFailure } from './failures.ts';

export function limitAnswers(app: FastifyInstance, limitMs: number): void {
  app.addHook('onRequest', (request, reply, done) => {
    const timer = setTimeout(() => giveUp(request, reply), request.routeOptions.handlerTimeout || limitMs);
    reply.raw.once('close', () => clearTimeout(timer));
    done();
  });
}

function giveUp(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent) return;
  // An answer that has begun cannot become a refusal any more; cut off, it cannot be taken for a whole one.
  if (reply.raw.headersSent) reply.raw.destroy();
  else sendFailure(new AppError('timed_out'), request, reply);
}
