/**
 * Refuses a request whose handler takes too long, so that the caller gets an answer and the connection is
 * free again.
 *
 * Fastify's own limit does not work for requests with a body: it stops at the `close` event of the request,
 * which Node emits as soon as the body has been read.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../lib/errors.ts';
import { sendFailure } from './failures.ts';

const timers = new WeakMap<object, NodeJS.Timeout>();

export function limitHandlerTime(app: FastifyInstance, limitMs: number): void {
  app.addHook('onRequest', (request, reply, done) => {
    setTimer(reply, request.routeOptions.handlerTimeout || limitMs);
    reply.raw.once('close', () => clearTimeout(timers.get(reply.raw)));
    done();
  });
}

/** Starts the time again with another limit, for an answer that takes as long as its reader. */
export function extendHandlerTime(reply: FastifyReply, limitMs: number): void {
  clearTimeout(timers.get(reply.raw));
  if (!reply.raw.destroyed) setTimer(reply, limitMs);
}

function setTimer(reply: FastifyReply, limitMs: number): void {
  timers.set(
    reply.raw,
    setTimeout(() => timeOut(reply.request, reply), limitMs),
  );
}

function timeOut(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent) return;
  // After the headers it is too late for an error answer. Cutting the connection shows that the answer is incomplete.
  if (reply.raw.headersSent) reply.raw.destroy();
  else sendFailure(new AppError('timed_out'), request, reply);
}
