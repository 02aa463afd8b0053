/**
 * The payload that a browser gets. Pure.
 *
 * All browsers get the same JSON: Safari shows the declared notification directly, other browsers pass it to
 * the app's service worker. Every push shows a notification, because a browser revokes the subscription if pushes
 * show nothing.
 */
import { words } from '../../lib/words.ts';
import type { NudgePush, RequestPush, TestPush } from '../gateway.ts';
import { timeToLiveSeconds, withFittingTitle } from '../payload-limits.ts';
import { nudgeBody } from '../push-text.ts';
import { isQuestion, requestBody, requestTitle } from '../request-text.ts';

/** A push service accepts 4,096 bytes, of which the encryption needs 103: RFC 8291, section 4. */
const MAX_BYTES = 3_993;
/** Marks a declarative push; it is the number of the Web Push RFC. */
const DECLARATIVE = 8030;

export interface WebPushPayload {
  readonly plaintext: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function buildPayload(push: NudgePush | RequestPush | TestPush, baseUrl: string, now: Date): WebPushPayload {
  const notification = notificationOf(push, baseUrl);
  const { json } = withFittingTitle(notification.title, MAX_BYTES, (title) => ({
    web_push: DECLARATIVE,
    notification: { ...notification, title },
  }));
  return { plaintext: json, headers: headersOf(push, now) };
}

function notificationOf(push: NudgePush | RequestPush | TestPush, baseUrl: string) {
  if (push.kind === 'test') return testNotification(push, baseUrl);
  return push.kind === 'request' ? requestNotification(push, baseUrl) : nudgeNotification(push, baseUrl);
}

/** Without a stage, so that a click acknowledges no nudge. */
function requestNotification({ task, news }: RequestPush, baseUrl: string) {
  const isAboutStandIn = news.kind === 'stand_in_asked' || news.kind === 'stand_in_agreed';
  const navigate = isAboutStandIn ? `${baseUrl}/app/stand-ins` : `${baseUrl}/app/tasks/${task.id}`;
  return {
    title: requestTitle(news.kind, task.title),
    body: requestBody(news, task, false),
    navigate,
    tag: task.id,
    renotify: true,
    ...(isQuestion(news.kind) && {
      actions: [
        { action: 'accept', title: words.request.accept, navigate },
        { action: 'decline', title: words.request.decline, navigate },
      ],
    }),
    data: { [isAboutStandIn ? 'stand_in_id' : 'task_id']: task.id, request: news.kind },
  };
}

function nudgeNotification({ task, stage, nudgedAt }: NudgePush, baseUrl: string) {
  const isStandIn = task.standInFor != null;
  const navigate = isStandIn ? `${baseUrl}/app/stand-ins/${task.id}` : `${baseUrl}/app/tasks/${task.id}`;
  return {
    title: task.title,
    body: nudgeBody(task, stage, nudgedAt),
    navigate,
    tag: task.id,
    ...strengthOf(stage),
    actions: [
      { action: 'done', title: words.nudge.done, navigate },
      { action: 'snooze', title: words.nudge.snooze, navigate },
    ],
    data: {
      task_id: task.id,
      stage,
      occurrence_due_at: task.occurrenceDueAt?.toISOString() ?? null,
      ...(isStandIn && { stand_in: true }),
    },
  };
}

/** Without `renotify`, a nudge would replace the one before it silently. */
const strengthOf = (stage: number) => ({ renotify: stage >= 0, silent: stage < 0, requireInteraction: stage >= 2 });

const testNotification = ({ stage }: TestPush, baseUrl: string) => ({
  title: words.notice.testTitle,
  body: words.notice.testBody,
  navigate: `${baseUrl}/app`,
  tag: 'test',
  ...(stage !== undefined && strengthOf(stage)),
});

function headersOf(push: NudgePush | RequestPush | TestPush, now: Date): Record<string, string> {
  const ttl = String(timeToLiveSeconds(push.expiresAt, now));
  if (push.kind === 'test') return { TTL: ttl, Urgency: 'high' };
  // A topic has at most 32 characters, exactly the length of a task's id without its hyphens.
  return {
    TTL: ttl,
    Urgency: urgencyOf(push.kind === 'request' ? 0 : push.stage),
    Topic: push.task.id.replaceAll('-', ''),
  };
}

function urgencyOf(stage: number): string {
  if (stage < 0) return 'low';
  return stage === 0 ? 'normal' : 'high';
}
