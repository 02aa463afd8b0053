/** The mails of a batch that tell an idle owner that no more come. Each mailbox is told once. */
import type { Db } from '../db/schema.ts';
import { claimLastMail } from './mail-limits.store.ts';
import type { Channel } from './nudge-targets.store.ts';
import type { NewDelivery } from './sweep.store.ts';

export class LastMails {
  readonly #channels = new Map<string, Channel>();

  add(channel: Channel): void {
    this.#channels.set(channel.id, channel);
  }

  /** The channels that no mail of this batch has told yet. */
  untold(channels: readonly Channel[]): readonly Channel[] {
    return this.#channels.size === 0 ? channels : channels.filter(({ id }) => !this.#channels.has(id));
  }

  /** Stores that they were told. Returns the deliveries without those to whom another batch came first. */
  async claim(trx: Db, deliveries: readonly NewDelivery[], now: Date): Promise<readonly NewDelivery[]> {
    const tooLate = new Set<string>();
    for (const channel of this.#channels.values()) {
      if (!(await claimLastMail(trx, channel, now))) tooLate.add(channel.id);
    }
    return tooLate.size === 0 ? deliveries : deliveries.filter(({ target_id }) => !tooLate.has(target_id));
  }
}
