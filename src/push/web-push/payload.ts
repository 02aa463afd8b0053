/**
 * What a browser is sent. Pure.
 *
 * One shape for all: Safari shows the declared notification by itself, other browsers hand the same
 * JSON to the app's service worker. Every push shows something, since a browser takes back the
 * subscription of a site whose pushes show nothing.
 */
import { timeToLiveSeconds, withFittingTitle } from '../bounds.ts';
import type { NudgePush, TestPush } from '../gateway.ts';
import { TEST_BODY, TEST_TITLE } from '../test-wording.ts';
import { bodyOf } from '../wording.ts';

/** A push service takes 4,096 bytes, of which the encryption needs 103: RFC 8291, section 4. */
const MOST_BYTES = 3_993;
/** The marker of a declarative push: the number of the RFC. */
const DECLARATIVE = 8030;

export interface WebPushPayload {
  readonly plaintext: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function payloadOf(push: NudgePush | TestPush, baseUrl: string, now: Date): WebPushPayload {
  const notification = push.kind === 'test' ? testOf(baseUrl) : notificationOf(push, baseUrl);
  const payload = withFittingTitle(notification.title, MOST_BYTES, (title) => ({
    web_push: DECLARATIVE,
    notification: { ...notification, title },
  }));
  return { plaintext: JSON.stringify(payload), headers: headersOf(push, now) };
}

function notificationOf({ task, stage, nudgedAt }: NudgePush, baseUrl: string) {
  const navigate = `${baseUrl}/app/tasks/${task.id}`;
  return {
    title: task.title,
    body: bodyOf(task, stage, nudgedAt),
    navigate,
    tag: task.id,
    // Without it a nudge would take the place of the one before it without a sound.
    renotify: stage >= 0,
    silent: stage < 0,
    requireInteraction: stage >= 2,
    actions: [
      { action: 'done', title: 'Done', navigate },
      { action: 'snooze', title: 'Snooze', navigate },
    ],
    data: { task_id: task.id, stage, occurrence_due_at: task.occurrenceDueAt?.toISOString() ?? null },
  };
}

const testOf = (baseUrl: string) => ({ title: TEST_TITLE, body: TEST_BODY, navigate: `${baseUrl}/app`, tag: 'test' });

function headersOf(push: NudgePush | TestPush, now: Date): Record<string, string> {
  const ttl = String(timeToLiveSeconds(push.expiresAt, now));
  if (push.kind === 'test') return { TTL: ttl, Urgency: 'high' };
  // A topic is 32 characters at most: a task's id without its hyphens, to the letter.
  return { TTL: ttl, Urgency: urgencyOf(push.stage), Topic: push.task.id.replaceAll('-', '') };
}

function urgencyOf(stage: number): string {
  if (stage < 0) return 'low';
  return stage === 0 ? 'normal' : 'high';
}
