/**
 * Keeps one server from delaying pushes to the other servers of its provider. A server is the push service of a
 * browser's maker, or the ntfy server at somebody's home. A server that hangs can occupy only some of the places.
 *
 * Strangers share a server: their scripts run on one host, their topics are on one ntfy. So silence is counted twice.
 * After five unanswered pushes in a row to one recipient, pushes to that recipient are put off. After unanswered pushes
 * to five recipients, without an answer to anybody in between, the server counts as down and all pushes to it are put
 * off. From time to time one push tries again.
 *
 * No nudge waits here, because Done could not cancel it: the engine leases a delivery only if its server has a place.
 * If a push finds no place anyway, or is put off, its result says that it was not sent.
 */
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { KeyedSemaphore } from '../lib/semaphore.ts';
import { Breaker, POLICIES } from './breaker.ts';
import type { PushResult } from './gateway.ts';
import { SendLimiter } from './send-limiter.ts';

/** A server had enough time to answer after this long, which is the limit of `HttpSender`. */
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
  /** The person or browser that silence is counted for. */
  readonly recipient: string;
  /** A person waits for the result. Such a push may wait for a place, and takes no place from nudges. */
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
  /** Raised at the call, since the engine asks for the capacity before the push has reached the other counters. */
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
    // Our own signal cut it off soon after it got its place, so the result says nothing about the server.
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
