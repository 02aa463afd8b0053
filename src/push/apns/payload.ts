/**
 * What Apple is sent for a nudge, and for a test push. All nudges of a task share one collapse id,
 * so that a stronger one, or a repeat after a crash, takes the place of the one before it.
 */
import type { NudgePush, TestPush } from '../gateway.ts';
import { bodyOf, fitBytes } from '../wording.ts';

/** Apple answers 413 to anything longer. */
export const MOST_BYTES = 4_096;

export interface ApnsRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface AppSettings {
  /** The app's bundle id. */
  readonly topic: string;
  /** Whether Apple entitled the app to sound through silence. */
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
  const body = fitted(task.title, (title) => ({
    aps: {
      alert: { title, body: bodyOf(task, stage, nudgedAt) },
      ...strengthOf(stage, critical && task.mustNotMiss),
      'thread-id': task.id,
      category: 'NUDGE',
    },
    task_id: task.id,
    stage,
    occurrence_due_at: task.occurrenceDueAt?.toISOString() ?? null,
  }));
  return { headers, body };
}

export function testRequest({ expiresAt }: TestPush, { topic }: AppSettings): ApnsRequest {
  const headers = { ...headersFor('alert', topic, 10, expiresAt), 'apns-collapse-id': 'test-push' };
  const alert = { title: 'Crescendo', body: 'Reminders reach this device.' };
  return { headers, body: JSON.stringify({ aps: { alert, sound: 'default', 'interruption-level': 'active' } }) };
}

export const headersFor = (pushType: string, topic: string, priority: 5 | 10, expiresAt: Date) => ({
  'apns-push-type': pushType,
  'apns-topic': topic,
  'apns-priority': String(priority),
  'apns-expiration': String(epochSeconds(expiresAt)),
});

export const epochSeconds = (instant: Date) => Math.floor(instant.getTime() / 1_000);

/**
 * The payload as JSON, with the title cut as far as the limit asks. A character never takes fewer
 * bytes in JSON than in the title, so cutting off the excess once is enough.
 */
export function fitted(title: string, compose: (title: string) => object): string {
  const whole = JSON.stringify(compose(title));
  const excess = Buffer.byteLength(whole) - MOST_BYTES;
  return excess <= 0 ? whole : JSON.stringify(compose(fitBytes(title, Buffer.byteLength(title) - excess)));
}

function strengthOf(stage: number, mayBeCritical: boolean): object {
  if (stage < 0) return { 'interruption-level': 'passive' };
  if (stage === 0) return { sound: 'default', 'interruption-level': 'active' };
  if (stage < STRONGEST_STAGE) return { sound: 'default', 'interruption-level': 'time-sensitive' };
  if (!mayBeCritical) return { sound: LOUD_SOUND, 'interruption-level': 'time-sensitive' };
  return { sound: { critical: 1, name: LOUD_SOUND, volume: 1 }, 'interruption-level': 'critical' };
}
