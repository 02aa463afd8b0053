/** Text messages through Twilio, or a service that speaks its protocol. Each costs money, so they are capped. */

import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { parseForm } from '../../lib/form.ts';
import { words } from '../../lib/words.ts';
import type { ChannelHttp } from '../channel-http.ts';
import {
  type Address,
  AddressProblem,
  type ChannelEvent,
  type ChannelMessage,
  type ChannelProvider,
  type HookRequest,
} from '../channel-provider.ts';
import type { PushResult } from '../gateway.ts';
import { timeToLiveSeconds } from '../payload-limits.ts';
import { classify, classifyAccount } from './classify.ts';
import { buildText, shownTitle } from './payload.ts';
import { isSigned, toEvents } from './reports.ts';
import { type Cap, codeCaps, nudgeCaps } from './sms-caps.ts';
import { countSegments } from './sms-segments.ts';

const IN_FLIGHT = 10;
const NUMBER = /^\+[1-9]\d{6,14}$/;
const SERVICE = /^MG[0-9a-f]{32}$/;
/**
 * Each is paid for, so a task gets few in a day, whatever its ladder says: a nudge that nobody answers goes on through
 * the other channels. Nobody opens the app to keep text messages coming.
 */
const SMS_LIMITS = { mostPerDay: 12, repeatsUpToPerDay: 6, stopsAfterIdleMs: Number.POSITIVE_INFINITY };

/** How long the service may keep a message for a phone that is off. */
const LONGEST_VALIDITY_SECONDS = 14_400;

export interface SmsOptions {
  readonly origin: string;
  readonly accountSid: string;
  readonly authToken: string;
  /** A number, a name, or a messaging service. */
  readonly from: string;
  readonly segmentsPerDay: number;
  /** Calling codes. Numbers elsewhere that were confirmed before go on. */
  readonly countries: readonly string[];
  readonly hookUrl: string;
  /** Whether the service can reach it. */
  readonly canBeCalled: boolean;
}

/** Counters that all processes share and that survive restarts. */
export interface SmsCounters {
  /** Adds to a counter, which starts again when its window is over. Returns its new value. */
  count(counter: string, amount: number, windowMs: number): Promise<number>;
  uncount(counter: string, amount: number): Promise<void>;
}

export class SmsProvider implements ChannelProvider {
  readonly kind = {
    provider: 'sms',
    title: words.channels.sms.title,
    summary: words.channels.sms.summary,
    fields: [
      {
        name: 'number',
        ...words.channels.sms.number,
        type: 'phone',
        required: true,
        secret: false,
      },
    ],
    confirmation: 'code',
    abilities: { replaces: false, retracts: false, buttons: false, receipts: true },
    strengths: words.channels.sms.strengths,
    tier: 1,
  } as const;
  readonly shownTitle = shownTitle;
  readonly maxInFlight = IN_FLIGHT;
  readonly isForNudgesOnly = true;
  readonly limits = SMS_LIMITS;
  readonly #http: ChannelHttp;
  readonly #clock: Clock;
  readonly #options: SmsOptions;
  readonly #counters: SmsCounters;

  constructor(http: ChannelHttp, clock: Clock, options: SmsOptions, counters: SmsCounters) {
    this.#http = http;
    this.#clock = clock;
    this.#options = options;
    this.#counters = counters;
  }

  readAddress({ number: written = '' }: Address, before?: Address): Address | AddressProblem {
    const number = (written || (before?.number ?? '')).replaceAll(/[\s().-]/g, '').replace(/^00/, '+');
    if (!NUMBER.test(number)) return new AddressProblem('number', 'start with + and the code of the country');
    if (number === before?.number || this.#isOffered(number)) return { number };
    return new AddressProblem('number', words.channels.sms.otherCountry(this.#options.countries));
  }

  #isOffered(number: string): boolean {
    return this.#options.countries.some((country) => number.startsWith(country));
  }

  identify({ number = '' }: Address): string {
    return number;
  }

  label({ number = '' }: Address): string {
    return `${number.slice(0, 3)} …${number.slice(-3)}`;
  }

  originOf(): string {
    return this.#options.origin;
  }

  async send(message: ChannelMessage, { number = '' }: Address, signal: AbortSignal): Promise<PushResult> {
    const { userId, confirm } = message;
    if (confirm && !this.#isOffered(number)) return { kind: 'rejected', reason: 'country_not_offered' };
    const text = buildText(message);
    const { segmentsPerDay } = this.#options;
    const counted = { userId, number, segments: countSegments(text) };
    const caps = confirm ? codeCaps(counted, confirm.asker, segmentsPerDay) : nudgeCaps(counted, segmentsPerDay);
    const refused = await this.#findExceeded(caps);
    // A message over the cap is not kept for later: the nudge falls to the next tier at once.
    if (refused) return { kind: 'rejected', reason: refused.reason };
    const result = classify(await this.#post(message, number, text, signal), this.#clock.now());
    // After a refusal nothing was sent. Without an answer, which throws above, the message may have been sent.
    if (result.kind !== 'accepted') await this.#uncount(caps);
    return result;
  }

  async #findExceeded(caps: readonly Cap[]): Promise<Cap | undefined> {
    const before: number[] = [];
    for (const [index, cap] of caps.entries()) {
      const count = await this.#counters.count(cap.counter, cap.amount, cap.windowMs);
      const isWithin = count <= cap.most(before);
      before.push(count);
      if (isWithin) continue;
      await this.#uncount(caps.slice(0, index + 1));
      return cap;
    }
    return undefined;
  }

  async #uncount(caps: readonly Cap[]): Promise<void> {
    for (const { counter, amount } of caps) await this.#counters.uncount(counter, amount);
  }

  #post({ expiresAt }: ChannelMessage, number: string, text: string, signal: AbortSignal) {
    const { from, hookUrl, canBeCalled } = this.#options;
    const seconds = timeToLiveSeconds(expiresAt, this.#clock.now());
    const form = new URLSearchParams({
      To: number,
      [SERVICE.test(from) ? 'MessagingServiceSid' : 'From']: from,
      Body: text,
      ValidityPeriod: String(Math.min(Math.max(seconds, 1), LONGEST_VALIDITY_SECONDS)),
      ...(canBeCalled && { StatusCallback: hookUrl }),
    });
    const headers = { ...this.#credentials, 'Content-Type': 'application/x-www-form-urlencoded' };
    const url = `${this.#account}/Messages.json`;
    return this.#http.requestTrusted({ url, headers, body: form.toString() }, signal);
  }

  get #account(): string {
    return `${this.#options.origin}/2010-04-01/Accounts/${this.#options.accountSid}`;
  }

  get #credentials() {
    const { accountSid, authToken } = this.#options;
    return { Authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}` };
  }

  async probe(signal: AbortSignal): Promise<PushResult> {
    const request = { method: 'GET', url: `${this.#account}.json`, headers: this.#credentials } as const;
    return classifyAccount(await this.#http.requestTrusted(request, signal), this.#clock.now());
  }

  async hook({ headers, body }: HookRequest): Promise<readonly ChannelEvent[]> {
    const { authToken, hookUrl } = this.#options;
    const form = parseForm(body);
    const signature = String(headers['x-twilio-signature'] ?? '');
    if (!isSigned(authToken, hookUrl, form, signature)) throw new AppError('unauthenticated');
    return toEvents(form);
  }
}
