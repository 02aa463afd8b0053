/**
 * Web Push: browsers, each through the push service that its maker runs.
 *
 * A refusal of our key is no reason to spare the others: whoever subscribed with another key makes
 * a service answer 403 for that one subscription alone.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Gateway, NudgePush, Push, PushResult, TestPush } from '../gateway.ts';
import { HttpSender } from '../http-sender.ts';
import { InFlight } from '../in-flight.ts';
import { classify } from './classify.ts';
import { encrypt } from './encrypt.ts';
import { allowList, publicLookup, type Resolve } from './endpoint.ts';
import { payloadOf } from './payload.ts';
import { VapidHeaders } from './vapid-header.ts';
import type { VapidKeys } from './vapid-keys.ts';

const MOST_IN_FLIGHT = 200;

export interface WebPushOptions {
  readonly keys: VapidKeys;
  /** How a push service reaches whoever runs this one; Apple's refuses every push that has none, or names localhost. */
  readonly subject: string;
  readonly hosts: readonly string[];
  /** Where the web app is, without a slash at its end. */
  readonly baseUrl: string;
  /** Real time: the signed token and the time to live are read by the push service. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mostInFlight?: number;
  readonly timeoutMs?: number;
  readonly resolve?: Resolve;
}

export class WebPushGateway implements Gateway {
  readonly #findEndpoint: ReturnType<typeof allowList>;
  readonly #publicLookup: ReturnType<typeof publicLookup>;
  readonly #baseUrl: string;
  readonly #clock: Clock;
  readonly #headers: VapidHeaders;
  readonly #sender: HttpSender;
  readonly #inFlight: InFlight;

  /** Throws where the keys are not a pair. */
  constructor(options: WebPushOptions) {
    this.#findEndpoint = allowList(options.hosts);
    this.#publicLookup = publicLookup(options.resolve);
    this.#baseUrl = options.baseUrl;
    this.#clock = options.clock;
    this.#headers = new VapidHeaders(options.keys, options.subject, options.clock);
    this.#sender = new HttpSender(options.timeoutMs);
    this.#inFlight = new InFlight(options.mostInFlight ?? MOST_IN_FLIGHT, options.logger);
  }

  async send(push: Push, signal: AbortSignal): Promise<PushResult> {
    if (push.kind !== 'nudge' && push.kind !== 'test') return { kind: 'rejected', reason: 'unsupported' };
    return this.#inFlight.run(signal, () => this.#deliver(push, signal));
  }

  async #deliver(push: NudgePush | TestPush, signal: AbortSignal): Promise<PushResult> {
    const endpoint = this.#findEndpoint(push.target.token);
    if (!endpoint) return { kind: 'rejected', reason: 'endpoint_not_allowed' };
    const { plaintext, headers } = payloadOf(push, this.#baseUrl, this.#clock.now());
    const post = {
      headers: {
        ...headers,
        Authorization: await this.#headers.headerFor(endpoint.url.origin),
        'Content-Type': 'application/octet-stream',
        'Content-Encoding': 'aes128gcm',
      },
      body: encrypt(plaintext, push.target.keys),
      lookup: endpoint.isNamed ? undefined : this.#publicLookup,
    };
    return classify(await this.#sender.post(endpoint.url, post, signal), this.#clock.now());
  }

  room(): number {
    return this.#inFlight.room;
  }

  async close(): Promise<void> {
    this.#inFlight.close();
    this.#sender.close();
  }
}
