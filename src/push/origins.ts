/**
 * Keeps one server from delaying what goes to all the others of its provider: the push service of a browser's maker,
 * or the ntfy server at somebody's home. A server that hangs can occupy a part of the places in flight.
 *
 * Strangers share a server: their scripts run on one host, their topics are on one ntfy. So silence is counted twice.
 * After five pushes in a row to one recipient without an answer, what goes to that recipient is put off. After pushes to
 * five recipients without an answer to anybody in between, the server is down: what goes to everybody is put off. One
 * push now and then tries again.
 *
 * A push that is put off, or that waits for a place until its time is over, was not sent, and its result says so.
 */
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { Semaphore } from '../lib/semaphore.ts';
import type { PushResult } from './gateway.ts';
import { PushError } from './push-error.ts';
import { SendLimiter } from './send-limiter.ts';
import { Silence, waitAfter } from './silence.ts';

const MAX_SILENCES = 5;
/** A server that was asked for this long has had its time. It is the limit of `HttpSender`. */
const FULL_TIME_MS = 5_000;
const FORGET_RECIPIENT_MS = 3_600_000;

const CLOSED = { kind: 'retry', reason: 'closed', isUnsent: true } as const;
const BUSY = { kind: 'retry', reason: 'server_busy', isUnsent: true } as const;

interface Recipient {
  /** Pushes in a row that got no answer, and when the last of them ended. */
  silences: number;
  lastAt: Date;
  readonly silence: Silence;
}

interface Origin {
  readonly places: Semaphore;
  readonly silence: Silence;
  /** Who got no answer since the server last answered anybody. */
  readonly unanswered: Set<string>;
  /** Those whose last push got no answer. */
  readonly recipients: Map<string, Recipient>;
  /** Since when no push has found a place at once. */
  crowdedSince: Date | undefined;
  /** Pushes in flight or waiting. */
  pushes: number;
}

interface Bounds {
  /** How many pushes may be in flight, to all servers together and to one of them. */
  readonly maxInFlight: number;
  readonly perOrigin: number;
}

interface Destination {
  readonly origin: string;
  /** Whose silence is counted: a person, or a browser. */
  readonly recipient: string;
}

export class Origins {
  readonly #perOrigin: number;
  readonly #clock: Clock;
  readonly #all: SendLimiter;
  readonly #byOrigin = new Map<string, Origin>();

  constructor({ maxInFlight, perOrigin }: Bounds, clock: Clock, logger: Logger) {
    this.#perOrigin = perOrigin;
    this.#clock = clock;
    this.#all = new SendLimiter(maxInFlight, logger);
  }

  get capacity(): number {
    return this.#all.capacity;
  }

  async send(
    { origin, recipient }: Destination,
    signal: AbortSignal,
    deliver: () => Promise<PushResult>,
  ): Promise<PushResult> {
    const server = this.#open(origin);
    server.pushes += 1;
    try {
      const release = await this.#acquire(server, signal);
      if (typeof release !== 'function') return release;
      return await this.#try(server, recipient, signal, deliver).finally(release);
    } finally {
      server.pushes -= 1;
      if (server.pushes === 0 && server.recipients.size === 0) this.#byOrigin.delete(origin);
    }
  }

  #open(origin: string): Origin {
    const known = this.#byOrigin.get(origin);
    if (known) return known;
    const server: Origin = {
      places: new Semaphore({ capacity: this.#perOrigin }),
      silence: new Silence(this.#clock),
      unanswered: new Set(),
      recipients: new Map(),
      crowdedSince: undefined,
      pushes: 0,
    };
    this.#byOrigin.set(origin, server);
    return server;
  }

  /** Returns what gives the place back, or the result of a push that got none. */
  async #acquire(server: Origin, signal: AbortSignal): Promise<(() => void) | PushResult> {
    const since = server.places.available > 0 ? undefined : (server.crowdedSince ?? this.#clock.now());
    server.crowdedSince = since;
    try {
      return await server.places.acquire(signal);
    } catch (error) {
      if (error instanceof PushError) return error.result;
      return since ? { ...BUSY, afterMs: waitAfter(since, this.#clock.now()) } : BUSY;
    }
  }

  async #try(
    server: Origin,
    recipient: string,
    signal: AbortSignal,
    deliver: () => Promise<PushResult>,
  ): Promise<PushResult> {
    const silences = [server.silence, server.recipients.get(recipient)?.silence].filter((known) => known !== undefined);
    const waitsMs = silences.map((silence) => silence.findWaitMs()).filter((waitMs) => waitMs !== undefined);
    if (waitsMs.length > 0) {
      return { kind: 'retry', reason: 'service_silent', afterMs: Math.max(...waitsMs), isUnsent: true };
    }
    const endProbes = silences.map((silence) => silence.probe());
    let sentAt: Date | undefined;
    const result = await this.#all.run(signal, () => {
      sentAt = this.#clock.now();
      return deliver();
    });
    for (const endProbe of endProbes) endProbe();
    if (!sentAt) return signal.aborted ? BUSY : CLOSED;
    if (isAnswer(result)) noteAnswer(server, recipient);
    // Cut off by our own signal after a moment, because it had waited for its place: that says nothing about the server.
    else if (!signal.aborted || this.#elapsedMs(sentAt) >= FULL_TIME_MS) this.#noteSilence(server, recipient);
    return result;
  }

  #noteSilence({ unanswered, silence, recipients }: Origin, recipient: string): void {
    if (unanswered.size < MAX_SILENCES) unanswered.add(recipient);
    if (unanswered.size >= MAX_SILENCES) silence.start();
    const known = recipients.get(recipient) ?? { silences: 0, silence: new Silence(this.#clock), lastAt: new Date(0) };
    known.silences += 1;
    known.lastAt = this.#clock.now();
    if (known.silences >= MAX_SILENCES) known.silence.start();
    recipients.set(recipient, known);
    for (const [other, { lastAt }] of recipients) {
      if (this.#elapsedMs(lastAt) > FORGET_RECIPIENT_MS) recipients.delete(other);
    }
  }

  #elapsedMs(since: Date): number {
    return this.#clock.now().getTime() - since.getTime();
  }

  close(): void {
    this.#all.close();
    for (const { places } of this.#byOrigin.values()) places.close(new PushError(CLOSED));
  }
}

function noteAnswer({ unanswered, silence, recipients }: Origin, recipient: string): void {
  unanswered.clear();
  silence.end();
  recipients.delete(recipient);
}

/** An answer of the server, even a refusal, is no silence. */
const isAnswer = (result: PushResult): boolean => result.kind !== 'retry' || /^(http|smtp)_/.test(result.reason);
