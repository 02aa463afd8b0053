/**
 * Text messages that the service's messaging service keeps for us.
 *
 * It names a message itself, and cannot move one. So a new one is made before the old one is cancelled: a crash in between
 * sounds two, and never none. If an answer was lost, a message is there whose name is not known here. The next attempt
 * finds it in the list of messages to the number.
 */
import type { Clock } from '../../lib/clock.ts';
import type { Answer } from '../../outbound/http-sender.ts';
import { fieldsOf } from '../channel-answer.ts';
import type { HeldMessage } from '../channel-provider.ts';
import type { HeldRef, PushResult } from '../gateway.ts';
import { classify, isOutOfRange, isTooLateToCancel } from './classify.ts';
import { buildHeldText, isHeldText } from './payload.ts';

/** Twilio asks for 5 minutes; a request on the way takes some time, and two clocks may differ. */
export const SHORTEST_DELAY_MS = 6 * 60_000;
/** Some of its pages still say 15 minutes. */
const ALWAYS_TAKEN_MS = 16 * 60_000;
/** Twilio takes 35 days. What a service leaves behind that is gone for good ends sooner, and costs little. */
export const LONGEST_DELAY_MS = 3 * 86_400_000;

const SID = /^[A-Z]{2}[0-9a-f]{32}$/;
const PER_PAGE = 100;
const MOST_PAGES = 5;
/** Another process waits for an answer no longer than this. An unknown message that is younger may be its own. */
const ANSWERED_WITHIN_MS = 30_000;

interface ListedMessage {
  readonly sid: string;
  readonly status: string;
  readonly body: string;
  readonly messaging_service_sid: string | null;
  readonly date_created: string;
}

interface HeldTextsParts {
  readonly clock: Clock;
  /** The messaging service. */
  readonly from: string;
  /** `path` follows the address of the account. A form is posted. */
  readonly request: (path: string, form: URLSearchParams | null, signal: AbortSignal) => Promise<Answer>;
  /** Counts what was sent after all. */
  readonly countSent: (number: string, segments: number) => Promise<void>;
}

export class HeldTexts {
  readonly #parts: HeldTextsParts;

  constructor(parts: HeldTextsParts) {
    this.#parts = parts;
  }

  async hold(message: HeldMessage, number: string, signal: AbortSignal): Promise<PushResult> {
    const strays = await this.#findStrays(message, number, signal);
    if ('kind' in strays) return strays;
    let answer = await this.#create(message, message.delayMs, number, signal);
    if (isOutOfRange(answer) && message.delayMs < ALWAYS_TAKEN_MS)
      answer = await this.#create(message, ALWAYS_TAKEN_MS, number, signal);
    const result = classify(answer, this.#parts.clock.now());
    if (result.kind !== 'accepted') return result;
    if (result.ref === undefined) return { kind: 'retry', reason: 'no_reference', isAnswered: true };
    return this.#cancelAll([message.ref, ...strays.sids], number, signal, result);
  }

  async release(held: HeldRef, number: string, signal: AbortSignal): Promise<PushResult> {
    const strays = await this.#findStrays(held, number, signal);
    if ('kind' in strays) return strays;
    return this.#cancelAll([held.ref, ...strays.sids], number, signal, { kind: 'accepted' });
  }

  #create({ title, body }: HeldMessage, delayMs: number, number: string, signal: AbortSignal): Promise<Answer> {
    const { from, clock, request } = this.#parts;
    const at = new Date(clock.now().getTime() + delayMs);
    const form = new URLSearchParams({
      To: number,
      MessagingServiceSid: from,
      Body: buildHeldText(title, body),
      ScheduleType: 'fixed',
      SendAt: at.toISOString().replace(/\.\d+Z$/, 'Z'),
    });
    return request('/Messages.json', form, signal);
  }

  /** Messages of ours that an earlier attempt has left there, or why they cannot be told. */
  async #findStrays(
    { ref, isRetry, known }: HeldRef,
    number: string,
    signal: AbortSignal,
  ): Promise<{ readonly sids: readonly string[] } | PushResult> {
    if (!isRetry) return { sids: [] };
    const { clock, from } = this.#parts;
    const listed: ListedMessage[] = [];
    let path = `/Messages.json?${new URLSearchParams({ To: number, PageSize: String(PER_PAGE) })}`;
    for (let page = 0; page < MOST_PAGES && path !== ''; page += 1) {
      const answer = await this.#parts.request(path, null, signal);
      if (answer.status >= 300) return classify(answer, clock.now());
      const { messages, next_page_uri } = fieldsOf<{ messages: ListedMessage[]; next_page_uri: string }>(answer.body);
      if (!messages) return { kind: 'retry', reason: 'no_list', isAnswered: true };
      listed.push(...messages);
      path = /\/Messages\.json.*$/.exec(next_page_uri ?? '')?.[0] ?? '';
    }
    const scheduled = listed.filter(
      ({ sid, status, body, messaging_service_sid }) =>
        status === 'scheduled' && messaging_service_sid === from && sid !== ref && isHeldText(body),
    );
    const others = new Set(await known(scheduled.map(({ sid }) => sid)));
    const strays = scheduled.filter(({ sid }) => !others.has(sid));
    const settledBy = clock.now().getTime() - ANSWERED_WITHIN_MS;
    if (strays.some(({ date_created }) => Date.parse(date_created) > settledBy))
      return { kind: 'retry', reason: 'unknown_message', afterMs: ANSWERED_WITHIN_MS, isAnswered: true };
    return { sids: strays.map(({ sid }) => sid) };
  }

  /** Returns `result` once all are cancelled or sent. */
  async #cancelAll(
    refs: readonly string[],
    number: string,
    signal: AbortSignal,
    result: PushResult,
  ): Promise<PushResult> {
    const { clock, request } = this.#parts;
    for (const sid of refs.filter((ref) => SID.test(ref))) {
      const answer = await request(`/Messages/${sid}.json`, new URLSearchParams({ Status: 'canceled' }), signal);
      if (isTooLateToCancel(answer)) await this.#countSent(sid, number, signal);
      else if (answer.status >= 300 && answer.status !== 404) return classify(answer, clock.now());
    }
    return result;
  }

  async #countSent(sid: string, number: string, signal: AbortSignal): Promise<void> {
    const { body } = await this.#parts.request(`/Messages/${sid}.json`, null, signal);
    const { status, num_segments } = fieldsOf<{ status: string; num_segments: string }>(body);
    if (status !== 'canceled') await this.#parts.countSent(number, Number(num_segments) || 1);
  }
}
