/**
 * API calls that the service makes in-process to answer a request, as the caller of that request. Each call carries a
 * random id in a header, and the id stands for the caller only while the call runs, so a client cannot forge one.
 */
import { randomUUID } from 'node:crypto';
import type { FastifyInstance, FastifyRequest, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Caller } from '../lib/caller.ts';

const HEADER = 'x-crescendo-call';

export interface KnownCaller {
  readonly caller: Caller;
  /** When the token of the caller was looked up last, in milliseconds. */
  foundAt: number;
}

export class InProcessCalls {
  readonly #callers = new Map<string, KnownCaller>();

  async call(app: FastifyInstance, known: KnownCaller, options: InjectOptions): Promise<LightMyRequestResponse> {
    const id = randomUUID();
    this.#callers.set(id, known);
    try {
      return await app.inject({ ...options, headers: { ...options.headers, [HEADER]: id } });
    } finally {
      this.#callers.delete(id);
    }
  }

  /** Undefined for a request from outside. */
  findCaller({ headers }: FastifyRequest): KnownCaller | undefined {
    const id = headers[HEADER];
    return typeof id === 'string' ? this.#callers.get(id) : undefined;
  }
}
