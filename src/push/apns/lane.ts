/** One of Apple's two environments: its line, what its answers mean, and the breaker before it. */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { Breaker } from '../breaker.ts';
import type { PushResult } from '../gateway.ts';
import { classify } from './classify.ts';
import type { AddressedRequest, Peer } from './connection.ts';
import { Line, type LineEnding } from './line.ts';
import type { ProviderToken } from './provider-token.ts';

export class Lane {
  readonly #line: Line;
  readonly #breaker: Breaker;
  readonly #logger: Logger;

  constructor(peer: Peer, token: ProviderToken, clock: Clock) {
    this.#line = new Line(peer, token, clock);
    this.#logger = peer.logger;
    this.#breaker = new Breaker(clock, {
      isRefusal,
      closed: () => this.#logger.info({ origin: peer.origin }, 'Apple takes pushes again'),
    });
  }

  get isConnected(): boolean {
    return this.#line.isConnected;
  }

  get room(): number {
    return this.#line.room;
  }

  get isRefused(): boolean {
    return this.#breaker.isOpen;
  }

  send(request: AddressedRequest, signal: AbortSignal): Promise<PushResult> {
    return this.#breaker.guard(() => this.#deliver(request, signal));
  }

  close(): Promise<void> {
    return this.#line.close();
  }

  #deliver(request: AddressedRequest, signal: AbortSignal): Promise<PushResult> {
    return new Promise((resolve) => this.#line.send(request, signal, (ending) => resolve(this.#judge(ending))));
  }

  #judge(ending: LineEnding): PushResult {
    const result = toResult(ending);
    if (this.#breaker.opensOn(result)) {
      this.#logger.error({ result }, 'Apple refuses our credentials; no push gets through until they are mended');
      this.#line.dismiss(ending);
    }
    return result;
  }
}

/** A token that is refused as expired although it is new says that our clock is wrong. */
const isRefusal = (result: PushResult) =>
  result.kind === 'misconfigured' || (result.kind === 'retry' && result.reason === 'ExpiredProviderToken');

/** What Node calls a certificate that it does not believe. Asking again does not help: somebody has to trust it. */
const UNTRUSTED = /^(ERR_TLS_CERT_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

function toResult(ending: LineEnding): PushResult {
  if (ending.kind === 'answered') return classify(ending.answer);
  if (ending.kind === 'unanswered') return { kind: 'retry', reason: ending.reason };
  const code = ending.error && 'code' in ending.error ? String(ending.error.code) : '';
  if (UNTRUSTED.test(code)) return { kind: 'misconfigured', reason: code };
  return { kind: 'retry', reason: 'unreachable', afterMs: ending.afterMs };
}
