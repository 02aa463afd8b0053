/** The JSON that Telegram's bot API gets for a message. Pure. No parse mode: a title may contain Markdown. */
import { words } from '../../lib/words.ts';
import type { ChannelMessage } from '../channel-provider.ts';
import { truncateToBytes } from '../payload-limits.ts';

const LONGEST_TEXT_BYTES = 4_000;
/** Telegram allows 1 to 64 bytes: a letter, a dot and the 62 characters of an act token. */
export const BUTTONS = { d: 'done', s: 'snooze', n: 'seen' } as const;

export function buildMessage(message: ChannelMessage, chat: string): object {
  const { title, body, stage, kind, actions } = message;
  return {
    chat_id: chat,
    text: truncateToBytes(`${title}\n${body}`, LONGEST_TEXT_BYTES),
    disable_notification: kind === 'nudge' && stage < 0,
    link_preview_options: { is_disabled: true },
    ...(actions && { reply_markup: { inline_keyboard: [buttonsFor(actions.token)] } }),
  };
}

const buttonsFor = (token: string) => [
  { text: words.nudge.done, callback_data: `d.${token}` },
  { text: words.nudge.snoozeHour, callback_data: `s.${token}` },
];
