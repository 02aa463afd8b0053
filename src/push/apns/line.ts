/**
 * Pushes for one of Apple's two environments, waiting in line for a place on its connection.
 *
 * Nothing is lost on the way: a push that a closing connection has certainly not looked at goes out
 * on the next one, and every other ends with what is known about it. While the peer cannot be
 * reached nobody waits: each push is told so at once, and when to try again.
 */
import type { Clock } from '../../lib/clock.ts';
import { Cooldown } from '../cooldown.ts';
import { AbortWatch, type Watched } from './abort-watch.ts';
import { type AddressedRequest, Connection, type Peer } from './connection.ts';
import type { Ending, Exchange } from './exchange.ts';
import type { ProviderToken } from './provider-token.ts';

export type LineEnding =
  | Exclude<Ending, { readonly kind: 'unprocessed' }>
  | { readonly kind: 'unanswered'; readonly reason: 'closing' }
  | { readonly kind: 'unreachable'; readonly error: Error | undefined; readonly afterMs: number };

interface Waiting extends Watched {
  readonly request: AddressedRequest;
  readonly onEnding: (ending: LineEnding) => void;
  moves: number;
  /** While it is out: where. */
  connection: Connection | undefined;
  exchange: Exchange | undefined;
}

/** How often a push may go to another stream before its sender hears that it did not work. */
const MOST_MOVES = 3;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

export class Line {
  readonly #peer: Peer;
  readonly #token: ProviderToken;
  readonly #cooldown: Cooldown;
  readonly #aborts = new AbortWatch<Waiting>((push) => this.#abandon(push));
  readonly #connections = new Set<Connection>();
  #waiting: Waiting[] = [];
  #current: Connection | undefined;
  #isClosed = false;
  #failures = 0;
  #lastError: Error | undefined;

  constructor(peer: Peer, token: ProviderToken, clock: Clock) {
    this.#peer = peer;
    this.#token = token;
    this.#cooldown = new Cooldown(clock);
  }

  get isConnected(): boolean {
    return this.#current !== undefined;
  }

  /** How many more could go out at once. */
  get room(): number {
    return Math.max(0, (this.#current?.room ?? 1) - this.#waiting.length);
  }

  /** The ending is told once. */
  send(request: AddressedRequest, signal: AbortSignal, onEnding: (ending: LineEnding) => void): void {
    if (signal.aborted) {
      onEnding({ kind: 'unanswered', reason: 'timeout' });
      return;
    }
    const push = { request, signal, onEnding, place: 0, moves: 0, connection: undefined, exchange: undefined };
    this.#aborts.add(push);
    this.#waiting.push(push);
    this.#advance();
  }

  /** Ends all that have not gone out yet. */
  dismiss(ending: LineEnding): void {
    const dismissed = this.#waiting;
    this.#waiting = [];
    for (const push of dismissed) this.#end(push, ending);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#advance();
    await Promise.all([...this.#connections].map((connection) => connection.close()));
  }

  #advance(): void {
    if (this.#waiting.length === 0) return;
    if (this.#isClosed) {
      this.dismiss({ kind: 'unanswered', reason: 'closing' });
      return;
    }
    const connection = this.#current ?? this.#connect();
    if (!connection) {
      const [error, afterMs] = [this.#lastError, this.#cooldown.remainingMs()];
      this.dismiss({ kind: 'unreachable', error, afterMs });
      return;
    }
    while (connection.room > 0) {
      const push = this.#waiting.shift();
      if (!push) return;
      this.#sendOn(connection, push);
    }
  }

  #sendOn(connection: Connection, push: Waiting): void {
    const token = this.#token.current();
    push.connection = connection;
    push.exchange = connection.send(push.request, token, (ending) => this.#onEnding(ending, push, connection, token));
  }

  #onEnding(ending: Ending, push: Waiting, connection: Connection, token: string): void {
    push.exchange = undefined;
    const reason = ending.kind === 'answered' ? ending.answer.reason : '';
    if (reason === 'ExpiredProviderToken') this.#token.discard(token);
    // On one connection the token may change only every 20 minutes, so another one goes with another connection.
    if (reason === 'ExpiredProviderToken' || reason === 'TooManyProviderTokenUpdates') this.#leave(connection);
    const isWorthMoving = ending.kind === 'unprocessed' || (reason === 'ExpiredProviderToken' && push.moves === 0);
    if (isWorthMoving && push.moves < MOST_MOVES) this.#moveOn(push);
    else this.#end(push, ending.kind === 'unprocessed' ? { kind: 'unanswered', reason: 'connection_lost' } : ending);
  }

  #end(push: Waiting, ending: LineEnding): void {
    this.#aborts.remove(push);
    push.onEnding(ending);
  }

  #moveOn(push: Waiting): void {
    push.moves += 1;
    this.#waiting.unshift(push);
    this.#advance();
  }

  #abandon(push: Waiting): void {
    if (push.exchange) {
      push.connection?.abandon(push.exchange);
      return;
    }
    this.#waiting = this.#waiting.filter((other) => other !== push);
    this.#end(push, { kind: 'unanswered', reason: 'timeout' });
  }

  #connect(): Connection | undefined {
    if (this.#cooldown.remainingMs() > 0) return undefined;
    const connection: Connection = new Connection(this.#peer, {
      onRoom: () => this.#advance(),
      onRetired: (error) => this.#onRetired(connection, error),
      onClosed: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
    this.#current = connection;
    return connection;
  }

  #leave(connection: Connection): void {
    if (this.#current === connection) this.#current = undefined;
    connection.retire();
  }

  #onRetired(connection: Connection, error: Error | undefined): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    if (connection.isProven) this.#failures = 0;
    else this.#pause(error);
    this.#advance();
  }

  /** Longer after each connection that came to nothing, and by chance, so that not all processes come back at once. */
  #pause(error: Error | undefined): void {
    const longestMs = Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS);
    this.#failures += 1;
    this.#lastError = error;
    const pauseMs = longestMs * (0.5 + Math.random() / 2);
    this.#cooldown.start(pauseMs);
    this.#peer.logger.warn({ err: error, origin: this.#peer.origin, pauseMs }, 'Apple could not be reached');
  }
}
