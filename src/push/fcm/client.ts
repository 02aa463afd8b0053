/** Firebase Cloud Messaging, HTTP v1: Android devices. */
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { ServiceAccount } from '../../lib/setting.ts';
import { type Answer, HttpSender } from '../../outbound/http-sender.ts';
import { Breaker, POLICIES } from '../breaker.ts';
import type { Gateway, NudgePush, Push, PushResult, TestPush } from '../gateway.ts';
import { toPushResult } from '../push-error.ts';
import { SendLimiter } from '../send-limiter.ts';
import { AccessTokens } from './access-token.ts';
import { classify, isUnauthenticated } from './classify.ts';
import { buildMessage } from './payload.ts';

/** Measured with a round trip of 40 ms: 4,000 pushes a second over HTTP/1.1. HTTP/2 was no faster, and fetch half as fast. */
const MAX_IN_FLIGHT = 200;

export interface FcmOptions {
  readonly account: ServiceAccount;
  readonly origin: string;
  /** Real time, because Google reads access tokens and times to live. */
  readonly clock: Clock;
  readonly logger: Logger;
  readonly maxInFlight?: number;
  readonly timeoutMs?: number;
  /** FCM validates the message and does not deliver it. */
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
  readonly #limiter: SendLimiter;

  constructor(options: FcmOptions) {
    const { account, origin, clock, logger, maxInFlight = MAX_IN_FLIGHT, timeoutMs } = options;
    this.#validateOnly = options.validateOnly ?? false;
    this.#url = new URL(`/v1/projects/${encodeURIComponent(account.projectId)}/messages:send`, origin);
    this.#clock = clock;
    this.#sender = new HttpSender({ timeoutMs });
    this.#tokens = new AccessTokens(account, this.#sender, clock);
    this.#logger = logger;
    this.#breaker = new Breaker(POLICIES.provider, clock);
    this.#limiter = new SendLimiter(maxInFlight, logger);
  }

  async send(push: Push, signal: AbortSignal): Promise<PushResult> {
    if (push.kind !== 'nudge' && push.kind !== 'test') return { kind: 'rejected', reason: 'unsupported' };
    const deliver = async () => this.#note(await this.#deliver(push, signal).catch(toPushResult));
    return this.#limiter.run(signal, () => this.#breaker.guard(deliver));
  }

  #note(result: PushResult): PushResult {
    const change = this.#breaker.note(result);
    if (change === 'closed') this.#logger.info('FCM accepts pushes again');
    if (change === 'opened') {
      this.#logger.error(
        { result },
        'FCM refuses our credentials; no push gets through until FCM_SERVICE_ACCOUNT is corrected',
      );
    }
    return result;
  }

  async #deliver(push: NudgePush | TestPush, signal: AbortSignal): Promise<PushResult> {
    const message = buildMessage(push, this.#clock.now());
    const body = JSON.stringify(this.#validateOnly ? { validate_only: true, message } : { message });
    const token = await this.#tokens.get();
    let answer = await this.#post(body, token, signal);
    if (isUnauthenticated(answer)) {
      this.#tokens.discard(token);
      answer = await this.#post(body, await this.#tokens.get(), signal);
    }
    return classify(answer, this.#clock.now());
  }

  #post(body: string, token: string, signal: AbortSignal): Promise<Answer> {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    return this.#sender.post(this.#url, { headers, body }, signal);
  }

  capacity(): number {
    return this.#limiter.capacity;
  }

  isRefused(): boolean {
    return this.#breaker.isOpen();
  }

  async close(): Promise<void> {
    this.#limiter.close();
    this.#sender.close();
  }
}
