/**
 * The requests to Apple for a nudge and for a test push. All nudges of a task share one collapse id, so a
 * stronger nudge, or a repeat after a crash, replaces the one before it.
 */
import { words } from '../../lib/words.ts';
import type { NudgePush, TestPush } from '../gateway.ts';
import { withFittingTitle } from '../payload-limits.ts';
import { nudgeBody } from '../push-text.ts';

/** Apple answers 413 to a longer body. */
export const MAX_BYTES = 4_096;

export interface ApnsRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AppSettings {
  /** The app's bundle id. */
  readonly topic: string;
  /** Whether the app has Apple's entitlement for critical alerts, which sound even if the phone is muted. */
  readonly critical: boolean;
  /** The Swift type of the app's Live Activity. */
  readonly activityType: string;
}

const LOUD_SOUND = 'nudge-loud.caf';
const STRONGEST_STAGE = 2;

export function nudgeRequest(push: NudgePush, { topic, critical }: AppSettings): ApnsRequest {
  const { task, stage, nudgedAt, expiresAt } = push;
  const headers = {
    ...headersFor('alert', topic, stage < 0 ? 5 : 10, expiresAt),
    'apns-collapse-id': task.id,
  };
  const text = nudgeBody(task, stage, nudgedAt);
  const { json } = withFittingTitle(task.title, MAX_BYTES, (title) => ({
    aps: {
      alert: { title, body: text },
      ...interruptionOf(stage, critical && task.mustNotMiss),
      'thread-id': task.id,
      category: 'NUDGE',
    },
    task_id: task.id,
    stage,
    occurrence_due_at: task.occurrenceDueAt?.toISOString() ?? null,
  }));
  return { headers, body: json };
}

export function testRequest({ stage = 0, expiresAt }: TestPush, { topic }: AppSettings): ApnsRequest {
  const headers = { ...headersFor('alert', topic, 10, expiresAt), 'apns-collapse-id': 'test-push' };
  const alert = { title: words.notice.phoneTestTitle, body: words.notice.phoneTestBody };
  return { headers, body: JSON.stringify({ aps: { alert, ...interruptionOf(stage, false) } }) };
}

export const headersFor = (pushType: string, topic: string, priority: 5 | 10, expiresAt: Date) => ({
  'apns-push-type': pushType,
  'apns-topic': topic,
  'apns-priority': String(priority),
  'apns-expiration': String(epochSeconds(expiresAt)),
});

export const epochSeconds = (instant: Date) => Math.floor(instant.getTime() / 1_000);

function interruptionOf(stage: number, mayBeCritical: boolean): object {
  if (stage < 0) return { 'interruption-level': 'passive' };
  if (stage === 0) return { sound: 'default', 'interruption-level': 'active' };
  if (stage < STRONGEST_STAGE) return { sound: 'default', 'interruption-level': 'time-sensitive' };
  if (!mayBeCritical) return { sound: LOUD_SOUND, 'interruption-level': 'time-sensitive' };
  return { sound: { critical: 1, name: LOUD_SOUND, volume: 1 }, 'interruption-level': 'critical' };
}
