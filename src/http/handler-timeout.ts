/**
 * Refuses a request whose handler takes too long, so that the caller gets an answer and the connection is
 * free again.
 *
 * Fastify's own limit does not work for requests with a body: it stops at the `close` event of the request,
 * which Node emits as soon as the body has been read.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { sendFailure } from './failures.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Runs from the request until the connection is done with the answer. */
    handlerTimer: NodeJS.Timeout | null;
  }
}

export function limitHandlerTime(app: FastifyInstance, limitMs: number): void {
  app.decorateReply('handlerTimer', null);
  app.addHook('onRequest', (request, reply, done) => {
    setTimer(reply, request.route.handlerTimeout || limitMs);
    reply.raw.on('close', () => clearTimer(reply));
    done();
  });
}

/** Starts the time again with another limit, for an answer that takes as long as its reader. */
export function extendHandlerTime(reply: FastifyReply, limitMs: number): void {
  clearTimer(reply);
  if (!reply.raw.destroyed) setTimer(reply, limitMs);
}

function setTimer(reply: FastifyReply, limitMs: number): void {
  reply.handlerTimer = setTimeout(timeOut, limitMs, reply);
}

function clearTimer({ handlerTimer }: FastifyReply): void {
  if (handlerTimer) clearTimeout(handlerTimer);
}

function timeOut(reply: FastifyReply): void {
  if (reply.sent) return;
  // After the headers it is too late for an error answer. Cutting the connection shows that the answer is incomplete.
  if (reply.raw.headersSent) reply.raw.destroy();
  else sendFailure(new AppError('timed_out'), reply.request, reply);
}
