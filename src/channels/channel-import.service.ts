/**
 * Restores the channels of an archive: their settings and their order. An archive has no addresses, and it may be
 * forged, so it confirms nothing: an imported channel gets no nudge before its owner has entered or connected its
 * address and confirmed it here. Only the address that the account signs in with counts as confirmed.
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
  silenceRequests,
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

interface ArchivedSettings {
  readonly fallbackMinutes?: unknown;
  readonly hearsRequests?: unknown;
}

export class ChannelImportService {
  readonly #parts: ImportParts;

  constructor(parts: ImportParts) {
    this.#parts = parts;
  }

  /**
   * Also restores the fallback minutes and the switch for messages about requests, unless the owner has set up channels
   * in this account already.
   */
  async restore(userId: string, archived: readonly ArchivedChannel[], settings: ArchivedSettings): Promise<Result[]> {
    const { fallbackMinutes: minutes, hearsRequests } = settings;
    const { db, clock, senders, addOwnMail } = this.#parts;
    // The service makes its automatic channels in this account by itself, too.
    const chosen = archived.filter(({ automatic }) => !automatic);
    return transact(db, async (trx) => {
      await lockAccount(trx, userId);
      if (senders.find(MAIL)) await addOwnMail(trx, [userId], clock.now());
      const account = await findAccount(trx, userId);
      const existing = await listChannels(trx, userId);
      const isNew = existing.every(({ automatic }) => automatic);
      const results: Result[] = [];
      for (const channel of chosen)
        results.push(await this.#restoreOne(trx, userId, channel, account?.email, existing));
      const isAnyBack = results.some(({ result }) => result === 'restored' || result === 'to_set_up');
      if (isNew && isAnyBack && isFallbackMinutes(minutes)) await setFallbackMinutes(trx, userId, minutes);
      if (isNew && isAnyBack && hearsRequests === false) await silenceRequests(trx, userId);
      return results;
    });
  }

  /** Keeps `existing`, the channels of the account, up to date. */
  async #restoreOne(
    trx: Db,
    userId: string,
    archived: ArchivedChannel,
    email: string | null | undefined,
    existing: Channel[],
  ): Promise<Result> {
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
    const known = existing.find((channel) => channel.id === archived.id || channel.id === id);
    if (known) return as('already_there', known.id);
    if (!senders.find(provider)) return as('refused', null, NOT_OFFERED);
    const ownMail = findOwnMail(archived, email, existing);
    if (ownMail) {
      if (!ownMail.automatic) return as('already_there', ownMail.id);
      const changed = await updateChannel(trx, ownMail.id, archivedColumns(archived, clock.now()));
      if (changed) existing.splice(existing.indexOf(ownMail), 1, changed);
      return as('restored', ownMail.id);
    }
    if (existing.length >= MOST_CHANNELS) return as('refused', null, TOO_MANY);
    const added = await insertChannel(trx, channelWithoutAddress(senders, userId, id, archived, clock.now()));
    if (added) existing.push(added);
    return as('to_set_up', id);
  }
}

/** The account's mail to its sign-in address, if the archived channel was mail to that address. */
const findOwnMail = (
  { provider, label }: ArchivedChannel,
  email: string | null | undefined,
  existing: readonly Channel[],
): Channel | undefined =>
  provider === MAIL && email === label
    ? existing.find((channel) => channel.provider === MAIL && channel.address === null)
    : undefined;
