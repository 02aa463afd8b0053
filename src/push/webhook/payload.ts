/** The body of the request that a message becomes. Pure. */
import type { ChannelActions, ChannelMessage, Retraction } from '../channel-provider.ts';

const TYPES = {
  nudge: 'nudge.sent',
  request: 'request.told',
  test: 'channel.test',
  confirm: 'channel.confirm',
} as const;

export function messageBody(message: ChannelMessage, now: Date): string {
  const { kind, taskId, title, body, stage, request, mustNotMiss, dueAt, expiresAt, actions, confirm } = message;
  const data = {
    task_id: taskId,
    title,
    body,
    ...(request === null ? { stage, must_not_miss: mustNotMiss } : { request }),
    due_at: dueAt,
    expires_at: expiresAt,
    ...(actions && { actions: actionsOf(message, actions) }),
    ...(confirm && { challenge: confirm.challenge, code: confirm.code }),
  };
  return JSON.stringify({ type: TYPES[kind], timestamp: now, data });
}

const actionsOf = ({ kind, buttons }: ChannelMessage, { page, seen }: ChannelActions) => ({
  page,
  ...Object.fromEntries(buttons.map(({ action, url }) => [action, url])),
  ...(kind === 'nudge' && { seen }),
});

export const retractionBody = ({ isRequest, taskId, refs }: Retraction, now: Date): string =>
  JSON.stringify(
    isRequest
      ? { type: 'request.retracted', timestamp: now, data: { task_id: taskId, messages: refs } }
      : { type: 'nudge.retracted', timestamp: now, data: { task_id: taskId, nudges: refs } },
  );
