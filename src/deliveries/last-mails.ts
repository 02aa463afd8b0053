/**
 * The mail that tells an idle owner that no more come. Which one it is, is decided when it is leased: a mail that waits
 * for its tier is cancelled if somebody answers in a lower one, and would have told nobody.
 */
import type { Db } from '../db/schema.ts';
import { claimLastMail, listIdleOwners } from './mail-limits.store.ts';
import type { Channel } from './messages.store.ts';
import type { Delivery } from './outbox.store.ts';
import { isTold } from './plan-channels.ts';

/**
 * Lets one of the mails to each idle owner be the last, which `channels` then has in `last_mail_at`, and returns the
 * others. A mail that is sent again after a crash or a refusal is still the last.
 */
export async function findStoppedMails(
  db: Db,
  mails: readonly Delivery[],
  channels: Map<string, Channel>,
  now: Date,
): Promise<ReadonlySet<Delivery>> {
  const owners = new Set(mails.flatMap(({ target_id }) => channels.get(target_id)?.user_id ?? []));
  const idle = await listIdleOwners(db, [...owners], now);
  const stopped = new Set<Delivery>();
  for (const mail of mails) {
    const channel = channels.get(mail.target_id);
    const idleSince = idle.get(channel?.user_id ?? '');
    if (!channel || idleSince === undefined) continue;
    if (isTold(channel, idleSince)) {
      if (channel.last_mail_entry_id !== mail.entry_id) stopped.add(mail);
    } else if (await claimLastMail(db, channel, mail.entry_id, now)) {
      channels.set(channel.id, { ...channel, last_mail_at: now, last_mail_entry_id: mail.entry_id });
    } else stopped.add(mail);
  }
  return stopped;
}
