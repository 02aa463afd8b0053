/**
 * What Apple is sent to start, update and end the card on the lock screen.
 *
 * The nudge goes out beside it and sounds; the card never sounds by itself. What it shows is decoded
 * by Swift with its default coding, in which a date counts from 2001: instants are therefore plain
 * numbers of seconds since 1970. Its timestamps are real time, whatever clock the reminders live by.
 */
import { type ApnsRequest, type AppSettings, epochSeconds, fitted, headersFor } from '../apns/payload.ts';
import type { ActivityPush } from '../gateway.ts';
import { bodyOf } from '../wording.ts';

/** Longer than the ladder's longest wait: a card that was not updated by then shows an old state. */
const STALE_AFTER_MS = 90 * 60_000;
/** After so long iOS ends a card by itself, and an end that was not delivered has nothing left to end. */
const LONGEST_LIFE_MS = 8 * 3_600_000;

export function activityRequest(push: ActivityPush, app: AppSettings, sentAt: Date): ApnsRequest {
  const staleAt = new Date(sentAt.getTime() + STALE_AFTER_MS);
  const expiresAt = push.kind === 'activity_end' ? new Date(sentAt.getTime() + LONGEST_LIFE_MS) : staleAt;
  const topic = `${app.topic}.push-type.liveactivity`;
  // Priority 10 spends the hourly budget of the activity; once that is gone, iOS delays what matters too.
  const headers = headersFor('liveactivity', topic, push.isUrgent ? 10 : 5, expiresAt);
  const body = fitted(push.task.title, (title) => {
    const text = { title, body: bodyOf(push.task, push.stage, push.nudgedAt) };
    const common = { timestamp: epochSeconds(sentAt), 'content-state': contentOf(push, text) };
    if (push.kind === 'activity_start')
      return { aps: { ...common, ...startOf(push, app, text), ...staleness(staleAt) } };
    if (push.kind === 'activity_update') return { aps: { ...common, event: 'update', ...staleness(staleAt) } };
    // A moment that is past takes the card away at once, instead of leaving it for four hours.
    return { aps: { ...common, event: 'end', 'dismissal-date': epochSeconds(sentAt) } };
  });
  return { headers, body };
}

interface Text {
  readonly title: string;
  readonly body: string;
}

/** iOS silently drops a start without an alert. From iOS 18 on the card's own token must be asked for. */
const startOf = ({ task }: ActivityPush, { activityType }: AppSettings, alert: Text) => ({
  event: 'start',
  'attributes-type': activityType,
  attributes: { task_id: task.id },
  alert,
  'input-push-token': 1,
});

const staleness = (staleAt: Date) => ({ 'stale-date': epochSeconds(staleAt) });

const contentOf = ({ task, stage, nudgedAt }: ActivityPush, text: Text) => ({
  ...text,
  stage,
  due_at: task.due instanceof Date ? epochSeconds(task.due) : null,
  nudged_at: epochSeconds(nudgedAt),
  // Handed back by the card's buttons as it is: whole seconds would no longer name the same occurrence.
  occurrence_due_at: task.occurrenceDueAt?.toISOString() ?? null,
});
