/** The form that Pushover gets for a message. Pure. */
import type { ChannelMessage } from '../channel-provider.ts';
import { timeToLiveSeconds, truncateToBytes } from '../payload-limits.ts';

/** Pushover rings every minute until somebody acknowledges, for three hours at most. */
const RETRY_SECONDS = 60;
const LONGEST_ALARM_SECONDS = 10_800;
const LONGEST_TITLE_BYTES = 250;
const LONGEST_MESSAGE_BYTES = 1_024;

interface Receiver {
  readonly token: string;
  readonly user: string;
  /** Where Pushover reports that an alarm was acknowledged; null where it cannot reach us. */
  readonly callback: string | null;
}

export const shownTitle = ({ title }: ChannelMessage): string => truncateToBytes(title, LONGEST_TITLE_BYTES);

/** Rings until it is acknowledged. */
export const isAlarm = (stage: number): boolean => stage >= 2;

export function buildMessage(message: ChannelMessage, { token, user, callback }: Receiver, now: Date): URLSearchParams {
  const { kind, taskId, body, stage, expiresAt, actions, pageLabel } = message;
  // The priorities of Pushover are our stages: -1 is silent, 1 passes quiet hours, 2 rings until it is acknowledged.
  // A test has nothing to acknowledge, so it rings once.
  const priority = kind === 'nudge' ? stage : kind === 'test' ? Math.min(stage, 1) : 0;
  const seconds = timeToLiveSeconds(expiresAt, now);
  const form = new URLSearchParams({
    token,
    user,
    title: shownTitle(message),
    message: truncateToBytes(body, LONGEST_MESSAGE_BYTES),
    priority: String(priority),
  });
  if (actions) {
    form.set('url', actions.page);
    form.set('url_title', pageLabel);
  }
  if (!isAlarm(priority)) {
    // The message leaves the phone when the next nudge comes.
    form.set('ttl', String(Math.max(seconds, 1)));
    return form;
  }
  form.set('retry', String(RETRY_SECONDS));
  // The alarm ends before the next nudge starts its own.
  form.set('expire', String(Math.min(Math.max(seconds, RETRY_SECONDS), LONGEST_ALARM_SECONDS)));
  if (taskId !== null) form.set('tags', taskId);
  if (callback !== null) form.set('callback', callback);
  return form;
}
