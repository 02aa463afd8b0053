/** Requests with an Idempotency-Key: the hooks of the service around a handler, without HTTP. */
import type { FastifyInstance } from 'fastify';
import { addIdempotencyHooks } from '../../src/idempotency/idempotency-hooks.ts';
import type { StoredAnswersService } from '../../src/idempotency/stored-answers.service.ts';
import type { Caller } from '../../src/lib/caller.ts';
import { AppError, type ErrorCode, errorCatalogue } from '../../src/lib/errors.ts';

export interface KeyedRequest {
  readonly caller: Caller;
  readonly key: string;
  readonly url: string;
  readonly body: unknown;
}

/** What a client gets. `value` is what the handler returned; undefined if the answer was stored before. */
export interface KeyedAnswer<T> {
  readonly text: string;
  readonly value: T | undefined;
}

type Hook = (request: object, reply: object, ...rest: unknown[]) => unknown;

export function keyedRequests(answers: StoredAnswersService) {
  const hooks = new Map<string, Hook>();
  const app = { decorateRequest: () => app, addHook: (name: string, hook: Hook) => hooks.set(name, hook) };
  addIdempotencyHooks(app as unknown as FastifyInstance, answers);
  return <T>({ caller, key, url, body }: KeyedRequest, handle: () => Promise<T>): Promise<KeyedAnswer<T>> => {
    const route = { config: { takesKey: true } };
    const request = { caller, url, body, headers: { 'idempotency-key': key }, route, keyed: null };
    const reply = { statusCode: 200, routeOptions: route, refusedWith: undefined };
    const send = async (text: string) => {
      await hooks.get('onSend')?.(request, reply, text, () => undefined);
      return text;
    };
    const answer = async (): Promise<KeyedAnswer<T>> => {
      try {
        const value = await handle();
        return { value, text: await send(JSON.stringify({ value })) };
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        reply.statusCode = errorCatalogue[error.code].status;
        await send(JSON.stringify({ refusal: error.code }));
        throw error;
      }
    };
    const { promise, resolve, reject } = Promise.withResolvers<KeyedAnswer<T>>();
    const replay = (text: string) => {
      const { refusal } = JSON.parse(text) as { refusal?: ErrorCode };
      if (refusal === undefined) resolve({ value: undefined, text });
      else reject(new AppError(refusal));
    };
    const replaying = { header: () => replaying, code: () => replaying, type: () => replaying, send: replay };
    hooks.get('preHandler')?.(request, Object.assign(reply, replaying), (error?: Error) =>
      error ? reject(error) : resolve(answer()),
    );
    return promise;
  };
}
