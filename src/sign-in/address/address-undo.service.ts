/**
 * Undoes a change of the address, for whoever has the link in the mail to the old address. It restores the address,
 * whatever it was changed to since, and ends what a thief could have come back with: every session, and each way into the
 * account or out of it that was added since. A second factor that was turned on since goes too, because the owner does not
 * have it. A thief adds first and changes then, so "since" begins as long before the change as a recent sign-in may be old.
 * What is older stays, and the owner is told of it: it may be the owner's, or an old stolen session made it.
 */
import { findUser, lockUser, setEmail } from '../../accounts/users.store.ts';
import type { Db } from '../../db/schema.ts';
import { transact } from '../../db/transact.ts';
import type { Audit } from '../../lib/audit.ts';
import type { Clock } from '../../lib/clock.ts';
import { RECENT_SIGN_IN_MS } from '../../lib/session-lifetime.ts';
import type { AccountNotices } from '../account-notices.ts';
import { deleteEmailCodesOf } from '../email-codes.store.ts';
import { deleteIdentitiesSince, listIdentities } from '../provider/identities.store.ts';
import { deleteChallenges } from '../second-factor.store.ts';
import { deleteReset } from '../second-factor-resets.store.ts';
import { deleteSessions } from '../sessions.store.ts';
import type { LastingAccess } from '../sign-out.service.ts';
import { turnOffSecondFactor } from '../turn-off-second-factor.ts';
import type { AddressParts } from './address-change.service.ts';
import {
  type AddressChange,
  deleteAddressChange,
  deleteChangesAfter,
  findAddressChange,
} from './address-changes.store.ts';

interface Parts extends Pick<AddressParts, 'db' | 'clock' | 'audit' | 'addressChanging'> {
  readonly db: Db;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly notices: AccountNotices;
  readonly lasting: readonly LastingAccess[];
  readonly forgetCodes: (trx: Db, userId: string) => Promise<void>;
  /** Called after the commit: screens of ended devices may have to be cleared. */
  readonly wakeUp: () => void;
}

/** What stays and opens the account, or shows it. */
const OPENING = ['token', 'connection', 'passkey', 'device', 'calendar_feed'] as const;
export type LeftOver = (typeof OPENING)[number] | 'identity' | 'second_factor';

export class AddressUndoService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Undefined if the link has expired or was used. */
  find(id: string): Promise<AddressChange | undefined> {
    return findAddressChange(this.#parts.db, id, this.#parts.clock.now());
  }

  /**
   * Returns the kinds of what is left, or undefined if the link has expired or was used. One transaction, so that no sign-in with something that was added comes
   * between the end of the sessions and the end of what was added: it waits for the account and then finds nothing.
   */
  async undo(id: string, address: string): Promise<LeftOver[] | undefined> {
    const { db, audit, notices, wakeUp } = this.#parts;
    const undone = await transact(db, async (trx) => {
      const change = await this.#restore(trx, id);
      if (!change) return undefined;
      const ended = await this.#endAdded(trx, change);
      return { change, ended, left: await this.#listLeft(trx, change) };
    });
    if (!undone) return undefined;
    const { user_id, old_email } = undone.change;
    audit.record('address_restored', { result: 'ok', address, user_id, email: old_email, ended: undone.ended });
    notices.send(user_id, { kind: 'address_restored' });
    wakeUp();
    return undone.left;
  }

  async #restore(trx: Db, id: string): Promise<AddressChange | undefined> {
    const { clock, addressChanging, forgetCodes } = this.#parts;
    const now = clock.now();
    const found = await findAddressChange(trx, id, now);
    const user = found && (await lockUser(trx, found.user_id));
    // The lock may have waited for another use of the same link.
    const change = user && (await findAddressChange(trx, id, now));
    if (!change) return undefined;
    const { old_email, changed_at } = change;
    const since = startOf(change);
    await deleteEmailCodesOf(trx, user.id);
    await setEmail(trx, user.id, old_email, now);
    await addressChanging(trx, user.id, old_email);
    await deleteChangesAfter(trx, change);
    await deleteAddressChange(trx, id);
    await deleteSessions(trx, user.id);
    await deleteChallenges(trx, user.id);
    await forgetCodes(trx, user.id);
    await deleteReset(trx, user.id);
    // A provider links by the address, so an identity from before the change is the owner's.
    await deleteIdentitiesSince(trx, user.id, changed_at);
    if (user.mfa_enabled_at !== null && user.mfa_enabled_at >= since) await turnOffSecondFactor(trx, user.id, now);
    return change;
  }

  async #endAdded(trx: Db, change: AddressChange): Promise<number> {
    const { user_id } = change;
    const since = startOf(change);
    let ended = 0;
    for (const kind of this.#parts.lasting) {
      const added = (await kind.list(user_id, trx)).filter(({ made_at }) => made_at >= since);
      const ids = added.map(({ id }) => id);
      if (ids.length > 0) ended += await kind.end(trx, user_id, ids);
    }
    return ended;
  }

  async #listLeft(trx: Db, { user_id }: AddressChange): Promise<LeftOver[]> {
    const kinds = new Set<string>();
    for (const kind of this.#parts.lasting) for (const left of await kind.list(user_id, trx)) kinds.add(left.kind);
    const left: LeftOver[] = OPENING.filter((kind) => kinds.has(kind));
    if ((await listIdentities(trx, user_id)).length > 0) left.push('identity');
    if ((await findUser(trx, user_id))?.mfa_enabled_at) left.push('second_factor');
    return left;
  }
}

const startOf = ({ changed_at }: AddressChange): Date => new Date(changed_at.getTime() - RECENT_SIGN_IN_MS);
