/**
 * Web Push: sends to browsers, each through the push service of its maker.
 *
 * A refusal opens no circuit breaker: a subscription that was made with another key gets 403, and that says
 * nothing about the other subscriptions.
 */
import type { VapidKeys } from '../../keys/vapid-keys.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { findServer } from '../../lib/server-of.ts';
import type { AllowedEndpoint } from '../../outbound/endpoint.ts';
import { GuardedHttp } from '../../outbound/guarded-http.ts';
import type { Resolve } from '../../outbound/name-resolver.ts';
import type { OnPrivateName } from '../../outbound/public-lookup.ts';
import type { Gateway, NudgePush, Push, PushResult, RequestPush, TestPush } from '../gateway.ts';
import { Servers } from '../servers.ts';
import { classify } from './classify.ts';
import { encrypt } from './encrypt.ts';
import { buildPayload } from './payload.ts';
import { VapidHeaders } from './vapid-header.ts';

const MAX_IN_FLIGHT = 200;

export interface WebPushOptions {
  readonly keys: VapidKeys;
  /** How a push service contacts the operator. Apple refuses every push without a subject or with one on localhost. */
  readonly subject: string;
  readonly hosts: readonly string[];
  /** Where the web app is, without a trailing slash. */
  readonly baseUrl: string;
  /** Real time, because the push service reads the signed token and the time to live. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly maxInFlight?: number;
  readonly timeoutMs?: number;
  readonly onPrivateName?: OnPrivateName;
  readonly resolve?: Resolve;
}

export class WebPushGateway implements Gateway {
  readonly #baseUrl: string;
  readonly #clock: Clock;
  readonly #vapidHeaders: VapidHeaders;
  readonly #http: GuardedHttp;
  readonly #services: Servers;
  readonly placesPerServer: number;

  /** Throws if the keys are not a pair. */
  constructor(options: WebPushOptions) {
    this.#baseUrl = options.baseUrl;
    this.#clock = options.clock;
    this.#vapidHeaders = new VapidHeaders(options.keys, options.subject, options.clock);
    const { hosts, timeoutMs, resolve, onPrivateName } = options;
    this.#http = new GuardedHttp({ hosts, timeoutMs, resolve, onPrivateName });
    const maxInFlight = options.maxInFlight ?? MAX_IN_FLIGHT;
    this.placesPerServer = maxInFlight - Math.floor(maxInFlight / 4);
    const { placesPerServer } = this;
    this.#services = new Servers({ maxInFlight, placesPerServer }, options.clock, options.logger);
  }

  async send(push: Push, signal: AbortSignal): Promise<PushResult> {
    const isShown = push.kind === 'nudge' || push.kind === 'request' || push.kind === 'test';
    if (!isShown) return { kind: 'rejected', reason: 'unsupported' };
    const endpoint = this.#http.findEndpoint(push.target.token);
    // The operator may allow a refused endpoint with WEB_PUSH_HOSTS. A text that is not a URL never becomes valid.
    if (!endpoint && !URL.canParse(push.target.token)) return { kind: 'gone', reason: 'malformed_endpoint' };
    if (!endpoint) return { kind: 'rejected', reason: 'endpoint_not_allowed' };
    const { token } = push.target;
    const destination = { server: findServer(token), recipient: token, isAwaited: push.kind === 'test' };
    return this.#services.send(destination, signal, () => this.#deliver(push, endpoint, signal));
  }

  async #deliver(
    push: NudgePush | RequestPush | TestPush,
    endpoint: AllowedEndpoint,
    signal: AbortSignal,
  ): Promise<PushResult> {
    const { plaintext, headers } = buildPayload(push, this.#baseUrl, this.#clock.now());
    const post = {
      headers: {
        ...headers,
        Authorization: await this.#vapidHeaders.headerFor(endpoint.url.origin),
        'Content-Type': 'application/octet-stream',
        'Content-Encoding': 'aes128gcm',
      },
      body: encrypt(plaintext, push.target.keys),
    };
    return classify(await this.#http.post(push.target.token, post, signal), this.#clock.now());
  }

  capacity(): number {
    return this.#services.capacity;
  }

  async close(): Promise<void> {
    this.#services.close();
    this.#http.close();
  }
}
