/** The JSON that the Apprise API gets for a message. Pure. */
import { words } from '../../lib/words.ts';
import type { ChannelMessage } from '../channel-provider.ts';
import { truncateToBytes } from '../payload-limits.ts';

/** By stage, from the heads-up to stage 2. Apprise turns the type into a colour or an icon. */
const TYPES = ['info', 'info', 'warning', 'failure'] as const;
const LONGEST_TITLE_BYTES = 250;

export const shownTitle = ({ title }: ChannelMessage): string => truncateToBytes(title, LONGEST_TITLE_BYTES);

/** Apprise knows no buttons, so the link is part of the text. */
export function buildMessage(message: ChannelMessage, tag: string): string {
  const { kind, body, stage, actions, pageLabel, confirm } = message;
  const links = confirm
    ? [words.notice.confirmLink(confirm.url)]
    : actions
      ? [words.nudgeMail.page(pageLabel, actions.page)]
      : [];
  return JSON.stringify({
    title: shownTitle(message),
    body: [body, ...links].join('\n\n'),
    type: kind === 'nudge' || kind === 'test' ? (TYPES[stage + 1] ?? 'info') : 'info',
    tag,
    format: 'text',
  });
}
