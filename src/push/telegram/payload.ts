/** The JSON that Telegram's bot API gets for a message. Pure. No parse mode: a title may contain Markdown. */
import type { ChannelMessage, MessageButton } from '../channel-provider.ts';
import { truncateToBytes } from '../payload-limits.ts';

const LONGEST_TEXT_BYTES = 4_000;
/** Telegram allows 1 to 64 bytes: a letter, a dot and the 62 characters of an act token. */
export const BUTTONS = { d: 'done', s: 'snooze', n: 'seen', a: 'accept', x: 'decline' } as const;

export function buildMessage(message: ChannelMessage, chat: string): object {
  const { title, body, stage, actions, buttons } = message;
  return {
    chat_id: chat,
    text: truncateToBytes(`${title}\n${body}`, LONGEST_TEXT_BYTES),
    disable_notification: stage < 0,
    link_preview_options: { is_disabled: true },
    ...(actions && buttons.length > 0 && { reply_markup: { inline_keyboard: [buttonsFor(actions.token, buttons)] } }),
  };
}

const LETTERS = Object.fromEntries(Object.entries(BUTTONS).map(([letter, action]) => [action, letter]));

const buttonsFor = (token: string, buttons: readonly MessageButton[]) =>
  buttons.map(({ action, label }) => ({ text: label, callback_data: `${LETTERS[action]}.${token}` }));
