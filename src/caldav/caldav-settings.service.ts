/** What a person chose for the apps that they connect by CalDAV. */
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import { AppError } from '../lib/errors.ts';
import { type CaldavSettings, findAccount, findSettings, storeSettings } from './caldav.store.ts';

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

  async set(caller: SessionCaller, settings: CaldavSettings): Promise<void> {
    await transact(this.#db, (trx) => storeSettings(trx, caller.userId, settings));
  }
}
