/**
 * `Idempotency-Key`: a client that does not know whether its request arrived sends it again with the same key.
 * It gets the same answer, and nothing happens twice. Applies to every authenticated POST outside of sign-in;
 * the answer is stored for a day, per account.
 *
 * Two kinds of answers are never stored: answers with a secret that is shown once, and answers that are too large. The
 * key of such a request is spent: a repetition is refused, and told that the first request was carried out.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { callerOf } from '../http/authentication.ts';
import { LONGEST_IDEMPOTENCY_KEY } from '../http/openapi.ts';
import { InvalidInput } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { hashToken } from '../lib/secrets.ts';
import type { Keyed, StoredAnswersService } from './stored-answers.service.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while the key is reserved for this request. */
    keyed: Keyed | null;
  }
}

export function addIdempotencyHooks(app: FastifyInstance, answers: StoredAnswersService): void {
  app.decorateRequest('keyed', null);
  app.addHook('onRoute', (route) => {
    if (takesKey(route)) route.config = { ...route.config, takesKey: true };
  });

  app.addHook('preHandler', (request, reply, done) => {
    const isKeyed = request.headers['idempotency-key'] !== undefined && request.route.config.takesKey;
    if (!isKeyed) return done();
    const begin = async () => {
      const keyed = toKeyed(request);
      const earlier = await answers.begin(keyed);
      if (earlier) return replay(reply, earlier);
      request.keyed = keyed;
      return answers.runMarked(keyed, done);
    };
    begin().catch(done);
  });

  // Before the answer is sent: a caller that has received an answer can rely on it being stored.
  app.addHook('onSend', (request, reply, payload, done) => {
    const { keyed } = request;
    if (!keyed) return done();
    request.keyed = null;
    return settle(keyed, reply, payload);
  });

  async function settle(keyed: Keyed, reply: FastifyReply, payload: unknown): Promise<void> {
    const isFinal = !isTemporary(reply) && typeof payload === 'string';
    const isSecret = reply.statusCode < 300 && reply.routeOptions.config.showsSecret === true;
    if (isFinal) await answers.keep(keyed, { status: reply.statusCode, body: isSecret ? null : payload });
    // A request that timed out may still be running: if it ends before its key is free, the work counts.
    else if (reply.refusedWith === 'timed_out') answers.leave(keyed);
    else await answers.release(keyed).catch(() => undefined);
  }
}

function replay(reply: FastifyReply, { status, body }: { status: number; body: string }): void {
  reply.header('idempotent-replayed', 'true').code(status).type('application/json; charset=utf-8').send(body);
}

/** Statuses after which the caller may send the same request again and expect another answer. */
const isTemporary = ({ statusCode, refusedWith }: FastifyReply) =>
  statusCode >= 500 || statusCode === 429 || refusedWith === 'caller_left';

/**
 * Not for sign-in, because its answers contain secrets that are shown once, and not for MCP, because its tools pass the
 * key on to the API call they make.
 */
function takesKey({ method, url, config }: RouteOptions): boolean {
  const isPost = [method].flat().includes('POST') && config?.access !== 'anyone';
  return isPost && !url.startsWith('/mcp') && !url.startsWith('/v1/auth/');
}

function toKeyed(request: FastifyRequest): Keyed {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || key.length === 0 || key.length > LONGEST_IDEMPOTENCY_KEY) {
    const msg = `Input should have 1 to ${LONGEST_IDEMPOTENCY_KEY} characters`;
    throw new InvalidInput({ type: 'value_error', loc: ['header', 'Idempotency-Key'], msg });
  }
  const { url, body } = request;
  const caller = callerOf(request);
  // A session and a token may see different data, so each has its own keys.
  const credential = caller.kind === 'session' ? 'session' : caller.tokenId;
  const keyHash = hashToken(JSON.stringify([credential, key]));
  return {
    userId: caller.userId,
    keyHash,
    requestHash: hashToken(JSON.stringify([url, body ?? null])),
    claim: newId(),
  };
}
