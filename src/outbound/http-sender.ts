/**
 * Sends requests over HTTP/1.1 keep-alive connections, which are looked up in one way and belong to this sender alone. A
 * connection is not looked up again when it is reused, so a sender for addresses that somebody chose is never shared
 * with trusted calls: `GuardedHttp` has senders of its own.
 *
 * Redirects are returned like any other answer and never followed. The status line decides: a body that is
 * too long, too slow or incomplete does not turn the answer into a failure.
 */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { OutboundError } from './outbound-error.ts';

const REQUEST_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 60_000;
const MAX_BODY_BYTES = 16_384;
// `lifo` reuses the most recent connection, so the extra connections of a burst become idle and close.
const POOL = { keepAlive: true, scheduling: 'lifo', timeout: IDLE_TIMEOUT_MS } as const;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body was too long, too slow or broken off, so only its beginning is here. */
  readonly isCut?: true;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Post {
  /** POST by default. */
  readonly method?: Method | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface SenderOptions {
  readonly timeoutMs?: number | undefined;
  /** An answer is cut off after this much. */
  readonly maxBodyBytes?: number | undefined;
  /** False for hosts that are asked once in a while: nothing stays open between two requests. */
  readonly keepsConnections?: boolean | undefined;
  /** How names are looked up; as Node.js does by default. */
  readonly lookup?: LookupFunction | undefined;
  /** Set by tests only: the certificates that are trusted. */
  readonly ca?: string | undefined;
}

export class HttpSender {
  readonly #timeoutMs: number;
  readonly #maxBodyBytes: number;
  readonly #connection: Pick<SenderOptions, 'lookup' | 'ca'>;
  readonly #plain: HttpAgent;
  readonly #secure: HttpsAgent;
  #isClosed = false;

  constructor({ timeoutMs, maxBodyBytes, keepsConnections = true, lookup, ca }: SenderOptions = {}) {
    this.#timeoutMs = timeoutMs ?? REQUEST_TIMEOUT_MS;
    this.#maxBodyBytes = maxBodyBytes ?? MAX_BODY_BYTES;
    this.#connection = { ...(lookup && { lookup }), ...(ca !== undefined && { ca }) };
    this.#plain = new HttpAgent(keepsConnections ? POOL : {});
    this.#secure = new HttpsAgent(keepsConnections ? POOL : {});
  }

  /** Rejects with `OutboundError` if there is no answer. */
  async post(url: URL, post: Post, signal?: AbortSignal): Promise<Answer> {
    const request = this.#open(url, post);
    try {
      return await this.#transmit(request, post.body, signal);
    } catch (error) {
      if (!usedStaleConnection(request, error)) throw error;
      return this.#transmit(this.#open(url, post), post.body, signal);
    }
  }

  #open(url: URL, { method = 'POST', headers, body }: Post): ClientRequest {
    // A destroyed agent would still open connections.
    if (this.#isClosed) throw new OutboundError('closed');
    const options = {
      method,
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
      ...this.#connection,
    };
    if (url.protocol === 'http:') return httpRequest(url, { ...options, agent: this.#plain });
    return httpsRequest(url, { ...options, agent: this.#secure });
  }

  #transmit(request: ClientRequest, body: string | Buffer, signal: AbortSignal | undefined): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const cancel = () => request.destroy(new OutboundError('timeout'));
    const timer = setTimeout(cancel, this.#timeoutMs);
    signal?.addEventListener('abort', cancel, { once: true });
    const hasAnswer = readAnswer(request, this.#maxBodyBytes, resolve);
    request.on('error', (error) => hasAnswer() || reject(toOutboundError(error)));
    request.once('close', () => hasAnswer() || reject(toOutboundError(undefined)));
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
function readAnswer(request: ClientRequest, maxBytes: number, resolve: (answer: Answer) => void): () => boolean {
  let hasBegun = false;
  request.once('response', (response) => {
    hasBegun = true;
    const { statusCode = 0, headers } = response;
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) response.destroy();
    });
    response.on('error', () => undefined);
    response.once('close', () => {
      const body = Buffer.concat(chunks).toString();
      const isCut = !response.complete || size > maxBytes;
      resolve({ status: statusCode, headers, body, ...(isCut && { isCut }) });
    });
  });
  return () => hasBegun;
}

/**
 * The server may close an idle connection at the moment it is reused. The retry on a new connection can
 * deliver a push twice. The user does not see that, because the second push replaces the first.
 */
const usedStaleConnection = (request: ClientRequest, error: unknown): boolean =>
  request.reusedSocket && error instanceof OutboundError && codeOf(error.cause) === 'ECONNRESET';

function toOutboundError(error: Error | undefined): OutboundError {
  if (error instanceof OutboundError) return error;
  return new OutboundError(codeOf(error)?.toLowerCase() ?? 'no_answer', error);
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;
