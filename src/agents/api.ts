/**
 * The service's own API, called in-process as the agent itself: its token, its address, its
 * protocol. So validation, scopes, limits and the timeline are those of every other caller.
 */
import type { FastifyRequest, InjectOptions } from 'fastify';
import type { ErrorCode, InputProblem } from '../lib/errors.ts';
import { invalidInput, ToolFailure } from './tool-failure.ts';

interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH';
  readonly url: string;
  readonly payload?: object;
  readonly idempotencyKey?: string | undefined;
}

interface ApiAnswer<T> {
  readonly data: T;
  readonly headers: Readonly<Record<string, unknown>>;
}

export type Api = <T>(request: ApiRequest) => Promise<ApiAnswer<T>>;

/** What tells a proxy's client from the proxy; whether it is believed is decided as it was for the outer request. */
const HANDED_ON = ['authorization', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

export function apiFor({ server, headers, socket }: FastifyRequest): Api {
  const own = Object.fromEntries(HANDED_ON.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));
  const remoteAddress = socket.remoteAddress ?? '127.0.0.1';
  return async <T>({ method = 'GET', url, payload, idempotencyKey }: ApiRequest) => {
    const keyed = idempotencyKey === undefined ? own : { ...own, 'idempotency-key': idempotencyKey };
    const request = { method, url, headers: keyed, remoteAddress, ...(payload && { payload }) } as InjectOptions;
    const response = await server.inject(request);
    const body = JSON.parse(response.payload) as Body<T>;
    if (response.statusCode !== 200) throw toFailure(body, response.headers['retry-after']);
    return { data: body.data as T, headers: response.headers };
  };
}

interface Body<T> {
  readonly data?: T;
  readonly error?: string;
  readonly detail?: readonly InputProblem[];
}

function toFailure({ detail, error = '' }: Body<unknown>, retryAfter: unknown): ToolFailure {
  if (detail) return invalidInput(detail);
  const [, code, sentence = ''] = /^(\w+): (.*)$/s.exec(error) ?? [];
  return new ToolFailure((code ?? 'internal') as ErrorCode, sentence, Number(retryAfter) || undefined);
}
