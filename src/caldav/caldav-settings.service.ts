/** What a person chose for the apps that they connect by CalDAV. */
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import { AppError } from '../lib/errors.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { slicesOf } from '../lib/pages.ts';
import {
  addEntries,
  type CaldavSettings,
  findAccount,
  findSettings,
  type StoredEntry,
  storeSettings,
} from './caldav.store.ts';
import { hashOfKept, isKept } from './kept.ts';

interface ArchivedApps {
  readonly settings: CaldavSettings | undefined;
  readonly entries: readonly Omit<StoredEntry, 'user_id' | 'kept_hash'>[];
}

const ENTRIES_PER_PAGE = 50;

const withHash = (entry: Omit<StoredEntry, 'kept_hash'>): StoredEntry => ({
  ...entry,
  kept_hash: entry.kept === null ? null : hashOfKept(entry.kept),
});

export class CaldavSettingsService {
  readonly #db: Db;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The user name is the address of the account, or its id where it has none. */
  async get({ userId }: SessionCaller): Promise<CaldavSettings & { readonly user_name: string }> {
    const account = await findAccount(this.#db, userId);
    if (!account) throw new AppError('unauthenticated');
    return { user_name: account.email ?? userId, ...(await findSettings(this.#db, userId)) };
  }

  /** From an archive. Changes nothing that the account has, and leaves out what cannot have come from here. */
  async restore(userId: string, { settings, entries }: ArchivedApps): Promise<void> {
    if (settings) await transact(this.#db, (trx) => storeSettings(trx, userId, settings, true));
    for (const page of slicesOf(entries, ENTRIES_PER_PAGE)) {
      await nextTurn();
      const rows = page
        .filter(({ kept }) => kept === null || isKept(kept))
        .map((entry) => ({ ...entry, user_id: userId }));
      await transact(this.#db, (trx) => addEntries(trx, rows.map(withHash)));
    }
  }

  async set(caller: SessionCaller, settings: CaldavSettings): Promise<void> {
    await transact(this.#db, (trx) => storeSettings(trx, caller.userId, settings));
  }
}
