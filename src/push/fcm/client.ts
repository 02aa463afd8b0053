/** Firebase Cloud Messaging, HTTP v1: Android devices. */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ServiceAccount } from '../../lib/setting.ts';
import { Breaker } from '../breaker.ts';
import type { Gateway, NudgePush, Push, PushResult, TestPush } from '../gateway.ts';
import { type Answer, HttpSender } from '../http-sender.ts';
import { InFlight } from '../in-flight.ts';
import { resultOf } from '../undelivered.ts';
import { AccessTokens } from './access-token.ts';
import { classify, isUnauthenticated } from './classify.ts';
import { messageOf } from './payload.ts';

/** At 40 ms a round trip this came to 4,000 pushes a second over HTTP/1.1; HTTP/2 was no faster here, and fetch half as fast. */
const MOST_IN_FLIGHT = 200;

export interface FcmOptions {
  readonly account: ServiceAccount;
  readonly origin: string;
  /** Real time: access tokens and time to live are read by Google. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly mostInFlight?: number;
  readonly timeoutMs?: number;
  /** FCM judges the message as if it were sent, and sends nothing. */
  readonly validateOnly?: boolean;
}

export class FcmGateway implements Gateway {
  readonly #url: URL;
  readonly #validateOnly: boolean;
  readonly #clock: Clock;
  readonly #sender: HttpSender;
  readonly #tokens: AccessTokens;
  readonly #breaker: Breaker;
  readonly #logger: Logger;
  readonly #inFlight: InFlight;

  constructor(options: FcmOptions) {
    const { account, origin, clock, logger, mostInFlight = MOST_IN_FLIGHT, timeoutMs } = options;
    this.#validateOnly = options.validateOnly ?? false;
    this.#url = new URL(`/v1/projects/${encodeURIComponent(account.projectId)}/messages:send`, origin);
    this.#clock = clock;
    this.#sender = new HttpSender(timeoutMs);
    this.#tokens = new AccessTokens(account, this.#sender, clock);
    this.#logger = logger;
    this.#breaker = new Breaker(clock, {
      isRefusal: ({ kind }) => kind === 'misconfigured',
      closed: () => logger.info('FCM takes pushes again'),
    });
    this.#inFlight = new InFlight(mostInFlight, logger);
  }

  async send(push: Push, signal: AbortSignal): Promise<PushResult> {
    if (push.kind !== 'nudge' && push.kind !== 'test') return { kind: 'rejected', reason: 'unsupported' };
    const deliver = async () => this.#notice(await this.#deliver(push, signal).catch(resultOf));
    return this.#inFlight.run(signal, () => this.#breaker.guard(deliver));
  }

  #notice(result: PushResult): PushResult {
    if (this.#breaker.opensOn(result)) {
      this.#logger.error({ result }, 'FCM takes no push until FCM_SERVICE_ACCOUNT is mended');
    }
    return result;
  }

  async #deliver(push: NudgePush | TestPush, signal: AbortSignal): Promise<PushResult> {
    const message = messageOf(push, this.#clock.now());
    const body = JSON.stringify(this.#validateOnly ? { validate_only: true, message } : { message });
    const token = await this.#tokens.get();
    let answer = await this.#post(body, token, signal);
    if (isUnauthenticated(answer)) {
      this.#tokens.forget(token);
      answer = await this.#post(body, await this.#tokens.get(), signal);
    }
    return classify(answer, this.#clock.now());
  }

  #post(body: string, token: string, signal: AbortSignal): Promise<Answer> {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    return this.#sender.post(this.#url, { headers, body }, signal);
  }

  room(): number {
    return this.#inFlight.room;
  }

  isRefused(): boolean {
    return this.#breaker.isOpen;
  }

  async close(): Promise<void> {
    this.#inFlight.close();
    this.#sender.close();
  }
}
