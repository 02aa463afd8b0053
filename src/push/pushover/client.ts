/**
 * Pushover: a person subscribes to the operator's application on Pushover's site and comes back with a key for it. Anyone
 * can come back with any key, so a code is sent to it. At stage 2 the phone rings until the person acknowledges it, and
 * Pushover reports that through a callback.
 */

import { createHash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { parseForm } from '../../lib/form.ts';
import { hashToken, isEqualSecret } from '../../lib/secrets.ts';
import { words } from '../../lib/words.ts';
import type { ChannelHttp } from '../channel-http.ts';
import type {
  Address,
  ChannelEvent,
  ChannelMessage,
  ChannelProvider,
  HookRequest,
  Nudged,
  Retraction,
} from '../channel-provider.ts';
import type { PushResult } from '../gateway.ts';
import { classify, classifyCancel, classifyLimits, isAcknowledged } from './classify.ts';
import { buildMessage, isAlarm, shownTitle } from './payload.ts';

/** Pushover allows two connections at a time. */
const CONNECTIONS = 2;
const USER_KEY = /^[A-Za-z0-9]{20,40}$/;
const RECEIPT = /^[A-Za-z0-9]{20,40}$/;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

export interface PushoverOptions {
  readonly token: string;
  readonly origin: string;
  readonly subscriptionUrl: string;
  /** Our hook, for the browser of the person. */
  readonly hookUrl: string;
  /** Whether Pushover can reach it too. */
  readonly canBeCalled: boolean;
}

export class PushoverProvider implements ChannelProvider {
  readonly kind = {
    provider: 'pushover',
    title: words.channels.pushover.title,
    summary: words.channels.pushover.summary,
    fields: [],
    confirmation: 'link',
    abilities: { replaces: false, retracts: false, buttons: false, receipts: true },
    strengths: words.channels.pushover.strengths,
    tier: 0,
  } as const;
  readonly shownTitle = shownTitle;
  readonly maxInFlight = CONNECTIONS;
  readonly #http: ChannelHttp;
  readonly #clock: Clock;
  readonly #options: PushoverOptions;
  /** Callbacks are not signed, so their URL has a secret that only Pushover and we know. */
  readonly #secret: string;

  constructor(http: ChannelHttp, clock: Clock, options: PushoverOptions) {
    this.#http = http;
    this.#clock = clock;
    this.#options = options;
    this.#secret = createHash('sha256').update(`crescendo hook ${options.token}`).digest('hex');
  }

  /** A person enters nothing: the key comes back with the browser. */
  readAddress(): Address {
    return {};
  }

  identify({ user = '' }: Address): string {
    return user;
  }

  label({ user = '' }: Address): string {
    return `Pushover …${user.slice(-4)}`;
  }

  originOf(): string {
    return this.#options.origin;
  }

  async probe(signal: AbortSignal): Promise<PushResult> {
    const { origin, token } = this.#options;
    const url = `${origin}/1/apps/limits.json?token=${token}`;
    return classifyLimits(await this.#http.requestTrusted({ method: 'GET', url }, signal));
  }

  async linkFor(code: string): Promise<string> {
    const url = new URL(this.#options.subscriptionUrl);
    const back = `${this.#options.hookUrl}/${code}`;
    url.searchParams.set('success', back);
    url.searchParams.set('failure', back);
    return url.href;
  }

  async send(message: ChannelMessage, { user = '' }: Address, signal: AbortSignal): Promise<PushResult> {
    const { token, hookUrl, canBeCalled } = this.#options;
    const callback = canBeCalled ? `${hookUrl}/${this.#secret}` : null;
    const form = buildMessage(message, { token, user, callback }, this.#clock.now());
    return classify(await this.#post('messages.json', form, signal));
  }

  /** Used until the receipt is known. An alarm is cancelled by its tag, so any reference is enough. */
  refFor({ taskId, stage }: Nudged): string | undefined {
    return isAlarm(stage) ? taskId : undefined;
  }

  /** Only alarms have a receipt. All alarms of a task have its id as their tag. */
  async retract({ taskId }: Retraction, _address: Address, signal: AbortSignal): Promise<PushResult> {
    const form = new URLSearchParams({ token: this.#options.token });
    return classifyCancel(await this.#post(`receipts/cancel_by_tag/${taskId}.json`, form, signal));
  }

  #post(path: string, form: URLSearchParams, signal: AbortSignal) {
    const url = `${this.#options.origin}/1/${path}`;
    return this.#http.requestTrusted({ url, headers: FORM, body: form.toString() }, signal);
  }

  async hook(request: HookRequest): Promise<readonly ChannelEvent[]> {
    const { token = '', body } = request;
    return isEqualSecret(token, this.#secret) ? this.#readReceipt(body) : [await this.#readReturn(token, request)];
  }

  /** A callback names a receipt. The service trusts only what Pushover's API answers about that receipt. */
  async #readReceipt(body: string): Promise<ChannelEvent[]> {
    const ref = parseForm(body).get('receipt') ?? '';
    if (!RECEIPT.test(ref)) return [];
    const { origin, token } = this.#options;
    const url = `${origin}/1/receipts/${ref}.json?token=${token}`;
    const answer = await this.#http.requestTrusted({ method: 'GET', url });
    if (answer.status >= 500) throw new AppError('overloaded', { sentence: 'Pushover does not answer.' });
    return isAcknowledged(answer) ? [{ kind: 'confirmed', ref }] : [];
  }

  /**
   * The link must have been opened in the browser that asked for it. Otherwise a person who follows the link of a
   * stranger would subscribe to the stranger's reminders.
   */
  async #readReturn(code: string, { query, browserState, networkAddress }: HookRequest): Promise<ChannelEvent> {
    if (!isEqualSecret(browserState ?? '', hashToken(await this.linkFor(code)))) {
      const sentence = 'Open the link in the browser in which you added the channel, or add the channel again.';
      throw new AppError('unauthenticated', { sentence });
    }
    const user = query.pushover_user_key ?? '';
    if (USER_KEY.test(user)) return { kind: 'claimed', code, address: { user }, networkAddress };
    throw new AppError('channel_not_reached', { sentence: 'You did not subscribe, so nothing was connected.' });
  }
}
