/**
 * Keeps one server from delaying what goes to all the others of its provider: the push service of a browser's maker,
 * or the ntfy server at somebody's home. A server that hangs can occupy a part of the places in flight.
 *
 * Strangers share a server: their scripts run on one host, their topics are on one ntfy. So silence is counted twice.
 * After five pushes in a row to one recipient without an answer, what goes to that recipient is put off. After pushes to
 * five recipients without an answer to anybody in between, the server is down: what goes to everybody is put off. One
 * push now and then tries again.
 *
 * No nudge waits here, because Done could not cancel it: the engine leases a delivery only if its server has a place.
 * A push that finds none all the same, or that is put off, was not sent, and its result says so.
 */
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { KeyedSemaphore } from '../lib/semaphore.ts';
import { Breaker, POLICIES } from './breaker.ts';
import type { PushResult } from './gateway.ts';
import { SendLimiter } from './send-limiter.ts';

/** A server that was asked for this long has had its time. It is the limit of `HttpSender`. */
const FULL_TIME_MS = 5_000;

const CLOSED = { kind: 'retry', reason: 'closed', isUnsent: true } as const;
const BUSY = { kind: 'retry', reason: 'server_busy', isUnsent: true } as const;

interface Bounds {
  /** How many pushes may be in flight, to all servers together and to one of them. */
  readonly maxInFlight: number;
  readonly placesPerServer?: number | undefined;
}

interface Destination {
  /** Null if the provider is one server. */
  readonly server: string | null;
  /** Whose silence is counted: a person, or a browser. */
  readonly recipient: string;
  /** A person waits for the result: it may wait for a place, and takes none away from nudges. */
  readonly isAwaited: boolean;
}

export class Servers {
  readonly #maxInFlight: number;
  readonly #clock: Clock;
  readonly #all: SendLimiter;
  readonly #places: KeyedSemaphore;
  readonly #placesOfAwaited: KeyedSemaphore;
  readonly #silentServers: Breaker;
  readonly #silentRecipients: Breaker;
  /** Counted from the call on, since the engine asks for the capacity before a push has passed the other counters. */
  #nudges = 0;

  constructor({ maxInFlight, placesPerServer = maxInFlight }: Bounds, clock: Clock, logger: Logger) {
    this.#maxInFlight = maxInFlight;
    this.#clock = clock;
    this.#all = new SendLimiter(maxInFlight, logger);
    this.#places = new KeyedSemaphore({ capacity: placesPerServer, maxWaiting: 0 });
    this.#placesOfAwaited = new KeyedSemaphore({ capacity: placesPerServer });
    this.#silentServers = new Breaker(POLICIES.server, clock);
    this.#silentRecipients = new Breaker(POLICIES.recipient, clock);
  }

  get capacity(): number {
    return Math.min(this.#all.capacity, this.#maxInFlight - this.#nudges);
  }

  async send(destination: Destination, signal: AbortSignal, deliver: () => Promise<PushResult>): Promise<PushResult> {
    if (destination.isAwaited) return this.#enter(this.#placesOfAwaited, destination, signal, deliver);
    this.#nudges += 1;
    return this.#enter(this.#places, destination, signal, deliver).finally(() => {
      this.#nudges -= 1;
    });
  }

  async #enter(
    places: KeyedSemaphore,
    { server, recipient }: Destination,
    signal: AbortSignal,
    deliver: () => Promise<PushResult>,
  ): Promise<PushResult> {
    const key = server ?? '';
    const release = await places.acquire(key, signal).catch(() => undefined);
    if (!release) return BUSY;
    return this.#try(key, recipient, signal, deliver).finally(release);
  }

  async #try(
    server: string,
    recipient: string,
    signal: AbortSignal,
    deliver: () => Promise<PushResult>,
  ): Promise<PushResult> {
    const person = `${server} ${recipient}`;
    const putOff = this.#silentServers.find(server) ?? this.#silentRecipients.find(person);
    if (putOff) return putOff;
    const endProbes = [this.#silentServers.probe(server), this.#silentRecipients.probe(person)];
    let sentAt: Date | undefined;
    const result = await this.#all.run(signal, () => {
      sentAt = this.#clock.now();
      return deliver();
    });
    for (const endProbe of endProbes) endProbe();
    if (!sentAt) return signal.aborted ? BUSY : CLOSED;
    // Cut off by our own signal after a moment, because it had waited for its place: that says nothing about the server.
    const isCutOff = result.kind === 'retry' && !result.isAnswered && signal.aborted && !this.#hadFullTime(sentAt);
    if (isCutOff) return result;
    this.#silentServers.note(result, server, recipient);
    this.#silentRecipients.note(result, person);
    return result;
  }

  #hadFullTime(since: Date): boolean {
    return this.#clock.now().getTime() - since.getTime() >= FULL_TIME_MS;
  }

  close(): void {
    this.#all.close();
  }
}
