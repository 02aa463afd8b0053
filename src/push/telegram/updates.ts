/** Reads what Telegram reports: a chat that starts the bot, a pressed button, a person who blocks it. Pure. */
import type { ChannelEvent } from '../channel-provider.ts';
import { BUTTONS } from './payload.ts';

interface Update {
  readonly update_id?: number;
  readonly message?: { readonly text?: string; readonly chat?: Chat };
  readonly callback_query?: { readonly id: string; readonly data?: string; readonly from?: { readonly id?: number } };
  readonly my_chat_member?: { readonly chat?: Chat; readonly new_chat_member?: { readonly status?: string } };
}

type Chat = { readonly id?: number; readonly type?: string; readonly username?: string; readonly first_name?: string };

type AnswerButton = (queryId: string, text: string) => Promise<void>;

/** Undefined for an unknown update. Only chats with one person are connected. */
export function toEvent(update: unknown, answerButton: AnswerButton): ChannelEvent | undefined {
  const { message, callback_query: press, my_chat_member: member } = (update ?? {}) as Update;
  if (message) return toLinked(message.text ?? '', message.chat);
  if (press) {
    const [, letter = '', token = ''] = /^([dsnax])\.([\w-]{59,62})$/.exec(press.data ?? '') ?? [];
    const action = BUTTONS[letter as keyof typeof BUTTONS];
    if (!action || press.from?.id === undefined) return undefined;
    const answer = (text: string) => answerButton(press.id, text);
    return { kind: 'pressed', action, token, from: String(press.from.id), answer };
  }
  const isBlocked = /^(kicked|left)$/.test(member?.new_chat_member?.status ?? '');
  return isBlocked ? { kind: 'gone', identity: String(member?.chat?.id), reason: 'chat_gone' } : undefined;
}

function toLinked(text: string, chat: Chat | undefined): ChannelEvent | undefined {
  const code = /^\/start ([\w-]{20,64})$/.exec(text)?.[1];
  if (code === undefined || chat?.id === undefined || chat.type !== 'private') return undefined;
  const name = chat.username ? `@${chat.username}` : (chat.first_name ?? 'Telegram');
  return { kind: 'linked', code, address: { chat: String(chat.id), name } };
}

export const updateIdOf = (update: unknown): number => (update as Update | null)?.update_id ?? 0;
