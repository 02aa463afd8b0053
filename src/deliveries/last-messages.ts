/**
 * The message that tells an idle owner that no more come. It is chosen when its delivery is leased. A delivery that
 * still waits for its tier may be cancelled, because somebody answers in a lower one, and then tells nobody.
 */
import type { Db } from '../db/schema.ts';
import type { MessageLimits } from '../push/gateway.ts';
import { claimLastMessage, listLastSeen } from './message-limits.store.ts';
import type { Channel } from './messages.store.ts';
import type { Delivery } from './outbox.store.ts';
import { isIdle, isTold } from './reach.ts';

/**
 * Makes one message to each idle owner the last, stores it in `channels.last_mail_entry_id`, and returns the other
 * messages. A message that is sent again after a crash or a refusal is still the last.
 */
export async function findStoppedMessages(
  db: Db,
  messages: readonly Delivery[],
  channels: Map<string, Channel>,
  limits: MessageLimits,
  now: Date,
): Promise<ReadonlySet<Delivery>> {
  const owners = new Set(messages.flatMap(({ target_id }) => channels.get(target_id)?.user_id ?? []));
  const lastSeen = await listLastSeen(db, [...owners]);
  const stopped = new Set<Delivery>();
  for (const message of messages) {
    const channel = channels.get(message.target_id);
    const seenAt = channel && lastSeen.get(channel.user_id);
    if (!channel || seenAt === undefined || !isIdle(seenAt, limits, now)) continue;
    if (isTold(channel, seenAt)) {
      if (channel.last_mail_entry_id !== message.entry_id) stopped.add(message);
    } else if (await claimLastMessage(db, channel, message.entry_id, now)) {
      channels.set(channel.id, { ...channel, last_mail_at: now, last_mail_entry_id: message.entry_id });
    } else stopped.add(message);
  }
  return stopped;
}
