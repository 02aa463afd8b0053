/**
 * Sends requests over HTTP/1.1 keep-alive connections: to FCM, to Google's token endpoint, to push services and to the
 * servers behind channels.
 *
 * Redirects are returned like any other answer and never followed. The status line decides: a body that is
 * too long, too slow or incomplete does not turn the answer into a failure.
 */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { PushError } from './push-error.ts';

const REQUEST_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 60_000;
const MAX_BODY_BYTES = 16_384;
// `lifo` reuses the most recent connection, so the extra connections of a burst become idle and close.
const AGENT_OPTIONS = { keepAlive: true, scheduling: 'lifo', timeout: IDLE_TIMEOUT_MS } as const;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Post {
  /** POST by default. */
  readonly method?: Method | undefined;
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

  /** Rejects with `PushError` if there is no answer. */
  async post(url: URL, post: Post, signal?: AbortSignal): Promise<Answer> {
    const request = this.#open(url, post);
    try {
      return await this.#transmit(request, post.body, signal);
    } catch (error) {
      if (!usedStaleConnection(request, error)) throw error;
      return this.#transmit(this.#open(url, post), post.body, signal);
    }
  }

  #open(url: URL, { method = 'POST', headers, body, lookup }: Post): ClientRequest {
    // A destroyed agent would still open connections.
    if (this.#isClosed) throw new PushError({ kind: 'retry', reason: 'closed' });
    const options = {
      method,
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      ...(lookup && { lookup }),
    };
    if (url.protocol === 'http:') return httpRequest(url, { ...options, agent: this.#plain });
    return httpsRequest(url, { ...options, agent: this.#secure });
  }

  #transmit(request: ClientRequest, body: string | Buffer, signal: AbortSignal | undefined): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const cancel = () => request.destroy(new PushError({ kind: 'retry', reason: 'timeout' }));
    const timer = setTimeout(cancel, this.#timeoutMs);
    signal?.addEventListener('abort', cancel, { once: true });
    const hasAnswer = readAnswer(request, resolve);
    request.on('error', (error) => hasAnswer() || reject(toPushError(error)));
    request.once('close', () => hasAnswer() || reject(toPushError(undefined)));
    if (signal?.aborted) cancel();
    else request.end(body);
    return promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    });
  }

  /** Breaks all connections, so posts in flight reject. */
  close(): void {
    this.#isClosed = true;
    this.#plain.destroy();
    this.#secure.destroy();
  }
}

/** Resolves with the answer when its body has ended or was cut off. The returned function says if the answer began. */
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
      if (size > MAX_BODY_BYTES) response.destroy();
    });
    response.on('error', () => undefined);
    response.once('close', () => resolve({ status: statusCode, headers, body: Buffer.concat(chunks).toString() }));
  });
  return () => hasBegun;
}

/**
 * The server may close an idle connection at the moment it is reused. The retry on a new connection can
 * deliver a push twice. The user does not see that, because the second push replaces the first.
 */
const usedStaleConnection = (request: ClientRequest, error: unknown): boolean =>
  request.reusedSocket && error instanceof PushError && codeOf(error.cause) === 'ECONNRESET';

function toPushError(error: Error | undefined): PushError {
  if (error instanceof PushError) return error;
  const reason = codeOf(error)?.toLowerCase() ?? 'no_answer';
  return new PushError({ kind: 'retry', reason }, error);
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;
