/**
 * POST over kept-alive connections of HTTP/1.1: to FCM, to Google's token endpoint, to push services.
 *
 * Redirects are answers like any other and never followed. An answer counts from its status line on:
 * a body that is too long, too slow or breaks off does not take back what the status said.
 */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Undelivered } from './undelivered.ts';

const REQUEST_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 60_000;
const LONGEST_BODY_BYTES = 16_384;
// The most recently used connection first: those of a burst that nobody needs any more fall idle and close.
const AGENT_OPTIONS = { keepAlive: true, scheduling: 'lifo', timeout: IDLE_TIMEOUT_MS } as const;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  readonly lookup?: LookupFunction | undefined;
}

export class HttpSender {
  readonly #timeoutMs: number;
  readonly #plain = new HttpAgent(AGENT_OPTIONS);
  readonly #secure = new HttpsAgent(AGENT_OPTIONS);
  #isClosed = false;

  constructor(timeoutMs = REQUEST_TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects with `Undelivered` where no answer came. */
  async post(url: URL, post: Post, signal?: AbortSignal): Promise<Answer> {
    const request = this.#open(url, post);
    try {
      return await this.#exchange(request, post.body, signal);
    } catch (error) {
      if (!wasStale(request, error)) throw error;
      return this.#exchange(this.#open(url, post), post.body, signal);
    }
  }

  #open(url: URL, { headers, body, lookup }: Post): ClientRequest {
    // An agent that was destroyed would still connect.
    if (this.#isClosed) throw new Undelivered({ kind: 'retry', reason: 'closed' });
    const options = {
      method: 'POST',
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      ...(lookup && { lookup }),
    };
    if (url.protocol === 'http:') return httpRequest(url, { ...options, agent: this.#plain });
    return httpsRequest(url, { ...options, agent: this.#secure });
  }

  #exchange(request: ClientRequest, body: string | Buffer, signal: AbortSignal | undefined): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const giveUp = () => request.destroy(new Undelivered({ kind: 'retry', reason: 'timeout' }));
    const timer = setTimeout(giveUp, this.#timeoutMs);
    signal?.addEventListener('abort', giveUp, { once: true });
    const answered = readAnswer(request, resolve);
    request.on('error', (error) => answered() || reject(toUndelivered(error)));
    request.once('close', () => answered() || reject(toUndelivered(undefined)));
    if (signal?.aborted) giveUp();
    else request.end(body);
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    });
  }

  /** Connections under way break off, and their posts reject. */
  close(): void {
    this.#isClosed = true;
    this.#plain.destroy();
    this.#secure.destroy();
  }
}

/** Hands over the answer when it is complete or can not become so; returns whether one has begun. */
function readAnswer(request: ClientRequest, resolve: (answer: Answer) => void): () => boolean {
  let hasBegun = false;
  request.once('response', (response) => {
    hasBegun = true;
    const { statusCode = 0, headers } = response;
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > LONGEST_BODY_BYTES) response.destroy();
    });
    response.on('error', () => undefined);
    response.once('close', () => resolve({ status: statusCode, headers, body: Buffer.concat(chunks).toString() }));
  });
  return () => hasBegun;
}

/**
 * The server may close a kept connection in the moment it is used again. Trying another one can
 * deliver a push twice, which nobody sees: it replaces itself.
 */
const wasStale = (request: ClientRequest, error: unknown): boolean =>
  request.reusedSocket && error instanceof Undelivered && error.message === 'retry: econnreset';

function toUndelivered(error: Error | undefined): Undelivered {
  if (error instanceof Undelivered) return error;
  const code = error && 'code' in error ? String(error.code).toLowerCase() : 'no_answer';
  return new Undelivered({ kind: 'retry', reason: code }, error);
}
