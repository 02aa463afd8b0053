/** A push provider that works or fails by its mood. An accepted push reaches the phone; its answer may get lost. */
import type { AnyPush, Gateway, PushResult } from '../../src/push/gateway.ts';
import type { CHANNEL_PROVIDER } from './channels.ts';
import type { Runtime } from './runtime.ts';

export type GatewayName = 'apns' | 'fcm' | 'web_push' | 'email' | typeof CHANNEL_PROVIDER;

/** `timeout`: no answer comes. `lost`: the push is shown, and the answer gets lost. `crowded`: it is not even sent. */
export const MOODS = [
  'accepts',
  'retry',
  'throttles',
  'rejected',
  'misconfigured',
  'timeout',
  'lost',
  'crowded',
] as const;
export type Mood = (typeof MOODS)[number];

export interface Wire {
  /** Called when a push is put on the wire. */
  sent(push: AnyPush): void;
  /** Called when the provider accepts the push. Returns the result. */
  delivered(push: AnyPush): PushResult;
  /** Called with the answer, when the service knows it. */
  answered(push: AnyPush, result: PushResult): void;
}

const THROTTLE_MS = 60_000;
/** The longest back-off, and a wait that the provider asked for. */
const RETRIED_WITHIN_MS = 11 * 60_000;
const OUR_FAULT: PushResult = { kind: 'retry', reason: 'timeout' };

export class SimulatedGateway implements Gateway {
  readonly #runtime: Runtime;
  readonly #wire: Wire;
  readonly #usualMs: number;
  mood: Mood = 'accepts';
  latencyMs: number;
  places = 100;
  /** When it last failed or was slow; retries follow for minutes. */
  troubledMs = Number.NEGATIVE_INFINITY;
  /** When it last accepted a push, so that the service knows that an outage is over. */
  acceptedMs = Number.NEGATIVE_INFINITY;
  /** How many pushes of one process were ever in flight at once. */
  mostInFlight = 0;
  /** The connection of the present process. */
  #connection = { inFlight: 0 };

  constructor(runtime: Runtime, wire: Wire, usualMs = 40) {
    this.#runtime = runtime;
    this.#wire = wire;
    this.#usualMs = usualMs;
    this.latencyMs = usualMs;
  }

  /** A process that starts has connections of its own. */
  connect(): void {
    this.#connection = { inFlight: 0 };
  }

  /** Everything works again. */
  heal(): void {
    this.troubledMs = this.#runtime.elapsedMs;
    this.mood = 'accepts';
    this.latencyMs = this.#usualMs;
    this.places = 100;
  }

  /** Whether it did everything that it was asked for in the last minutes. */
  get isReliable(): boolean {
    const isWorking = this.mood === 'accepts' && this.latencyMs <= 1_000 && this.places >= 5;
    return isWorking && this.#runtime.elapsedMs - this.troubledMs > RETRIED_WITHIN_MS;
  }

  capacity(): number {
    return this.places - this.#connection.inFlight;
  }

  async send(push: AnyPush, signal: AbortSignal): Promise<PushResult> {
    this.#wire.sent(push);
    const connection = this.#connection;
    connection.inFlight += 1;
    this.mostInFlight = Math.max(this.mostInFlight, connection.inFlight);
    const isInTime = await this.#wait(signal);
    connection.inFlight -= 1;
    // The outbox finds the place of a held message when it polls.
    if (isHeld(push) && this.capacity() === 1) this.#runtime.pollUntilMs = this.#runtime.elapsedMs + 5_000;
    const result = this.#answer(push, isInTime);
    this.#wire.answered(push, result);
    return result;
  }

  async close(): Promise<void> {}

  /** False if the service gave up before the answer. */
  #wait(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (isInTime: boolean) => {
        stopLimit();
        stopWaiting();
        resolve(isInTime);
      };
      // The process that gave up may have died since, so the provider has a limit of its own.
      const stopLimit = this.#runtime.after(10_000, () => end(false), null);
      const stopWaiting = this.#runtime.onTimeout(signal, () => end(false));
      if (this.mood !== 'timeout') this.#runtime.after(this.latencyMs, () => end(true), null);
    });
  }

  #take(push: AnyPush): PushResult {
    const result = this.#wire.delivered(push);
    if (result.kind === 'accepted') this.acceptedMs = this.#runtime.elapsedMs;
    return result;
  }

  #answer(push: AnyPush, isInTime: boolean): PushResult {
    if (!isInTime) return OUR_FAULT;
    switch (this.mood) {
      case 'accepts':
        return this.#take(push);
      case 'lost':
        this.#wire.delivered(push);
        return OUR_FAULT;
      case 'crowded':
        return { kind: 'retry', reason: 'server_busy', isUnsent: true };
      case 'throttles':
        return { kind: 'retry', reason: 'TooManyRequests', afterMs: THROTTLE_MS, isAnswered: true };
      case 'rejected':
      case 'misconfigured':
        return { kind: this.mood, reason: 'refused' };
      default:
        return OUR_FAULT;
    }
  }
}

const isHeld = ({ kind }: AnyPush): boolean => kind === 'channel_hold' || kind === 'channel_release';
