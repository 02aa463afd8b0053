/**
 * The message that FCM is handed. Pure.
 *
 * A nudge replaces the one before it through the notification's tag. FCM's own collapse key is left
 * alone: a device keeps four of them at most, and a fifth task would push out one of the others.
 */
import { timeToLiveSeconds, withFittingTitle } from '../bounds.ts';
import type { NudgePush, TestPush } from '../gateway.ts';
import { TEST_BODY, TEST_TITLE } from '../test-wording.ts';
import { bodyOf } from '../wording.ts';

/** FCM's limit. It counts less than the JSON of the message without its token, so this is on the safe side. */
const MOST_BYTES = 4_096;

/** Each channel's loudness is the user's to change; the app makes them with these names. */
type Channel = 'heads_up' | 'nudge' | 'urgent' | 'alarm';

export interface FcmMessage {
  readonly token: string;
  readonly notification: { readonly title: string; readonly body: string };
  /** FCM refuses a value that is not a string. */
  readonly data: Readonly<Record<string, string>>;
  readonly android: {
    readonly priority: 'NORMAL' | 'HIGH';
    readonly ttl: `${number}s`;
    readonly notification: { readonly tag: string; readonly channel_id: Channel };
  };
}

export function messageOf(push: NudgePush | TestPush, now: Date): FcmMessage {
  const { title, body, tag, channel, data } = push.kind === 'test' ? TEST_CONTENT : contentOf(push);
  const android: FcmMessage['android'] = {
    // A sleeping phone gets NORMAL in its next maintenance window, which may be hours away: too late for anything due.
    priority: channel === 'heads_up' ? 'NORMAL' : 'HIGH',
    ttl: `${timeToLiveSeconds(push.expiresAt, now)}s`,
    notification: { tag, channel_id: channel },
  };
  const counted = withFittingTitle(title, MOST_BYTES, (fitting) => ({
    notification: { title: fitting, body },
    data,
    android,
  }));
  return { token: push.target.token, ...counted };
}

interface Content {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly channel: Channel;
  readonly data: Readonly<Record<string, string>>;
}

const TEST_CONTENT: Content = {
  title: TEST_TITLE,
  body: TEST_BODY,
  tag: 'test',
  channel: 'nudge',
  data: { test: 'true' },
};

function contentOf({ task, stage, nudgedAt }: NudgePush): Content {
  return {
    title: task.title,
    body: bodyOf(task, stage, nudgedAt),
    tag: task.id,
    channel: channelOf(stage),
    data: { task_id: task.id, stage: String(stage), occurrence_due_at: task.occurrenceDueAt?.toISOString() ?? '' },
  };
}

function channelOf(stage: number): Channel {
  if (stage < 0) return 'heads_up';
  if (stage === 0) return 'nudge';
  return stage === 1 ? 'urgent' : 'alarm';
}
