import type { FastifyReply } from 'fastify';
import { AppError } from '../lib/errors.ts';

/**
 * Fires when the caller closed the connection, or the answer was sent. It listens to the response, because
 * Node emits `close` on a request as soon as its body has been read.
 */
export function callerLeftSignal(reply: FastifyReply): AbortSignal {
  const left = new AbortController();
  const leave = () => left.abort(new AppError('caller_left'));
  reply.raw.once('close', leave);
  if (reply.raw.destroyed) leave();
  return left.signal;
}
