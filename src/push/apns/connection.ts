/**
 * One HTTP/2 connection to Apple.
 *
 * ```
 *   connecting ──settings──▶ open, one at a time ──answered──▶ open ──goaway, fault, drain──▶ draining ──▶ closed
 * ```
 * It never has more open streams than Apple allows at that moment, and only one until Apple has answered a
 * push: before Apple has seen a valid token, it resets all streams but the first. A draining connection waits
 * for the answers to its pushes and accepts no new one.
 */
import { type ClientHttp2Session, connect, constants, sensitiveHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { Logger } from '../../lib/logger.ts';
import { Exchange, type ExchangeEnding, type ExchangeHost, parseRefusal } from './exchange.ts';
import { KeepAlive } from './keep-alive.ts';
import type { ApnsRequest } from './payload.ts';

export interface Timings {
  /** From the start of the connection to Apple's SETTINGS frame. */
  readonly connectMs: number;
  /** From a push to its answer. */
  readonly requestMs: number;
  readonly pingEveryMs: number;
  /** From a ping to its answer. Without an answer by then, the connection counts as dead. */
  readonly pongMs: number;
}

export interface ConnectionOptions {
  readonly origin: string;
  /** Replaces the certificate authorities that Node trusts. */
  readonly ca: string | undefined;
  readonly timings: Timings;
  readonly logger: Logger;
}

export interface AddressedRequest extends ApnsRequest {
  readonly path: string;
}

interface ConnectionEvents {
  /** The capacity may have grown. */
  readonly onCapacity: () => void;
  /** The connection accepts no new push from now on. Called once, with the error that caused it, if any. */
  readonly onDraining: (error: Error | undefined) => void;
  readonly onClosed: () => void;
}

/** Apple allows 1,000 streams. Our limit is for servers that announce none, which would get everything at once. */
const MAX_STREAMS = 1_000;
/** Stream ids are never reused, so a connection that nearly runs out of them is replaced. */
const MAX_STREAM_ID = 2 ** 31 - 10_000;
/** Sent as never-indexed literals: secrets must not enter a compression table that outlives the push. */
const SENSITIVE = [':path', 'authorization'];
const FORBIDDEN = 403;

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #events: ConnectionEvents;
  readonly #session: ClientHttp2Session;
  readonly #exchangeHost: ExchangeHost;
  readonly #keepAlive: KeepAlive;
  readonly #closed = Promise.withResolvers<void>();
  #connectTimer: NodeJS.Timeout | undefined;
  #drainTimer: NodeJS.Timeout | undefined;
  #socket: Socket | undefined;
  #streamsAllowed = 0;
  #streamsOpen = 0;
  /** From the GOAWAY frame: Apple processes no stream with a higher id. */
  #lastProcessedId = Number.POSITIVE_INFINITY;
  #hasAcceptedToken = false;
  #isDraining = false;
  #error: Error | undefined;

  constructor(options: ConnectionOptions, events: ConnectionEvents) {
    const { origin, ca, timings } = options;
    this.#options = options;
    this.#events = events;
    this.#exchangeHost = {
      timeoutMs: timings.requestMs,
      isUnprocessed: (id) => id > this.#lastProcessedId,
      onTimeout: () => this.#onRequestTimeout(),
      onClosed: () => this.#onStreamClosed(),
    };
    this.#session = connect(origin, { settings: { enablePush: false }, ...(ca && { ca }) });
    this.#keepAlive = new KeepAlive(this.#session, timings.pongMs, () => this.#fail('A ping was not answered.'));
    this.#connectTimer = setTimeout(() => this.#fail('The connection took too long.'), timings.connectMs);
    this.#session.on('connect', (_session, socket) => {
      this.#socket = socket;
    });
    this.#session.on('remoteSettings', ({ maxConcurrentStreams = MAX_STREAMS }) =>
      this.#onSettings(maxConcurrentStreams),
    );
    this.#session.on('goaway', (_code, lastStreamId, data) => this.#onGoaway(lastStreamId, data));
    this.#session.on('error', (error) => {
      this.#error = error;
    });
    this.#session.on('close', () => this.#onClose());
  }

  /** Whether Apple has answered a push on this connection without refusing the token. */
  get hasAcceptedToken(): boolean {
    return this.#hasAcceptedToken;
  }

  get capacity(): number {
    const allowed = this.#hasAcceptedToken ? this.#streamsAllowed : Math.min(this.#streamsAllowed, 1);
    const isUsable = !this.#isDraining && !this.#session.closed && !this.#session.destroyed;
    return !isUsable ? 0 : Math.max(0, allowed - this.#streamsOpen);
  }

  /** Call this only if there is capacity. */
  send({ path, headers, body }: AddressedRequest, token: string, onEnding: (ending: ExchangeEnding) => void): Exchange {
    this.#streamsOpen += 1;
    const stream = this.#session.request({
      ':method': 'POST',
      ':path': path,
      ...headers,
      authorization: `bearer ${token}`,
      [sensitiveHeaders]: SENSITIVE,
    });
    if ((stream.id ?? 0) > MAX_STREAM_ID) this.drain();
    return new Exchange(stream, body, this.#exchangeHost, (ending) => {
      this.#onEnding(ending);
      onEnding(ending);
    });
  }

  /** The sender no longer waits for the answer. */
  cancel(exchange: Exchange): void {
    exchange.cancel();
    this.#keepAlive.ping();
  }

  /** Accepts no new push, and closes when all pushes in flight have ended. */
  drain(): void {
    this.#startDraining();
    this.#session.close();
  }

  /** Drains, and resolves when the connection is closed. */
  close(): Promise<void> {
    this.drain();
    return this.#closed.promise;
  }

  #onSettings(streamsAllowed: number): void {
    this.#streamsAllowed = Math.min(streamsAllowed, MAX_STREAMS);
    clearTimeout(this.#connectTimer);
    this.#keepAlive.start(this.#options.timings.pingEveryMs);
    this.#events.onCapacity();
  }

  #onGoaway(lastStreamId: number, data: NodeJS.ArrayBufferView | undefined): void {
    this.#lastProcessedId = lastStreamId;
    if (this.#isDraining) return;
    const reason = data
      ? parseRefusal(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()).reason
      : '';
    this.#options.logger.info({ origin: this.#options.origin, reason }, 'Apple closes a connection');
    this.#startDraining();
  }

  #onEnding(ending: ExchangeEnding): void {
    if (ending.kind === 'answered' && ending.answer.status !== FORBIDDEN) this.#hasAcceptedToken = true;
  }

  /** A connection that never answered is closed, so that waiting pushes need not time out one after the other. */
  #onRequestTimeout(): void {
    if (this.#hasAcceptedToken) this.#keepAlive.ping();
    else this.#fail('The first push was not answered.');
  }

  #onStreamClosed(): void {
    this.#streamsOpen -= 1;
    this.#events.onCapacity();
  }

  #fail(message: string): void {
    this.#destroy(new Error(message));
  }

  #destroy(error?: Error): void {
    this.#session.destroy(error, constants.NGHTTP2_NO_ERROR);
    this.#socket?.destroy();
  }

  #startDraining(): void {
    if (this.#isDraining) return;
    this.#isDraining = true;
    // Every push in flight has ended by then. Node would wait for Apple to close the socket, which may never happen.
    this.#drainTimer = setTimeout(() => this.#destroy(), this.#options.timings.requestMs);
    this.#events.onDraining(this.#error);
  }

  #onClose(): void {
    clearTimeout(this.#connectTimer);
    this.#keepAlive.stop();
    this.#startDraining();
    clearTimeout(this.#drainTimer);
    this.#events.onClosed();
    this.#closed.resolve();
  }
}
