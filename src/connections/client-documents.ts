/**
 * Reads what assistants publish about themselves: if the client id is an https address, its document is there
 * (draft-ietf-oauth-client-id-metadata-document), and perhaps its keys at another address.
 *
 * Strangers choose these addresses, so nothing is fetched from an address literal, from a name without a public
 * address, or after a redirect, and an answer is cut by size and time. A document is kept for a while, as its
 * headers ask.
 */
import type { IncomingMessage } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Clock } from '../lib/clock.ts';
import { publicLookup } from '../lib/public-lookup.ts';
import { type Client, readDocument, UnacceptableClient } from './client-metadata.ts';

const MAX_BYTES = 32 * 1024;
const TIMEOUT_MS = 5_000;
const KEPT_AT_LEAST_MS = 60_000;
const KEPT_AT_MOST_MS = 3_600_000;
const MOST_KEPT = 500;

export interface DocumentOptions {
  /** Set by tests only: how names are looked up, which certificates are trusted, and how long an answer may take. */
  readonly lookup?: LookupFunction;
  readonly ca?: string;
  readonly timeoutMs?: number;
}

interface Kept {
  readonly value: unknown;
  readonly from: number;
  readonly until: number;
}

export class ClientDocuments {
  readonly #clock: Clock;
  readonly #options: DocumentOptions;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock, options: DocumentOptions = {}) {
    this.#clock = clock;
    this.#options = options;
  }

  async get(id: string): Promise<Client> {
    if (!isDocumentAddress(id)) throw new UnacceptableClient('Its id is not an address where a description can be.');
    return readDocument(id, await this.#fetch(id));
  }

  async getKeys({ jwks, jwksUri }: Client): Promise<{ readonly keys: readonly object[] }> {
    if (jwks) return jwks;
    if (jwksUri === undefined || !isDocumentAddress(jwksUri))
      throw new UnacceptableClient('Its description names no keys.');
    const { keys } = ((await this.#fetch(jwksUri)) ?? {}) as { keys?: unknown };
    if (!Array.isArray(keys)) throw new UnacceptableClient('Its description names no keys.');
    return { keys };
  }

  async #fetch(address: string): Promise<unknown> {
    const now = this.#clock.now().getTime();
    const kept = this.#kept.get(address);
    if (kept && kept.from <= now && now < kept.until) return kept.value;
    const { value, maxAgeMs } = await fetchJson(address, this.#options);
    this.#kept.delete(address);
    this.#kept.set(address, { value, from: now, until: now + clamp(maxAgeMs) });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return value;
  }
}

const clamp = (ms: number) => Math.min(Math.max(ms, KEPT_AT_LEAST_MS), KEPT_AT_MOST_MS);

/** The address has one spelling, so that two cannot stand for the same client. */
function isDocumentAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.href !== text || url.pathname === '/') return false;
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0;
}

async function fetchJson(
  address: string,
  { lookup, ca, timeoutMs = TIMEOUT_MS }: DocumentOptions,
): Promise<{ readonly value: unknown; readonly maxAgeMs: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ headers: IncomingMessage['headers']; body: string }>();
  const options: RequestOptions = {
    headers: { accept: 'application/json' },
    agent: false,
    lookup:
      lookup ?? publicLookup(() => new UnacceptableClient('Its description is at an address that is not public.')),
    signal: AbortSignal.timeout(timeoutMs),
    ...(ca && { ca }),
  };
  const call = request(address, options, (response) => readAnswer(response).then(resolve, reject));
  call.on('error', reject).end();
  try {
    const { headers, body } = await promise;
    const seconds = /\bmax-age=(\d{1,9})\b/.exec(headers['cache-control'] ?? '')?.[1];
    return { value: JSON.parse(body), maxAgeMs: Number(seconds ?? 0) * 1_000 };
  } catch (error) {
    if (error instanceof UnacceptableClient) throw error;
    throw new UnacceptableClient(
      'Its description could not be read.',
      error instanceof SyntaxError ? 'metadata' : 'unreachable',
    );
  } finally {
    call.destroy();
  }
}

async function readAnswer(response: IncomingMessage): Promise<{ headers: IncomingMessage['headers']; body: string }> {
  const { statusCode, headers } = response;
  if (statusCode !== 200)
    throw new UnacceptableClient(
      `The address of its description answers with status ${statusCode}.`,
      Number(statusCode) >= 500 ? 'unreachable' : 'metadata',
    );
  if (!/^application\/(?:[\w.-]+\+)?json\b/.test(headers['content-type'] ?? ''))
    throw new UnacceptableClient('Its description is not JSON.');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new UnacceptableClient('Its description is too long.');
    chunks.push(chunk);
  }
  return { headers, body: Buffer.concat(chunks).toString() };
}
