/**
 * Calls the service's own REST API in-process with the token, address and protocol of the agent's
 * request. Validation, scopes, limits and the timeline therefore work as for every other caller.
 */
import { text } from 'node:stream/consumers';
import type { FastifyRequest, InjectOptions } from 'fastify';
import { knownCallerOf } from '../http/authentication.ts';
import type { ErrorCode, InputProblem } from '../lib/errors.ts';
import { invalidInput, ToolFailure } from './tool-failure.ts';

interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly payload?: object;
  readonly idempotencyKey?: string | undefined;
}

interface ApiAnswer<T> {
  readonly data: T;
  readonly headers: Readonly<Record<string, unknown>>;
}

export type Api = <T>(request: ApiRequest) => Promise<ApiAnswer<T>>;

/** The proxy headers are evaluated again, by the same trust rules as for the outer request. */
const FORWARDED_HEADERS = ['authorization', 'forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto'];

export function apiFor(outer: FastifyRequest): Api {
  const { server, headers, socket } = outer;
  const known = knownCallerOf(outer);
  const forwarded = Object.fromEntries(
    FORWARDED_HEADERS.flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])),
  );
  // RFC 7240: refuses a recurrence that is not understood. Otherwise an assistant would tell its user that it repeats.
  const own = { ...forwarded, prefer: 'handling=strict' };
  const remoteAddress = socket.remoteAddress ?? '127.0.0.1';
  return async <T>({ method = 'GET', url, payload, idempotencyKey }: ApiRequest) => {
    const ownHeaders = idempotencyKey === undefined ? own : { ...own, 'idempotency-key': idempotencyKey };
    const request: InjectOptions = { method, url, headers: ownHeaders, remoteAddress, ...(payload && { payload }) };
    // A payload that is kept with the response outlives the young generation: a batch of lists then costs a full
    // garbage collection, 20 ms during which nobody is served, every two seconds.
    const response = await server.inProcessCalls.call(server, known, { ...request, payloadAsStream: true });
    const body = JSON.parse(await text(response.stream())) as Body<T>;
    if (response.statusCode !== 200) throw toFailure(body, response.headers);
    return { data: body.data as T, headers: response.headers };
  };
}

interface Body<T> {
  readonly data?: T;
  readonly error?: string;
  readonly detail?: readonly InputProblem[];
}

function toFailure({ detail, error = '' }: Body<unknown>, headers: Readonly<Record<string, unknown>>): ToolFailure {
  if (detail) return invalidInput(detail);
  const missingScope = / scope="([^"]+)"/.exec(String(headers['www-authenticate']))?.[1];
  return failureOf(error, Number(headers['retry-after']) || undefined, missingScope);
}

/** `code: sentence`, as answers have it. */
export function failureOf(error: string, retryAfterSeconds?: number, missingScope?: string): ToolFailure {
  const [, code, sentence = ''] = /^(\w+): (.*)$/s.exec(error) ?? [];
  return new ToolFailure((code ?? 'internal') as ErrorCode, sentence, retryAfterSeconds, missingScope);
}

export const taskPath = (id: string, action = ''): string => `/v1/tasks/${encodeURIComponent(id)}${action}`;
