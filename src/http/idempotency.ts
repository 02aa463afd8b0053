/**
 * `Idempotency-Key`: a client that does not know whether its request arrived sends it again with the
 * same key and gets the same answer, and nothing happens twice. Honoured on every POST that needs a
 * caller; the answer is kept for a day, per account.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { InvalidInput } from '../lib/errors.ts';
import { hashToken } from '../lib/secrets.ts';

interface KeyedRequest {
  readonly userId: string;
  readonly keyHash: string;
  /** What makes the request this one and not another: its address and its body. */
  readonly requestHash: string;
}

interface StoredAnswer {
  readonly status: number;
  readonly body: string;
}

export interface Answers {
  /** The answer given before, or undefined for whoever came first. Throws for a key of another request, or one still under way. */
  begin(request: KeyedRequest): Promise<StoredAnswer | undefined>;
  keep(request: KeyedRequest, answer: StoredAnswer): Promise<void>;
  forget(request: KeyedRequest): Promise<void>;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while this request holds its key. */
    keyed: KeyedRequest | null;
  }
}

const LONGEST_KEY = 255;

export function answerOnce(app: FastifyInstance, answers: Answers): void {
  app.decorateRequest('keyed', null);

  app.addHook('preHandler', async (request, reply) => {
    const keyed = toKeyed(request);
    if (!keyed) return;
    const earlier = await answers.begin(keyed);
    if (!earlier) {
      request.keyed = keyed;
      return;
    }
    reply.header('idempotent-replayed', 'true').code(earlier.status).type('application/json; charset=utf-8');
    return reply.send(earlier.body);
  });

  // After the answer is made and before it is sent: whoever has read it can rely on its being kept.
  app.addHook('onSend', async (request, reply, payload) => {
    const { keyed } = request;
    if (!keyed) return payload;
    request.keyed = null;
    // What went wrong on our side may go right the next time.
    if (reply.statusCode >= 500 || typeof payload !== 'string') await answers.forget(keyed);
    else await answers.keep(keyed, { status: reply.statusCode, body: payload });
    return payload;
  });
}

function toKeyed(request: FastifyRequest): KeyedRequest | undefined {
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || !request.caller || key === undefined) return undefined;
  if (typeof key !== 'string' || key.length === 0 || key.length > LONGEST_KEY) {
    const msg = `Input should have 1 to ${LONGEST_KEY} characters`;
    throw new InvalidInput({ type: 'value_error', loc: ['header', 'Idempotency-Key'], msg });
  }
  const requestHash = hashToken(JSON.stringify([request.url, request.body ?? null]));
  return { userId: request.caller.userId, keyHash: hashToken(key), requestHash };
}
