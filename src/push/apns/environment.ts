/** One of Apple's two environments: its request queue, its circuit breaker, and what its answers mean. */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { Breaker, POLICIES } from '../breaker.ts';
import type { PushResult } from '../gateway.ts';
import { classify } from './classify.ts';
import type { AddressedRequest, ConnectionOptions } from './connection.ts';
import type { ProviderToken } from './provider-token.ts';
import { type RequestEnding, RequestQueue } from './request-queue.ts';

export class ApnsEnvironment {
  readonly #queue: RequestQueue;
  readonly #breaker: Breaker;
  readonly #logger: Logger;
  readonly #origin: string;

  constructor(options: ConnectionOptions, token: ProviderToken, clock: Clock) {
    this.#queue = new RequestQueue(options, token, clock);
    this.#logger = options.logger;
    this.#origin = options.origin;
    this.#breaker = new Breaker(POLICIES.provider, clock);
  }

  get isConnected(): boolean {
    return this.#queue.isConnected;
  }

  get capacity(): number {
    return this.#queue.capacity;
  }

  get isRefused(): boolean {
    return this.#breaker.isOpen();
  }

  send(request: AddressedRequest, signal: AbortSignal): Promise<PushResult> {
    return this.#breaker.guard(() => this.#enqueue(request, signal));
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  #enqueue(request: AddressedRequest, signal: AbortSignal): Promise<PushResult> {
    return new Promise((resolve) => this.#queue.send(request, signal, (ending) => resolve(this.#onEnding(ending))));
  }

  #onEnding(ending: RequestEnding): PushResult {
    const result = toResult(ending);
    const change = this.#breaker.note(result);
    if (change === 'closed') this.#logger.info({ origin: this.#origin }, 'Apple accepts pushes again');
    if (change === 'opened') {
      this.#logger.error({ result }, 'Apple refuses our credentials; no push gets through until they are corrected');
      this.#queue.endWaiting(ending);
    }
    return result;
  }
}

/** Node's error codes for an untrusted certificate. A retry does not help until the certificate is trusted. */
const UNTRUSTED = /^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function toResult(ending: RequestEnding): PushResult {
  if (ending.kind === 'answered') return classify(ending.answer);
  if (ending.kind === 'unanswered') return { kind: 'retry', reason: ending.reason };
  const code = ending.error && 'code' in ending.error ? String(ending.error.code) : '';
  if (UNTRUSTED.test(code)) return { kind: 'misconfigured', reason: code };
  return { kind: 'retry', reason: 'unreachable', afterMs: ending.afterMs };
}
