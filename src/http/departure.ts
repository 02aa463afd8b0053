import type { FastifyReply } from 'fastify';
import { AppError } from '../lib/errors.ts';

/**
 * Fires once nobody waits for this answer any more: its reader hung up, or it is out. Asked of the
 * answer, since Node calls a request closed as soon as its body has been read. Its reason is one that
 * nobody reads and no log tells of; an Idempotency-Key is given back with it.
 */
export function departureOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const leave = () => gone.abort(new AppError('overloaded', { sentence: 'Nobody waits for this any more.' }));
  reply.raw.once('close', leave);
  if (reply.raw.destroyed) leave();
  return gone.signal;
}
