/** Writes the message that a channel's provider sends. Pure. */
import type { ChannelActions, ChannelMessage } from './channel-provider.ts';
import type { ChannelNotice, ChannelNudge } from './gateway.ts';
import { nudgeBody, TEST_BODY, TEST_TITLE } from './push-text.ts';

const HEADS_UP_STAGE = -1;
const CONFIRM_TITLE = 'Confirm this channel';

export function nudgeMessage(push: ChannelNudge, actions: ChannelActions): ChannelMessage {
  const { target, entryId, task, stage, nudgedAt, expiresAt, refs, isLast } = push;
  return {
    kind: 'nudge',
    id: messageId(entryId, target.channelId),
    taskId: task.id,
    title: target.isPrivate ? privateTitle(stage) : task.title,
    body: nudgeBody(task, stage, nudgedAt),
    stage,
    mustNotMiss: task.mustNotMiss,
    dueAt: task.due instanceof Date ? task.due : null,
    expiresAt,
    actions,
    confirm: null,
    refs,
    isLast,
  };
}

export function noticeMessage({ kind, target, confirm, expiresAt }: ChannelNotice, id: string): ChannelMessage {
  const isTest = kind === 'channel_test';
  return {
    kind: isTest ? 'test' : 'confirm',
    id: messageId(id, target.channelId),
    taskId: null,
    title: isTest ? TEST_TITLE : CONFIRM_TITLE,
    body: isTest ? TEST_BODY : `Your code is ${confirm?.code}. If you did not ask to be reminded here, do nothing.`,
    stage: 0,
    mustNotMiss: false,
    dueAt: null,
    expiresAt,
    actions: null,
    confirm,
    refs: [],
    isLast: false,
  };
}

export const messageId = (entryId: string, channelId: string): string => `${entryId}_${channelId}`;

const privateTitle = (stage: number): string =>
  stage === HEADS_UP_STAGE ? 'A task is coming up' : stage === 0 ? 'A task is due' : 'A task is still open';
