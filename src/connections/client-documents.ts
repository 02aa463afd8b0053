/**
 * Reads what assistants publish about themselves: if the client id is an https address, its document is there
 * (draft-ietf-oauth-client-id-metadata-document), and perhaps its keys at another address.
 *
 * Strangers choose these addresses, so `GuardedHttp` fetches them and no address literal is accepted. `FetchBounds`
 * decides first, failures are remembered for a while that grows, and simultaneous fetches of one address are one. A
 * document is kept as its headers ask, and for a day longer if its address does not answer, or not now: assistants ask
 * once a day, and go on working while their host is down or somebody makes us fetch too much.
 */

import { isIP } from 'node:net';
import { backOffMs } from '../lib/back-off.ts';
import { BoundedMap } from '../lib/bounded-map.ts';
import type { Clock } from '../lib/clock.ts';
import { canonicalHost } from '../outbound/endpoint.ts';
import { type Fetch, FetchBounds } from '../outbound/fetch-bounds.ts';
import { GuardedHttp, type GuardOptions } from '../outbound/guarded-http.ts';
import type { Answer } from '../outbound/http-sender.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { type Client, readDocument, UnacceptableClient } from './client-metadata.ts';

const MAX_BYTES = 32 * 1024;
const FRESH_AT_LEAST_MS = 60_000;
const FRESH_AT_MOST_MS = 3_600_000;
const KEPT_FOR_FAILURES_MS = 24 * 3_600_000;
const FAILURE_PAUSE = { firstMs: 5_000, longestMs: 120_000 };
const MOST_KEPT = 500;

export type DocumentOptions = Omit<GuardOptions, 'hosts' | 'maxBodyBytes' | 'keepsConnections'> & {
  /** Set by tests only: hosts that are called although their address is private. */
  readonly hosts?: readonly string[];
};

/** For whom a document is read. */
export interface Reader {
  readonly userId: string;
  /** The client showed a secret of ours, or somebody has connected it: a person here has seen its document before. */
  readonly isConnected: boolean;
}

interface Kept {
  readonly value: unknown;
  readonly fromMs: number;
  readonly freshUntilMs: number;
}

interface Failure {
  readonly error: UnacceptableClient;
  readonly inARow: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

export class ClientDocuments {
  readonly #clock: Clock;
  readonly #http: GuardedHttp;
  readonly #bounds = new FetchBounds();
  readonly #kept = new BoundedMap<string, Kept>(MOST_KEPT);
  readonly #failures = new BoundedMap<string, Failure>(MOST_KEPT);
  readonly #underWay = new Map<string, Promise<unknown>>();

  constructor(clock: Clock, { hosts = [], ...options }: DocumentOptions = {}) {
    this.#clock = clock;
    this.#http = new GuardedHttp({
      ...options,
      hosts: ['*', ...hosts],
      maxBodyBytes: MAX_BYTES,
      keepsConnections: false,
    });
  }

  async get(id: string, { userId, isConnected }: Reader): Promise<Client> {
    if (!isDocumentAddress(id)) throw new UnacceptableClient('Its id is not an address where a description can be.');
    return readDocument(id, await this.#read({ url: new URL(id), clientId: id, userId, isKnown: isConnected }));
  }

  async getKeys({ id, jwks, jwksUri }: Client, userId: string): Promise<{ readonly keys: readonly object[] }> {
    if (jwks) return jwks;
    if (jwksUri === undefined || !isDocumentAddress(jwksUri))
      throw new UnacceptableClient('Its description names no keys.');
    const url = new URL(jwksUri);
    // A document may name any host, so its client vouches for its own only.
    const isKnown = canonicalHost(url) === canonicalHost(new URL(id));
    const { keys } = ((await this.#read({ url, clientId: id, userId, isKnown })) ?? {}) as { keys?: unknown };
    if (!Array.isArray(keys)) throw new UnacceptableClient('Its description names no keys.');
    return { keys };
  }

  async #read(target: Fetch): Promise<unknown> {
    const { href } = target.url;
    const nowMs = this.#nowMs();
    const kept = this.#kept.get(href);
    // What was asked for the longest ago is forgotten first.
    if (kept) this.#kept.set(href, kept);
    if (kept && kept.fromMs <= nowMs && nowMs < kept.freshUntilMs) return kept.value;
    try {
      return await (this.#underWay.get(href) ??
        this.#fetch({ ...target, isKnown: target.isKnown || kept !== undefined }));
    } catch (error) {
      const isPassing = error instanceof UnacceptableClient && error.kind === 'unreachable';
      if (!isPassing || !kept || nowMs >= kept.freshUntilMs + KEPT_FOR_FAILURES_MS) throw error;
      return kept.value;
    }
  }

  async #fetch(target: Fetch): Promise<unknown> {
    const { href } = target.url;
    const now = this.#clock.now();
    const failure = this.#failures.get(href);
    if (failure && failure.fromMs <= now.getTime() && now.getTime() < failure.untilMs) throw failure.error;
    const leave = this.#bounds.enter(target, now);
    if (!leave)
      throw new UnacceptableClient('Too many descriptions were read just now. Try again in a minute.', 'unreachable');
    const fetching = this.#fetchOnce(href).finally(() => {
      leave();
      this.#underWay.delete(href);
    });
    this.#underWay.set(href, fetching);
    return fetching;
  }

  async #fetchOnce(href: string): Promise<unknown> {
    try {
      const headers = { accept: 'application/json' };
      const answer = await this.#http.post(href, { method: 'GET', headers, body: '' });
      const value = readAnswer(answer);
      const fromMs = this.#nowMs();
      this.#failures.delete(href);
      this.#kept.set(href, { value, fromMs, freshUntilMs: fromMs + freshMs(answer) });
      return value;
    } catch (cause) {
      const error = toUnacceptable(cause);
      // What was withdrawn stays so, also if its address fails later.
      if (error.kind !== 'unreachable') this.#kept.delete(href);
      const fromMs = this.#nowMs();
      const inARow = (this.#failures.get(href)?.inARow ?? 0) + 1;
      this.#failures.set(href, { error, inARow, fromMs, untilMs: fromMs + backOffMs(FAILURE_PAUSE, inARow) });
      throw error;
    }
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

/** The address has one spelling, so that two cannot stand for the same client. */
function isDocumentAddress(text: string): boolean {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.href !== text || url.pathname === '/') return false;
  if (url.username !== '' || url.password !== '' || url.hash !== '') return false;
  return isIP(url.hostname.replace(/^\[|\]$/g, '')) === 0;
}

function freshMs({ headers }: Answer): number {
  const seconds = /\bmax-age=(\d{1,9})\b/.exec(headers['cache-control'] ?? '')?.[1];
  return Math.min(Math.max(Number(seconds ?? 0) * 1_000, FRESH_AT_LEAST_MS), FRESH_AT_MOST_MS);
}

/** The host shuts us out for now, perhaps because somebody made us ask too often. */
const PASSING = new Set([403, 408, 425, 429]);

function readAnswer({ status, headers, body, isCut }: Answer): unknown {
  if (status !== 200)
    throw new UnacceptableClient(
      `The address of its description answers with status ${status}.`,
      status >= 500 || PASSING.has(status) ? 'unreachable' : 'metadata',
    );
  if (!/^application\/(?:[\w.-]+\+)?json\b/.test(headers['content-type'] ?? ''))
    throw new UnacceptableClient('Its description is not JSON.');
  if (isCut && Buffer.byteLength(body) > MAX_BYTES) throw new UnacceptableClient('Its description is too long.');
  if (isCut) throw unreadable('unreachable');
  try {
    return JSON.parse(body);
  } catch {
    throw unreadable('metadata');
  }
}

const unreadable = (kind: UnacceptableClient['kind']) =>
  new UnacceptableClient('Its description could not be read.', kind);

function toUnacceptable(error: unknown): UnacceptableClient {
  if (error instanceof UnacceptableClient) return error;
  if (error instanceof OutboundError) return unreadable('unreachable');
  throw error;
}
