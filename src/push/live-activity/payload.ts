/**
 * The requests to Apple that start, update and end the Live Activity on the lock screen.
 *
 * The Live Activity itself is silent; the nudge that is sent with it makes the sound. Swift's default
 * decoder counts a date from 2001, so instants are plain numbers of seconds since 1970. The timestamps are
 * real time, even if the service clock runs fast.
 */
import { type ApnsRequest, type AppSettings, epochSeconds, headersFor, MAX_BYTES } from '../apns/payload.ts';
import type { ActivityPush } from '../gateway.ts';
import { withFittingTitle } from '../payload-limits.ts';
import { nudgeBody } from '../push-text.ts';

/** Longer than the longest wait of the ladder: without an update by then, the shown state is old. */
const STALE_AFTER_MS = 90 * 60_000;
/** iOS ends a Live Activity after eight hours, so an end that was not delivered by then is no longer needed. */
const MAX_LIFE_MS = 8 * 3_600_000;

export function activityRequest(push: ActivityPush, app: AppSettings, sentAt: Date): ApnsRequest {
  const staleAt = new Date(sentAt.getTime() + STALE_AFTER_MS);
  const expiresAt = push.kind === 'activity_end' ? new Date(sentAt.getTime() + MAX_LIFE_MS) : staleAt;
  const topic = `${app.topic}.push-type.liveactivity`;
  // Priority 10 spends the hourly budget of the activity. Without budget, iOS delays urgent updates too.
  const headers = headersFor('liveactivity', topic, push.isUrgent ? 10 : 5, expiresAt);
  const { json } = withFittingTitle(push.task.title, MAX_BYTES, (title) => {
    const text = { title, body: nudgeBody(push.task, push.stage, push.nudgedAt) };
    const common = { timestamp: epochSeconds(sentAt), 'content-state': contentState(push, text) };
    if (push.kind === 'activity_start')
      return { aps: { ...common, ...startFields(push, app, text), ...staleness(staleAt) } };
    if (push.kind === 'activity_update') return { aps: { ...common, event: 'update', ...staleness(staleAt) } };
    // A dismissal date in the past removes the activity at once; otherwise iOS keeps showing it for four hours.
    return { aps: { ...common, event: 'end', 'dismissal-date': epochSeconds(sentAt) } };
  });
  return { headers, body: json };
}

interface Text {
  readonly title: string;
  readonly body: string;
}

/** iOS silently drops a start without an alert. Since iOS 18 the activity's own token must be requested. */
const startFields = ({ task }: ActivityPush, { activityType }: AppSettings, alert: Text) => ({
  event: 'start',
  'attributes-type': activityType,
  attributes: { task_id: task.id },
  alert,
  'input-push-token': 1,
});

const staleness = (staleAt: Date) => ({ 'stale-date': epochSeconds(staleAt) });

const contentState = ({ task, stage, nudgedAt }: ActivityPush, text: Text) => ({
  ...text,
  stage,
  due_at: task.due instanceof Date ? epochSeconds(task.due) : null,
  nudged_at: epochSeconds(nudgedAt),
  // The buttons of the activity send this value back. Whole seconds would not identify the same occurrence.
  occurrence_due_at: task.occurrenceDueAt?.toISOString() ?? null,
});
