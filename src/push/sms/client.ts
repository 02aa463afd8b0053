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
  type HeldMessage,
  type HookRequest,
} from '../channel-provider.ts';
import type { HeldRef, Holds, PushResult } from '../gateway.ts';
import { timeToLiveSeconds } from '../payload-limits.ts';
import { classify, classifyAccount } from './classify.ts';
import { HeldTexts, LONGEST_DELAY_MS, SHORTEST_DELAY_MS } from './held-texts.ts';
import { buildText, HELD_SEGMENTS, shownTitle } from './payload.ts';
import { isSigned, toEvents } from './reports.ts';
import { type Cap, codeCaps, heldSegments, nudgeCaps, soundedCounters } from './sms-caps.ts';
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
  /** Whether it holds messages, of which some are sounded at the operator's cost if the service is silent. */
  readonly isHolding: boolean;
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

const kindOf = ({ isHolding }: SmsOptions) =>
  ({
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
    abilities: { replaces: false, retracts: false, buttons: false, receipts: true, holds: isHolding },
    strengths: words.channels.sms.strengths,
    tier: 1,
  }) as const;

export class SmsProvider implements ChannelProvider {
  readonly kind;
  readonly shownTitle = shownTitle;
  readonly maxInFlight = IN_FLIGHT;
  readonly isForNudgesOnly = true;
  readonly limits = SMS_LIMITS;
  readonly holds: Holds | undefined;
  readonly #http: ChannelHttp;
  readonly #clock: Clock;
  readonly #options: SmsOptions;
  readonly #counters: SmsCounters;
  readonly #held: HeldTexts;

  constructor(http: ChannelHttp, clock: Clock, options: SmsOptions, counters: SmsCounters) {
    this.#http = http;
    this.#clock = clock;
    this.#options = options;
    this.#counters = counters;
    this.kind = kindOf(options);
    const { from, isHolding, segmentsPerDay } = options;
    this.#held = new HeldTexts({
      clock,
      from,
      request: (path, form, signal) => http.requestOnce(this.#requestOf(path, form), signal),
      countSent: (number, segments) => this.#countSent(number, segments),
    });
    this.holds = isHolding
      ? {
          minMs: SHORTEST_DELAY_MS,
          maxMs: LONGEST_DELAY_MS,
          mostPaid: Math.floor(heldSegments(segmentsPerDay) / HELD_SEGMENTS),
          isElsewhere: () => true,
        }
      : undefined;
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
    const { segmentsPerDay, isHolding } = this.#options;
    const counted = { userId, number, segments: countSegments(text) };
    const caps = confirm
      ? codeCaps(counted, confirm.asker, segmentsPerDay)
      : nudgeCaps(counted, segmentsPerDay, isHolding);
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
    return this.#http.requestTrusted(this.#requestOf('/Messages.json', form), signal);
  }

  /** `path` follows the address of the account. */
  #requestOf(path: string, form: URLSearchParams | null) {
    const { accountSid, authToken, origin } = this.#options;
    const headers = { Authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}` };
    const url = `${origin}/2010-04-01/Accounts/${accountSid}${path}`;
    if (!form) return { method: 'GET', url, headers } as const;
    return { url, headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' }, body: form.toString() };
  }

  async hold(message: HeldMessage, { number = '' }: Address, signal: AbortSignal): Promise<PushResult> {
    return this.#held.hold(message, number, signal);
  }

  /** Also of messages that were held before the operator switched that off. */
  async release(held: HeldRef, { number = '' }: Address, signal: AbortSignal): Promise<PushResult> {
    return this.#held.release(held, number, signal);
  }

  async #countSent(number: string, segments: number): Promise<void> {
    for (const { counter, windowMs } of soundedCounters(number))
      await this.#counters.count(counter, segments, windowMs);
  }

  async probe(signal: AbortSignal): Promise<PushResult> {
    const answer = await this.#http.requestTrusted(this.#requestOf('.json', null), signal);
    return classifyAccount(answer, this.#clock.now());
  }

  async hook({ headers, body }: HookRequest): Promise<readonly ChannelEvent[]> {
    const { authToken, hookUrl } = this.#options;
    const form = parseForm(body);
    const signature = String(headers['x-twilio-signature'] ?? '');
    if (!isSigned(authToken, hookUrl, form, signature)) throw new AppError('unauthenticated');
    return toEvents(form);
  }
}
