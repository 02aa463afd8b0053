/**
 * One HTTP/2 connection to Apple.
 *
 * ```
 *   connecting ──settings──▶ open, one at a time ──answered──▶ open ──goaway, fault, retire──▶ draining ──▶ closed
 * ```
 * It never has more streams open than the peer allows at that moment, and only one until the peer
 * has answered a push: before it has seen a valid token, Apple resets all but the first. A draining
 * connection waits for the answers to what it has sent and takes nothing new.
 */
import { type ClientHttp2Session, connect, constants, sensitiveHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { Logger } from '../../lib/logger.ts';
import { type Ending, Exchange, type ExchangeHost, readRefusal } from './exchange.ts';
import { Heartbeat } from './heartbeat.ts';
import type { ApnsRequest } from './payload.ts';

export interface Durations {
  /** Until the peer has told its settings. */
  readonly connectMs: number;
  /** From sending a push to its answer. */
  readonly requestMs: number;
  readonly pingEveryMs: number;
  /** Until a ping is answered; after that the connection counts as dead. */
  readonly pongMs: number;
}

export interface Peer {
  readonly origin: string;
  /** Instead of the authorities that Node trusts. */
  readonly ca: string | undefined;
  readonly durations: Durations;
  readonly logger: Logger;
}

export interface AddressedRequest extends ApnsRequest {
  readonly path: string;
}

interface Follower {
  /** There may be more room than before. */
  readonly onRoom: () => void;
  /** It takes nothing new from now on; with the error where one is the reason. Told once. */
  readonly onRetired: (error: Error | undefined) => void;
  readonly onClosed: () => void;
}

/** A peer that names no limit would otherwise be sent everything at once. Apple allows 1,000. */
const MOST_STREAMS = 1_000;
/** Numbers of streams are used once; a connection that comes near the end of them is left behind. */
const LAST_STREAM_ID = 2 ** 31 - 10_000;
/** Literals that are never indexed: neither belongs into a compression table that outlives the push. */
const SENSITIVE = [':path', 'authorization'];
const FORBIDDEN = 403;

export class Connection {
  readonly #peer: Peer;
  readonly #follower: Follower;
  readonly #session: ClientHttp2Session;
  readonly #host: ExchangeHost;
  readonly #heartbeat: Heartbeat;
  readonly #closed = Promise.withResolvers<void>();
  #connectTimer: NodeJS.Timeout | undefined;
  #lingerTimer: NodeJS.Timeout | undefined;
  #socket: Socket | undefined;
  #streamsAllowed = 0;
  #streamsOpen = 0;
  #lastAdmittedId = Number.POSITIVE_INFINITY;
  #isProven = false;
  #isRetired = false;
  #error: Error | undefined;

  constructor(peer: Peer, follower: Follower) {
    this.#peer = peer;
    this.#follower = follower;
    this.#host = {
      timeoutMs: peer.durations.requestMs,
      isDisowned: (id) => id > this.#lastAdmittedId,
      onSilence: () => this.#onSilence(),
      onClosed: () => this.#onStreamClosed(),
    };
    this.#session = connect(peer.origin, { settings: { enablePush: false }, ...(peer.ca && { ca: peer.ca }) });
    this.#heartbeat = new Heartbeat(this.#session, peer.durations.pongMs, () =>
      this.#fail('The peer no longer answers.'),
    );
    this.#connectTimer = setTimeout(() => this.#fail('The peer took too long to connect.'), peer.durations.connectMs);
    this.#session.on('connect', (_session, socket) => {
      this.#socket = socket;
    });
    this.#session.on('remoteSettings', ({ maxConcurrentStreams = MOST_STREAMS }) =>
      this.#onSettings(maxConcurrentStreams),
    );
    this.#session.on('goaway', (_code, lastStreamId, data) => this.#onGoaway(lastStreamId, data));
    this.#session.on('error', (error) => {
      this.#error = error;
    });
    this.#session.on('close', () => this.#onClose());
  }

  /** Whether it has answered a push with a token that it believed. */
  get isProven(): boolean {
    return this.#isProven;
  }

  get room(): number {
    const allowed = this.#isProven ? this.#streamsAllowed : Math.min(this.#streamsAllowed, 1);
    const isUsable = !this.#isRetired && !this.#session.closed && !this.#session.destroyed;
    return !isUsable ? 0 : Math.max(0, allowed - this.#streamsOpen);
  }

  /** Only while there is room. */
  send({ path, headers, body }: AddressedRequest, token: string, onEnding: (ending: Ending) => void): Exchange {
    this.#streamsOpen += 1;
    const stream = this.#session.request({
      ':method': 'POST',
      ':path': path,
      ...headers,
      authorization: `bearer ${token}`,
      [sensitiveHeaders]: SENSITIVE,
    });
    if ((stream.id ?? 0) > LAST_STREAM_ID) this.retire();
    return new Exchange(stream, body, this.#host, (ending) => {
      this.#onEnding(ending);
      onEnding(ending);
    });
  }

  /** Its sender no longer waits for the answer. */
  abandon(exchange: Exchange): void {
    exchange.cancel();
    this.#heartbeat.check();
  }

  /** Lets what is under way end, and closes. */
  retire(): void {
    this.#endUse();
    this.#session.close();
  }

  /** Resolves once nothing of it is left. */
  close(): Promise<void> {
    this.retire();
    return this.#closed.promise;
  }

  #onSettings(streamsAllowed: number): void {
    this.#streamsAllowed = Math.min(streamsAllowed, MOST_STREAMS);
    clearTimeout(this.#connectTimer);
    this.#heartbeat.start(this.#peer.durations.pingEveryMs);
    this.#follower.onRoom();
  }

  #onGoaway(lastStreamId: number, data: NodeJS.ArrayBufferView | undefined): void {
    this.#lastAdmittedId = lastStreamId;
    if (this.#isRetired) return;
    const reason = data
      ? readRefusal(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()).reason
      : '';
    this.#peer.logger.info({ origin: this.#peer.origin, reason }, 'Apple closes a connection');
    this.#endUse();
  }

  #onEnding(ending: Ending): void {
    if (ending.kind === 'answered' && ending.answer.status !== FORBIDDEN) this.#isProven = true;
  }

  /** A connection that has never answered is given up, so that those waiting behind its first push need not ask it one by one. */
  #onSilence(): void {
    if (this.#isProven) this.#heartbeat.check();
    else this.#fail('The peer did not answer the first push.');
  }

  #onStreamClosed(): void {
    this.#streamsOpen -= 1;
    this.#follower.onRoom();
  }

  #fail(message: string): void {
    this.#destroy(new Error(message));
  }

  #destroy(error?: Error): void {
    this.#session.destroy(error, constants.NGHTTP2_NO_ERROR);
    this.#socket?.destroy();
  }

  #endUse(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    // By then whatever was under way has its ending. Node would wait for the peer to close the socket, and it may never.
    this.#lingerTimer = setTimeout(() => this.#destroy(), this.#peer.durations.requestMs);
    this.#follower.onRetired(this.#error);
  }

  #onClose(): void {
    clearTimeout(this.#connectTimer);
    this.#heartbeat.stop();
    this.#endUse();
    clearTimeout(this.#lingerTimer);
    this.#follower.onClosed();
    this.#closed.resolve();
  }
}
