/** Writes the message that a channel's provider sends. Pure. */
import { words } from '../lib/words.ts';
import type { ChannelActions, ChannelMessage, MessageButton } from './channel-provider.ts';
import type { ChannelNotice, ChannelNudge, ChannelRequest } from './gateway.ts';
import { nudgeBody } from './push-text.ts';
import { isQuestion, privateRequestTitle, requestBody, requestTitle } from './request-text.ts';

const HEADS_UP_STAGE = -1;

/** `code` names the task where its title must not be shown. */
export function nudgeMessage(push: ChannelNudge, actions: ChannelActions, code: string): ChannelMessage {
  const { target, entryId, task, stage, nudgedAt, expiresAt, refs, isLast } = push;
  return {
    kind: 'nudge',
    id: messageId(entryId, target.channelId),
    userId: target.userId,
    taskId: task.id,
    threadId: task.id,
    title: target.isPrivate ? privateTitle(stage, code) : task.title,
    body: nudgeBody(task, stage, nudgedAt),
    stage,
    request: null,
    mustNotMiss: task.mustNotMiss,
    dueAt: task.due instanceof Date ? task.due : null,
    expiresAt,
    actions,
    buttons: buttonsOf(actions, ['done', 'snooze']),
    pageLabel: words.nudge.doneOrSnooze,
    confirm: null,
    refs,
    isLast,
  };
}

/** A private message names neither the task nor the other person. */
export function requestMessage(push: ChannelRequest, actions: ChannelActions, code: string): ChannelMessage {
  const { target, entryId, task, news, expiresAt, refs, isLast } = push;
  const isAsked = isQuestion(news.kind);
  return {
    kind: 'request',
    id: messageId(entryId, target.channelId),
    userId: target.userId,
    taskId: task.id,
    threadId: requestThread(push),
    title: target.isPrivate ? privateRequestTitle(news.kind, code) : requestTitle(news.kind, task.title),
    body: requestBody(news, task, target.isPrivate),
    stage: 0,
    request: news.kind,
    mustNotMiss: false,
    dueAt: task.due instanceof Date ? task.due : null,
    expiresAt,
    actions,
    buttons: isAsked ? buttonsOf(actions, ['accept', 'decline']) : [],
    pageLabel: isAsked ? words.request.acceptOrDecline : words.request.look,
    confirm: null,
    refs,
    isLast,
  };
}

/** An answer does not replace the question that is taken back at the same time. */
export const requestThread = ({ news: { kind }, task }: Pick<ChannelRequest, 'news' | 'task'>): string =>
  `${isQuestion(kind) || kind === 'unanswered' ? 'request' : 'answer'}-${task.id}`;

const LABELS = {
  done: words.nudge.done,
  snooze: words.nudge.snoozeHour,
  accept: words.request.accept,
  decline: words.request.decline,
};

const buttonsOf = (actions: ChannelActions, names: readonly MessageButton['action'][]): MessageButton[] =>
  names.map((action) => ({ action, label: LABELS[action], url: actions[action] }));

export function noticeMessage(
  { kind, target, stage = 0, confirm, expiresAt }: ChannelNotice,
  id: string,
): ChannelMessage {
  const isTest = kind === 'channel_test';
  return {
    kind: isTest ? 'test' : 'confirm',
    id: messageId(id, target.channelId),
    userId: target.userId,
    taskId: null,
    threadId: null,
    title: isTest ? words.notice.testTitle : words.notice.confirmTitle,
    body: isTest ? words.notice.testBody : words.notice.confirmBody(confirm?.code ?? ''),
    stage,
    request: null,
    mustNotMiss: false,
    dueAt: null,
    expiresAt,
    actions: null,
    buttons: [],
    pageLabel: '',
    confirm,
    refs: [],
    isLast: false,
  };
}

export const messageId = (entryId: string, channelId: string): string => `${entryId}_${channelId}`;

function privateTitle(stage: number, code: string): string {
  const { headsUp, due, open } = words.nudge.privateTitles;
  return (stage === HEADS_UP_STAGE ? headsUp : stage === 0 ? due : open)(code);
}
