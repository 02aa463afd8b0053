/** A message to a channel, for tests of what providers make of it. */
import type { ChannelMessage } from '../../src/push/channel-provider.ts';
import type { Confirmation } from '../../src/push/gateway.ts';

const PAGE = `https://crescendo.example/a/${'t'.repeat(62)}`;

export const messageOf = (replaced: Partial<ChannelMessage> = {}): ChannelMessage => ({
  kind: 'nudge',
  id: 'entry_channel',
  userId: 'the-owner',
  taskId: 'the-task',
  threadId: 'the-task',
  title: 'Take the pills',
  body: 'Still open, due at 10:00',
  stage: 2,
  request: null,
  mustNotMiss: false,
  dueAt: null,
  expiresAt: new Date('2026-03-02T10:15:00Z'),
  actions: {
    token: 't'.repeat(62),
    page: PAGE,
    done: `${PAGE}?do=done`,
    snooze: `${PAGE}?do=snooze`,
    seen: `${PAGE}?do=seen`,
    accept: `${PAGE}?do=accept`,
    decline: `${PAGE}?do=decline`,
    stop: `${PAGE}?do=stop`,
  },
  buttons: [
    { action: 'done', label: 'Done', url: `${PAGE}?do=done` },
    { action: 'snooze', label: 'Snooze 1 h', url: `${PAGE}?do=snooze` },
  ],
  pageLabel: 'Done or snooze',
  confirm: null,
  refs: [],
  isLast: false,
  ...replaced,
});

export const CONFIRMATION: Confirmation = {
  code: '123456',
  url: 'https://crescendo.example/a/c',
  challenge: 'a challenge',
  asker: { network: '192.0.2.1', isNewAccount: false, hasConfirmed: true },
};
