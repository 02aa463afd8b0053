/** The signed request that a message becomes, by Standard Webhooks 1.0.0. Pure. */
import { createHmac } from 'node:crypto';
import type { ChannelMessage, Retraction } from '../channel-provider.ts';

export const SECRET_PREFIX = 'whsec_';

/** `webhook-id` is the same for every attempt; the timestamp is that of the attempt. */
export function signedHeaders(id: string, body: string, secrets: readonly string[], now: Date): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1_000);
  return {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => sign(secret, `${id}.${timestamp}.${body}`)).join(' '),
  };
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}

const TYPES = { nudge: 'nudge.sent', test: 'channel.test', confirm: 'channel.test' } as const;

export function messageBody(message: ChannelMessage, now: Date): string {
  const { kind, taskId, title, body, stage, mustNotMiss, dueAt, expiresAt, actions } = message;
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
  };
  return JSON.stringify({ type: TYPES[kind], timestamp: now, data });
}

export const retractionBody = ({ taskId, refs }: Retraction, now: Date): string =>
  JSON.stringify({ type: 'nudge.retracted', timestamp: now, data: { task_id: taskId, nudges: refs } });
