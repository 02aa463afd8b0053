/** Writes the message that a channel's provider sends. Pure. */
import { words } from '../lib/words.ts';
import type { ChannelActions, ChannelMessage } from './channel-provider.ts';
import type { ChannelNotice, ChannelNudge } from './gateway.ts';
import { nudgeBody } from './push-text.ts';

const HEADS_UP_STAGE = -1;

export function nudgeMessage(push: ChannelNudge, actions: ChannelActions): ChannelMessage {
  const { target, entryId, task, stage, nudgedAt, expiresAt, refs, isLast } = push;
  return {
    kind: 'nudge',
    id: messageId(entryId, target.channelId),
    userId: target.userId,
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
    userId: target.userId,
    taskId: null,
    title: isTest ? words.notice.testTitle : words.notice.confirmTitle,
    body: isTest ? words.notice.testBody : words.notice.confirmBody(confirm?.code ?? ''),
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

function privateTitle(stage: number): string {
  const { headsUp, due, open } = words.nudge.privateTitles;
  return stage === HEADS_UP_STAGE ? headsUp : stage === 0 ? due : open;
}
