import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type ChannelRig, create, HttpRig, type Refusal, refusalsBy, type ShownMessage } from './channel-rig.ts';
import type { ScriptedAnswer } from './faults.ts';
import type { Recorded } from './http-recorder.ts';
import type { Person } from './people.ts';

const BOT_TOKEN = `123456:${'a'.repeat(35)}`;
const HOOK_SECRET = createHash('sha256').update(`crescendo hook ${BOT_TOKEN}`).digest('hex');

/** A bot API that keeps the messages of chats, and deletes them. */
export class TelegramRig extends HttpRig implements ChannelRig {
  readonly provider = 'telegram';
  readonly abilities = { retracts: true };
  readonly stages = [-1, 0, 1, 2];
  readonly refusals = refusalsBy({
    retry: ['429 Too Many Requests: retry after 7', '502 Bad Gateway'],
    rejected: ['400 Bad Request: message text is empty'],
    gone: [
      '403 Forbidden: bot was blocked by the user',
      '403 Forbidden: user is deactivated',
      '403 Forbidden: bot was kicked from the group chat',
      '403 Forbidden: bot is not a member of the channel chat',
      '403 Forbidden: the group chat was deleted',
      '400 Bad Request: chat not found',
    ],
    misconfigured: ['401 Unauthorized', '404 Not Found'],
  });
  /** What is on the screen: by message id. */
  readonly chat = new Map<number, { readonly text: string; readonly data: string }>();
  readonly answers: string[] = [];
  readonly updates: unknown[] = [];
  #sent: number[] = [];
  #messageId = 0;
  #retracted = 0;

  get settings() {
    return { TELEGRAM_BOT_TOKEN: BOT_TOKEN, TELEGRAM_ORIGIN: this.server.origin };
  }

  override respond({ path, body }: Recorded): ScriptedAnswer {
    const method = path.replace(`/bot${BOT_TOKEN}/`, '');
    const input = JSON.parse(body || '{}');
    const ok = (result: unknown) => ({ status: 200, body: { ok: true, result } });
    switch (method) {
      case 'getMe':
        return ok({ id: 123456, is_bot: true, username: 'nudge_bot' });
      case 'setWebhook':
      case 'deleteWebhook':
        return ok(true);
      case 'sendMessage': {
        this.#messageId += 1;
        const data = input.reply_markup?.inline_keyboard[0][0].callback_data ?? '';
        assert.ok(Buffer.byteLength(data) <= 64);
        this.chat.set(this.#messageId, { text: input.text, data });
        this.#sent.push(this.#messageId);
        return ok({ message_id: this.#messageId, chat: { id: Number(input.chat_id) } });
      }
      case 'deleteMessages':
        for (const id of input.message_ids) this.#retracted += this.chat.delete(id) ? 1 : 0;
        return ok(true);
      case 'answerCallbackQuery':
        this.answers.push(input.text);
        return ok(true);
      case 'getUpdates':
        return ok(this.updates.filter((update) => (update as { update_id: number }).update_id >= input.offset));
      default:
        return { status: 404, body: { ok: false, error_code: 404, description: 'Not Found' } };
    }
  }

  /** What Telegram sends to the hook. */
  async report(update: object, secret = HOOK_SECRET): Promise<number | undefined> {
    const headers = { 'x-telegram-bot-api-secret-token': secret };
    return (await this.app?.ask({ method: 'POST', url: '/v1/hooks/telegram', payload: update, headers }))?.status;
  }

  async connect(person: Person, fields: object = {}): Promise<string> {
    const { id, made } = await create(person, { provider: 'telegram', ...fields });
    const code = /^https:\/\/t\.me\/nudge_bot\?start=([\w-]{20,64})$/.exec(made.link ?? '')?.[1];
    const chat = { id: 77, type: 'private', username: 'ada' };
    assert.equal(await this.report({ update_id: 1, message: { text: `/start ${code}`, chat } }), 200);
    return id;
  }

  take(): ShownMessage[] {
    return this.#sent.splice(0).map((id) => {
      const { text, data } = this.#all.get(id) ?? this.chat.get(id) ?? { text: '', data: '' };
      return { title: text.split('\n')[0] ?? '', page: data === '' ? '' : `/a/${data.slice(2)}`, stage: undefined };
    });
  }

  /** Messages that were replaced are still known here. */
  get #all(): ReadonlyMap<number, { readonly text: string; readonly data: string }> {
    const sends = this.server.requests.filter(({ path }) => path.endsWith('/sendMessage'));
    return new Map(
      sends.map(({ body }, index) => {
        const { text, reply_markup } = JSON.parse(body);
        return [index + 1, { text, data: reply_markup?.inline_keyboard[0][0].callback_data ?? '' }];
      }),
    );
  }

  override takeRetracted(): number {
    const retracted = this.#retracted;
    this.#retracted = 0;
    return retracted;
  }

  refuse({ name }: Refusal, times = 1): void {
    const [, code = '', description = ''] = /^(\d+) (.*)$/.exec(name) ?? [];
    const seconds = /retry after (\d+)/.exec(description)?.[1];
    const parameters = seconds ? { parameters: { retry_after: Number(seconds) } } : {};
    const body = { ok: false, error_code: Number(code), description, ...parameters };
    this.server.faults.next(...Array(times).fill({ status: Number(code), body }));
  }
}
