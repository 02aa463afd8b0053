/**
 * The message that FCM gets. Pure.
 *
 * The tag of the notification makes a nudge replace the one before it. FCM's collapse key is not used: FCM
 * keeps at most four of them per device, so a fifth task would displace one of the others.
 */
import { words } from '../../lib/words.ts';
import type { NudgePush, TestPush } from '../gateway.ts';
import { timeToLiveSeconds, withFittingTitle } from '../payload-limits.ts';
import { nudgeBody } from '../push-text.ts';

/** FCM's limit. FCM counts fewer bytes than the JSON of the message without its token, so this is on the safe side. */
const MAX_BYTES = 4_096;

/** The app creates the notification channels with these names. The user can change how loud each one is. */
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

export function buildMessage(push: NudgePush | TestPush, now: Date): FcmMessage {
  const { title, body, tag, channel, data } = push.kind === 'test' ? testContent(push) : contentOf(push);
  const android: FcmMessage['android'] = {
    // A sleeping phone gets NORMAL in its next maintenance window, perhaps hours later: too late for a due nudge.
    priority: channel === 'heads_up' ? 'NORMAL' : 'HIGH',
    ttl: `${timeToLiveSeconds(push.expiresAt, now)}s`,
    notification: { tag, channel_id: channel },
  };
  const { payload } = withFittingTitle(title, MAX_BYTES, (fittingTitle) => ({
    notification: { title: fittingTitle, body },
    data,
    android,
  }));
  return { token: push.target.token, ...payload };
}

interface Content {
  readonly title: string;
  readonly body: string;
  readonly tag: string;
  readonly channel: Channel;
  readonly data: Readonly<Record<string, string>>;
}

const testContent = ({ stage = 0 }: TestPush): Content => ({
  title: words.notice.testTitle,
  body: words.notice.testBody,
  tag: 'test',
  channel: channelOf(stage),
  data: { test: 'true' },
});

function contentOf({ task, stage, nudgedAt }: NudgePush): Content {
  return {
    title: task.title,
    body: nudgeBody(task, stage, nudgedAt),
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
