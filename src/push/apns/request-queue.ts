/**
 * Requests to one of Apple's two environments, waiting for a stream on its connection.
 *
 * No request is lost. If a closing connection has certainly not processed a request, it is sent again on the next
 * connection. Every other request ends with what is known about it. While Apple cannot be reached, each request ends
 * at once, with the time after which to retry.
 */
import { type BackOff, backOffMs, withJitter } from '../../lib/back-off.ts';
import type { Clock } from '../../lib/clock.ts';
import { LogOnChange } from '../../lib/log-on-change.ts';
import { Cooldown } from '../cooldown.ts';
import { EXPIRED_TOKEN } from './classify.ts';
import { type AddressedRequest, Connection, type ConnectionOptions } from './connection.ts';
import type { Exchange, ExchangeEnding } from './exchange.ts';
import type { ProviderToken } from './provider-token.ts';
import { type AbortTarget, SharedAbortListener } from './shared-abort-listener.ts';

export type RequestEnding =
  | Exclude<ExchangeEnding, { readonly kind: 'unprocessed' }>
  | { readonly kind: 'unanswered'; readonly reason: 'closing' }
  | { readonly kind: 'unreachable'; readonly error: Error | undefined; readonly afterMs: number };

interface QueuedRequest extends AbortTarget {
  readonly request: AddressedRequest;
  readonly onEnding: (ending: RequestEnding) => void;
  resends: number;
  /** Set while the request is in flight. */
  connection: Connection | undefined;
  exchange: Exchange | undefined;
}

/** How often a request is sent again on another stream before it ends as lost. */
const MAX_RESENDS = 3;
const BACK_OFF: BackOff = { firstMs: 500, longestMs: 30_000 };

export class RequestQueue {
  readonly #options: ConnectionOptions;
  readonly #token: ProviderToken;
  readonly #cooldown: Cooldown;
  readonly #reachability: LogOnChange;
  readonly #aborts = new SharedAbortListener<QueuedRequest>((queued) => this.#onAbort(queued));
  readonly #connections = new Set<Connection>();
  #waiting: QueuedRequest[] = [];
  #current: Connection | undefined;
  #isClosed = false;
  #lastError: Error | undefined;

  constructor(options: ConnectionOptions, token: ProviderToken, clock: Clock) {
    this.#options = options;
    this.#token = token;
    this.#cooldown = new Cooldown(clock);
    this.#reachability = new LogOnChange(options.logger, {
      failing: 'Apple cannot be reached',
      working: 'Apple can be reached again',
    });
  }

  get isConnected(): boolean {
    return this.#current !== undefined;
  }

  /** How many more requests would be sent at once. */
  get capacity(): number {
    return Math.max(0, (this.#current?.capacity ?? 1) - this.#waiting.length);
  }

  /** Calls `onEnding` once. */
  send(request: AddressedRequest, signal: AbortSignal, onEnding: (ending: RequestEnding) => void): void {
    if (signal.aborted) {
      onEnding({ kind: 'unanswered', reason: 'timeout' });
      return;
    }
    const queued = { request, signal, onEnding, index: 0, resends: 0, connection: undefined, exchange: undefined };
    this.#aborts.add(queued);
    this.#waiting.push(queued);
    this.#sendWaiting();
  }

  /** Ends all requests that are not in flight. */
  endWaiting(ending: RequestEnding): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const queued of waiting) this.#end(queued, ending);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#sendWaiting();
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  #sendWaiting(): void {
    if (this.#waiting.length === 0) return;
    if (this.#isClosed) {
      this.endWaiting({ kind: 'unanswered', reason: 'closing' });
      return;
    }
    const connection = this.#current ?? this.#connect();
    if (!connection) {
      this.endWaiting({ kind: 'unreachable', error: this.#lastError, afterMs: this.#cooldown.remainingMs() });
      return;
    }
    while (connection.capacity > 0) {
      const queued = this.#waiting.shift();
      if (!queued) return;
      this.#sendOn(connection, queued);
    }
  }

  #sendOn(connection: Connection, queued: QueuedRequest): void {
    const token = this.#token.current();
    queued.connection = connection;
    queued.exchange = connection.send(queued.request, token, (ending) =>
      this.#onEnding(ending, queued, connection, token),
    );
  }

  #onEnding(ending: ExchangeEnding, queued: QueuedRequest, connection: Connection, token: string): void {
    queued.exchange = undefined;
    const reason = ending.kind === 'answered' ? ending.answer.reason : '';
    const isExpired = reason === EXPIRED_TOKEN;
    if (isExpired) this.#token.discard(token);
    // On one connection the token may change only every 20 minutes, so a new token needs a new connection.
    if (isExpired || reason === 'TooManyProviderTokenUpdates') this.#replace(connection);
    if (connection === this.#current && connection.hasAcceptedToken) this.#onReached();
    const shouldResend = ending.kind === 'unprocessed' || (isExpired && queued.resends === 0);
    if (shouldResend && queued.resends < MAX_RESENDS) this.#resend(queued);
    else this.#end(queued, ending.kind === 'unprocessed' ? { kind: 'unanswered', reason: 'connection_lost' } : ending);
  }

  #end(queued: QueuedRequest, ending: RequestEnding): void {
    this.#aborts.remove(queued);
    queued.onEnding(ending);
  }

  #resend(queued: QueuedRequest): void {
    queued.resends += 1;
    this.#waiting.unshift(queued);
    this.#sendWaiting();
  }

  #onAbort(queued: QueuedRequest): void {
    if (queued.exchange) {
      queued.connection?.cancel(queued.exchange);
      return;
    }
    this.#waiting = this.#waiting.filter((other) => other !== queued);
    this.#end(queued, { kind: 'unanswered', reason: 'timeout' });
  }

  #connect(): Connection | undefined {
    if (this.#cooldown.remainingMs() > 0) return undefined;
    const connection: Connection = new Connection(this.#options, {
      onCapacity: () => this.#sendWaiting(),
      onDraining: (error) => this.#onDraining(connection, error),
      onClosed: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
    this.#current = connection;
    return connection;
  }

  /** The next request opens a new connection. */
  #replace(connection: Connection): void {
    if (this.#current === connection) this.#current = undefined;
    connection.drain();
  }

  #onDraining(connection: Connection, error: Error | undefined): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    if (connection.hasAcceptedToken) this.#onReached();
    else this.#backOff(error);
    this.#sendWaiting();
  }

  #onReached(): void {
    if (this.#reachability.failures > 0) this.#reachability.worked({ origin: this.#options.origin });
  }

  /** Delays the next connection, longer after each failure in a row. */
  #backOff(error: Error | undefined): void {
    const pauseMs = withJitter(backOffMs(BACK_OFF, this.#reachability.failures + 1), Math.random());
    this.#lastError = error;
    this.#cooldown.start(pauseMs);
    this.#reachability.failed({ err: error, origin: this.#options.origin, pauseMs });
  }
}
