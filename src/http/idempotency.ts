/**
 * `Idempotency-Key`: a client that does not know whether its request arrived sends it again with the
 * same key and gets the same answer, and nothing happens twice. Honoured on every POST that needs a
 * caller, outside of sign-in; the answer is kept for a day, per account.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { InvalidInput } from '../lib/errors.ts';
import { hashToken } from '../lib/secrets.ts';
import { callerOf } from './authentication.ts';

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
  /** Runs the request so that the first thing it commits also notes that the key was used. */
  marking(request: KeyedRequest, run: () => void): void;
  keep(request: KeyedRequest, answer: StoredAnswer): Promise<void>;
  /** Gives the key back, unless something was committed under it. */
  release(request: KeyedRequest): Promise<void>;
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

  app.addHook('preHandler', (request, reply, done) => {
    if (!isKeyed(request)) return done();
    const begin = async () => {
      const keyed = toKeyed(request);
      const earlier = await answers.begin(keyed);
      if (earlier) return replay(reply, earlier);
      request.keyed = keyed;
      return answers.marking(keyed, done);
    };
    begin().catch(done);
  });

  // After the answer is made and before it is sent: whoever has read it can rely on its being kept.
  app.addHook('onSend', async (request, reply, payload) => {
    const { keyed } = request;
    if (!keyed) return payload;
    request.keyed = null;
    const isFinal = reply.statusCode < 500 && reply.statusCode !== 429 && typeof payload === 'string';
    if (isFinal) await answers.keep(keyed, { status: reply.statusCode, body: payload });
    // Given up on, the request may still be at work: its key stays taken until it surely is not.
    else if (reply.refusedWith !== 'timed_out') await answers.release(keyed).catch(() => undefined);
    return payload;
  });
}

function replay(reply: FastifyReply, { status, body }: StoredAnswer): void {
  reply.header('idempotent-replayed', 'true').code(status).type('application/json; charset=utf-8').send(body);
}

/**
 * Signing in is left out: what it answers, a second factor's secret among it, is given once. So is
 * MCP, whose tools hand a key on to the call it is meant for.
 */
function isKeyed({ method, caller, headers, routeOptions: { url = '' } }: FastifyRequest): boolean {
  const isPost = method === 'POST' && caller !== null && url !== '/mcp' && !url.startsWith('/v1/auth/');
  return isPost && headers['idempotency-key'] !== undefined;
}

function toKeyed(request: FastifyRequest): KeyedRequest {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || key.length === 0 || key.length > LONGEST_KEY) {
    const msg = `Input should have 1 to ${LONGEST_KEY} characters`;
    throw new InvalidInput({ type: 'value_error', loc: ['header', 'Idempotency-Key'], msg });
  }
  const { url, body } = request;
  const caller = callerOf(request);
  // A session and a token may see different things, so each has its own keys.
  const asWho = caller.kind === 'session' ? 'session' : caller.tokenId;
  const keyHash = hashToken(JSON.stringify([asWho, key]));
  return { userId: caller.userId, keyHash, requestHash: hashToken(JSON.stringify([url, body ?? null])) };
}
