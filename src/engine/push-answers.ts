/** What a push provider answered, as it is stored. */
import type { DeadToken } from '../deliveries/outbox.store.ts';
import type { DeliveryKey } from '../deliveries/outgoing-push.ts';
import type { AnyPush, PushResult } from '../push/gateway.ts';

const LONGEST_REASON = 200;

/** A provider chose this text. If PostgreSQL refused one character, the whole batch of results would fail. */
export const printable = (reason: string) => reason.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, LONGEST_REASON);

export function toDeadToken(
  { kind, target_id }: DeliveryKey,
  { target }: AnyPush,
  gone: Extract<PushResult, { kind: 'gone' }>,
  sentAt: Date,
): DeadToken {
  const since = gone.since && !Number.isNaN(gone.since.getTime()) ? gone.since : sentAt;
  const isChannel = 'channelId' in target;
  return { kind, target_id, isChannel, token: isChannel ? '' : target.token, reason: printable(gone.reason), since };
}
