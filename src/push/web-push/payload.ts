/**
 * The payload that a browser gets. Pure.
 *
 * All browsers get the same JSON: Safari shows the declared notification directly, other browsers pass it to
 * the app's service worker. Every push shows a notification, because a browser revokes the subscription if pushes
 * show nothing.
 */
import { words } from '../../lib/words.ts';
import type { NudgePush, TestPush } from '../gateway.ts';
import { timeToLiveSeconds, withFittingTitle } from '../payload-limits.ts';
import { nudgeBody } from '../push-text.ts';

/** A push service accepts 4,096 bytes, of which the encryption needs 103: RFC 8291, section 4. */
const MAX_BYTES = 3_993;
/** Marks a declarative push; it is the number of the Web Push RFC. */
const DECLARATIVE = 8030;

export interface WebPushPayload {
  readonly plaintext: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function buildPayload(push: NudgePush | TestPush, baseUrl: string, now: Date): WebPushPayload {
  const notification = push.kind === 'test' ? testNotification(baseUrl) : nudgeNotification(push, baseUrl);
  const { json } = withFittingTitle(notification.title, MAX_BYTES, (title) => ({
    web_push: DECLARATIVE,
    notification: { ...notification, title },
  }));
  return { plaintext: json, headers: headersOf(push, now) };
}

function nudgeNotification({ task, stage, nudgedAt }: NudgePush, baseUrl: string) {
  const navigate = `${baseUrl}/app/tasks/${task.id}`;
  return {
    title: task.title,
    body: nudgeBody(task, stage, nudgedAt),
    navigate,
    tag: task.id,
    // Otherwise a nudge would replace the one before it silently.
    renotify: stage >= 0,
    silent: stage < 0,
    requireInteraction: stage >= 2,
    actions: [
      { action: 'done', title: words.nudge.done, navigate },
      { action: 'snooze', title: words.nudge.snooze, navigate },
    ],
    data: { task_id: task.id, stage, occurrence_due_at: task.occurrenceDueAt?.toISOString() ?? null },
  };
}

const testNotification = (baseUrl: string) => ({
  title: words.notice.testTitle,
  body: words.notice.testBody,
  navigate: `${baseUrl}/app`,
  tag: 'test',
});

function headersOf(push: NudgePush | TestPush, now: Date): Record<string, string> {
  const ttl = String(timeToLiveSeconds(push.expiresAt, now));
  if (push.kind === 'test') return { TTL: ttl, Urgency: 'high' };
  // A topic has at most 32 characters, exactly the length of a task's id without its hyphens.
  return { TTL: ttl, Urgency: urgencyOf(push.stage), Topic: push.task.id.replaceAll('-', '') };
}

function urgencyOf(stage: number): string {
  if (stage < 0) return 'low';
  return stage === 0 ? 'normal' : 'high';
}
