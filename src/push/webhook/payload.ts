/** The body of the request that a message becomes. Pure. */
import type { ChannelMessage, Retraction } from '../channel-provider.ts';

const TYPES = { nudge: 'nudge.sent', test: 'channel.test', confirm: 'channel.confirm' } as const;

export function messageBody(message: ChannelMessage, now: Date): string {
  const { kind, taskId, title, body, stage, mustNotMiss, dueAt, expiresAt, actions, confirm } = message;
  const data = {
    task_id: taskId,
    title,
    body,
    stage,
    must_not_miss: mustNotMiss,
    due_at: dueAt,
    expires_at: expiresAt,
    ...(actions && {
      actions: { page: actions.page, done: actions.done, snooze: actions.snooze, seen: actions.seen },
    }),
    ...(confirm && { challenge: confirm.challenge, code: confirm.code }),
  };
  return JSON.stringify({ type: TYPES[kind], timestamp: now, data });
}

export const retractionBody = ({ taskId, refs }: Retraction, now: Date): string =>
  JSON.stringify({ type: 'nudge.retracted', timestamp: now, data: { task_id: taskId, nudges: refs } });
