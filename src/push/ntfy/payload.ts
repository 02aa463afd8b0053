/** The JSON that ntfy gets for a message. Pure. */
import { words } from '../../lib/words.ts';
import type { ChannelMessage, HeldMessage } from '../channel-provider.ts';
import { truncateToBytes } from '../payload-limits.ts';

/** By stage, from the heads-up to stage 2. Android can be told to repeat priority 5 until it is seen. */
const PRIORITIES = [2, 3, 4, 5] as const;
/** ntfy turns a longer message into an attachment, and refuses a longer title. */
const LONGEST_MESSAGE_BYTES = 4_000;
const LONGEST_TITLE_BYTES = 250;

export const shownTitle = ({ title }: ChannelMessage): string => truncateToBytes(title, LONGEST_TITLE_BYTES);

/** Messages with the same sequence id replace each other on the phone. */
export function buildMessage(message: ChannelMessage, topic: string): string {
  const { kind, threadId, body, stage, actions, buttons, confirm } = message;
  return JSON.stringify({
    topic,
    title: shownTitle(message),
    message: truncateToBytes(body, LONGEST_MESSAGE_BYTES),
    priority: kind === 'nudge' || kind === 'test' ? (PRIORITIES[stage + 1] ?? 3) : 3,
    ...(threadId !== null && { sequence_id: threadId }),
    ...(actions && {
      click: actions.page,
      ...(buttons.length > 0 && { actions: buttons.map(({ label, url }) => button(label, url)) }),
    }),
    ...(confirm && { click: confirm.url, actions: [button(words.nudge.confirm, `${confirm.url}?do=confirm`)] }),
  });
}

/** Seconds and not a moment: the two machines may disagree about the time. */
export const buildHeld = ({ ref, title, body, stage, delayMs }: HeldMessage, topic: string): string =>
  JSON.stringify({
    topic,
    title: truncateToBytes(title, LONGEST_TITLE_BYTES),
    message: truncateToBytes(body, LONGEST_MESSAGE_BYTES),
    priority: PRIORITIES[stage + 1] ?? 3,
    sequence_id: ref,
    delay: `${Math.ceil(delayMs / 1_000)}s`,
  });

/** The phone sends the request itself; `clear` removes the notification once it succeeded. */
const button = (label: string, url: string) => ({ action: 'http', label, url, method: 'POST', clear: true });
