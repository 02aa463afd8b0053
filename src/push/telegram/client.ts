/**
 * Telegram: a bot of the operator writes to a person who has started it by a link. If Telegram can reach the service at
 * an https address, it reports pressed buttons and opened links to a webhook. Otherwise the service polls for them.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { isEqualSecret } from '../../lib/secrets.ts';
import { words } from '../../lib/words.ts';
import type { Answer } from '../../outbound/http-sender.ts';
import { fieldsOf } from '../channel-answer.ts';
import type { ChannelHttp } from '../channel-http.ts';
import type {
  Address,
  ChannelEvent,
  ChannelMessage,
  ChannelProvider,
  HookRequest,
  Retraction,
} from '../channel-provider.ts';
import type { PushResult } from '../gateway.ts';
import { classify, classifyRetraction, parseAnswer } from './classify.ts';
import { buildMessage } from './payload.ts';
import { toEvent, updateIdOf } from './updates.ts';

/** Telegram allows about 30 messages a second over all chats. */
const IN_FLIGHT = 20;
/** Shorter than the 5 s of a request. */
const POLL_SECONDS = 3;
const SECRET_HEADER = 'x-telegram-bot-api-secret-token';
const UPDATES = ['message', 'callback_query', 'my_chat_member'];

export interface TelegramOptions {
  /** The bot's token. It is part of every URL, so URLs are never logged. */
  readonly token: string;
  readonly origin: string;
  /** Where Telegram can call us; null to poll instead. */
  readonly hookUrl: string | null;
}

export class TelegramProvider implements ChannelProvider {
  readonly kind = {
    provider: 'telegram',
    title: words.channels.telegram.title,
    summary: words.channels.telegram.summary,
    fields: [],
    confirmation: 'link',
    abilities: { replaces: true, retracts: true, buttons: true, receipts: false },
    strengths: words.channels.telegram.strengths,
    tier: 0,
  } as const;
  readonly maxInFlight = IN_FLIGHT;
  readonly receive: ChannelProvider['receive'];
  readonly #http: ChannelHttp;
  readonly #clock: Clock;
  readonly #options: TelegramOptions;
  readonly #secret: string;
  #bot: string | undefined;

  constructor(http: ChannelHttp, clock: Clock, options: TelegramOptions) {
    this.#http = http;
    this.#clock = clock;
    this.#options = options;
    // Only Telegram and we know the token, so nobody else can compute this secret.
    this.#secret = createHash('sha256').update(`crescendo hook ${options.token}`).digest('hex');
    this.receive = options.hookUrl === null ? (cursor, signal) => this.#poll(cursor, signal) : undefined;
  }

  /** A person enters nothing: the chat comes back with the link. */
  readAddress(): Address {
    return {};
  }

  identify({ chat = '' }: Address): string {
    return chat;
  }

  label({ name = '' }: Address): string {
    return name;
  }

  originOf(): string {
    return this.#options.origin;
  }

  async probe(signal: AbortSignal): Promise<PushResult> {
    return classify(await this.#call('getMe', {}, signal), this.#clock.now());
  }

  async linkFor(code: string): Promise<string> {
    this.#bot ??= await this.#findName();
    if (this.#bot === undefined) throw new AppError('channel_not_reached', { sentence: 'Telegram does not answer.' });
    return `https://t.me/${this.#bot}?start=${code}`;
  }

  async #findName(): Promise<string | undefined> {
    const answer = await this.#call('getMe', {}).catch(() => undefined);
    return answer && (parseAnswer(answer).result as { username?: string } | undefined)?.username;
  }

  async send(message: ChannelMessage, { chat = '' }: Address, signal: AbortSignal): Promise<PushResult> {
    const answer = await this.#call('sendMessage', buildMessage(message, chat), signal);
    const result = classify(answer, this.#clock.now());
    // The new message takes the place of the old ones. What stays is deleted with the task. Nothing waits for that: the
    // message was accepted, and would be sent again if the time ran out.
    if (result.kind === 'accepted' && message.refs.length > 0)
      void this.#delete(chat, message.refs, signal).catch(() => undefined);
    return result;
  }

  async retract({ refs }: Retraction, { chat = '' }: Address, signal: AbortSignal): Promise<PushResult> {
    return classifyRetraction(await this.#delete(chat, refs, signal), this.#clock.now());
  }

  #delete(chat: string, refs: readonly string[], signal: AbortSignal): Promise<Answer> {
    return this.#call('deleteMessages', { chat_id: chat, message_ids: refs.map(Number) }, signal);
  }

  async hook({ headers, body }: HookRequest): Promise<readonly ChannelEvent[]> {
    if (!isEqualSecret(String(headers[SECRET_HEADER] ?? ''), this.#secret)) throw new AppError('unauthenticated');
    return this.#toEvents([fieldsOf(body)]);
  }

  /** Polls for updates. Telegram refuses that while a webhook is set, so the webhook is removed first. */
  async #poll(cursor: string | null, signal: AbortSignal) {
    const offset = Number(cursor ?? 0);
    const asked = { offset, timeout: POLL_SECONDS, allowed_updates: UPDATES };
    const answer = await this.#call('getUpdates', asked, signal);
    if (answer.status === 409) await this.#call('deleteWebhook', {}, signal);
    const { result } = parseAnswer(answer);
    const updates = Array.isArray(result) ? result : [];
    const next = Math.max(offset, ...updates.map((update) => updateIdOf(update) + 1));
    return { events: this.#toEvents(updates), cursor: String(next) };
  }

  /** Runs at every start: it costs nothing, and Telegram learns a changed address. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#options.hookUrl === null) return;
    const hook = { url: this.#options.hookUrl, secret_token: this.#secret, allowed_updates: UPDATES };
    const { status } = await this.#call('setWebhook', hook, signal);
    if (status !== 200) throw new Error(`Telegram did not take our address: ${status}`);
  }

  #toEvents(updates: readonly unknown[]): ChannelEvent[] {
    const answerButton = async (callback_query_id: string, text: string) =>
      void (await this.#call('answerCallbackQuery', { callback_query_id, text }));
    return updates.flatMap((update) => toEvent(update, answerButton) ?? []);
  }

  #call(method: string, body: object, signal?: AbortSignal): Promise<Answer> {
    const { origin, token } = this.#options;
    return this.#http.postJson(`${origin}/bot${token}/${method}`, body, signal);
  }
}
