/**
 * Brings the channels of an archive back: their settings and their order. An archive holds no addresses, and it may be
 * forged, so nothing in it confirms one: an imported channel gets no nudge before its owner has entered its address,
 * or connected it, and confirmed it here. Only the address that the account signs in with was confirmed already.
 */
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Clock } from '../lib/clock.ts';
import { idFromWords } from '../lib/ids.ts';
import { type ArchivedChannel, archivedColumns, channelWithoutAddress, MAIL } from './channel-columns.ts';
import type { ChannelSenders } from './channel-senders.ts';
import { isFallbackMinutes } from './channels.schemas.ts';
import { MOST_CHANNELS } from './channels.service.ts';
import {
  type Channel,
  findAccount,
  insertChannel,
  listChannels,
  lockAccount,
  setFallbackMinutes,
  updateChannel,
} from './channels.store.ts';

interface Result {
  readonly provider: string;
  readonly name: string | null;
  readonly id: string | null;
  readonly result: 'restored' | 'to_set_up' | 'already_there' | 'refused';
  readonly reason: string | null;
}

interface ImportParts {
  readonly db: Db;
  /** Real time. */
  readonly clock: Clock;
  readonly senders: ChannelSenders;
  readonly addOwnMail: (db: Db, userIds: readonly string[], now: Date) => Promise<boolean>;
}

const NOT_OFFERED = 'This service does not offer this kind of channel.';
const TOO_MANY = `An account has at most ${MOST_CHANNELS} channels.`;

export class ChannelImportService {
  readonly #parts: ImportParts;

  constructor(parts: ImportParts) {
    this.#parts = parts;
  }

  /** The minutes are restored with the first channels, and not into an account whose owner has set up some already. */
  async restore(userId: string, archived: readonly ArchivedChannel[], minutes: unknown): Promise<Result[]> {
    const { db, clock, senders, addOwnMail } = this.#parts;
    // What the service made by itself here is what it made there.
    const chosen = archived.filter(({ automatic }) => !automatic);
    return transact(db, async (trx) => {
      await lockAccount(trx, userId);
      if (senders.find(MAIL)) await addOwnMail(trx, [userId], clock.now());
      const isNew = (await listChannels(trx, userId)).every(({ automatic }) => automatic);
      const results: Result[] = [];
      for (const channel of chosen) results.push(await this.#restoreOne(trx, userId, channel));
      const isAnyBack = results.some(({ result }) => result === 'restored' || result === 'to_set_up');
      if (isNew && isAnyBack && isFallbackMinutes(minutes)) await setFallbackMinutes(trx, userId, minutes);
      return results;
    });
  }

  async #restoreOne(trx: Db, userId: string, archived: ArchivedChannel): Promise<Result> {
    const { clock, senders } = this.#parts;
    const { provider, name = null } = archived;
    const as = (result: Result['result'], id: string | null, reason: string | null = null): Result => ({
      provider,
      name,
      id,
      result,
      reason,
    });
    // The same file always gives the same id, so a second import finds it, whatever its owner has changed since.
    const id = idFromWords('imported_channel', userId, archived.id);
    const existing = await listChannels(trx, userId);
    const known = existing.find((channel) => channel.id === archived.id || channel.id === id);
    if (known) return as('already_there', known.id);
    if (!senders.find(provider)) return as('refused', null, NOT_OFFERED);
    const ownMail = await this.#findOwnMail(trx, userId, archived, existing);
    if (ownMail) {
      if (!ownMail.automatic) return as('already_there', ownMail.id);
      await updateChannel(trx, ownMail.id, archivedColumns(archived, clock.now()));
      return as('restored', ownMail.id);
    }
    if (existing.length >= MOST_CHANNELS) return as('refused', null, TOO_MANY);
    await insertChannel(trx, channelWithoutAddress(senders, userId, id, archived, clock.now()));
    return as('to_set_up', id);
  }

  /** The account's mail to its sign-in address, if the archived channel was mail to that address. */
  async #findOwnMail(
    trx: Db,
    userId: string,
    { provider, label }: ArchivedChannel,
    existing: readonly Channel[],
  ): Promise<Channel | undefined> {
    if (provider !== MAIL || (await findAccount(trx, userId))?.email !== label) return undefined;
    return existing.find((channel) => channel.provider === MAIL && channel.address === null);
  }
}
