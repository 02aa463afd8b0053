/**
 * An administrator helps a person who has lost the second factor, and cannot do it behind their back: it is turned off 72
 * hours after the first mail to the owner, and never if the mail server takes none for seven days. The owner gets a mail each day, with a link that stops
 * it. A sign-in with the second factor stops it too, because the owner has it. So do a new address of the account and the
 * suspension of the administrator.
 */
import type { Guard } from '../accounts/settings.service.ts';
import { findUser, lockUser, requireUser, type User } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import type { SchemaWatch } from '../db/schema-watch.ts';
import { transact } from '../db/transact.ts';
import type { Audit } from '../lib/audit.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { ThrottleService } from '../limits/throttle.service.ts';
import type { AccountNotices } from './account-notices.ts';
import { hasOpenChange } from './address/address-changes.store.ts';
import {
  deleteReset,
  deleteResetsBy,
  findReset,
  findResetById,
  insertReset,
  type SecondFactorReset,
  takeDueReset,
} from './second-factor-resets.store.ts';
import { deleteSessions } from './sessions.store.ts';
import { turnOffSecondFactor } from './turn-off-second-factor.ts';

/** From the first mail that the mail server took. */
export const RESET_DELAY_MS = 72 * 3_600_000;

/** Who stopped a reset. */
type StoppedBy = 'owner' | 'link' | 'second_factor';

interface Parts {
  readonly db: Db;
  readonly schema: SchemaWatch;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly notices: AccountNotices;
  readonly throttle: ThrottleService;
  readonly isMailSent: boolean;
  readonly isAdministrator: (person: User) => boolean;
  /** Called after the commit: a mail is due. */
  readonly mailDue: () => void;
}

export class SecondFactorResets {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  find(userId: string): Promise<SecondFactorReset | undefined> {
    return findReset(this.#parts.db, userId);
  }

  findById(id: string): Promise<SecondFactorReset | undefined> {
    return findResetById(this.#parts.db, id);
  }

  /** A reset that is under way goes on as it was. */
  async request(userId: string, adminId: string, guard: Guard): Promise<void> {
    const { db, clock, throttle, isMailSent, mailDue } = this.#parts;
    await throttle.enforce('secondFactorResets', userId);
    await transact(db, async (trx) => {
      await guard(trx);
      const user = requireUser(await lockUser(trx, userId));
      const now = clock.now();
      if (user.mfa_enabled_at === null) throw new AppError('mfa_not_enabled');
      if (user.email === null || !isMailSent) throw new AppError('not_allowed', { sentence: NOBODY_TOLD });
      if (await hasOpenChange(trx, userId, now)) throw new AppError('not_allowed', { sentence: NEW_ADDRESS });
      await insertReset(trx, {
        id: newId(),
        user_id: userId,
        requested_by: adminId,
        requested_at: now,
        told_at: null,
        due_at: new Date(now.getTime() + RESET_DELAY_MS),
        mail_due_at: now,
      });
    });
    mailDue();
  }

  /** False if there was none. */
  withdraw(userId: string): Promise<boolean> {
    return deleteReset(this.#parts.db, userId);
  }

  async withdrawAllBy(adminId: string): Promise<void> {
    await deleteResetsBy(this.#parts.db, adminId);
  }

  /** False if there was none. */
  async stop(userId: string, by: StoppedBy, address: string): Promise<boolean> {
    const isStopped = await deleteReset(this.#parts.db, userId);
    if (isStopped) this.recordStopped(userId, by, address);
    return isStopped;
  }

  /** Called after the commit. */
  recordStopped(userId: string, by: StoppedBy, address: string): void {
    this.#parts.audit.record('second_factor_reset', { result: 'stopped', by, address, user_id: userId });
  }

  /** Nothing was proven, so every session ends, as when the operator does it. */
  async apply({ id, user_id, requested_by }: SecondFactorReset): Promise<void> {
    const { db, schema, clock, audit, notices, isAdministrator } = this.#parts;
    const isApplied = await transact(db, async (trx) => {
      await schema.hold(trx);
      const user = await lockUser(trx, user_id);
      if (!user || !(await takeDueReset(trx, id, clock.now()))) return false;
      // What an administrator asked for ends with the administrator.
      const requester = await findUser(trx, requested_by);
      if (!requester || !isAdministrator(requester)) return false;
      await turnOffSecondFactor(trx, user_id, clock.now());
      await deleteSessions(trx, user_id);
      return true;
    });
    if (!isApplied) return;
    audit.record('second_factor_reset', { result: 'ok', address: 'delay', user_id, admin_id: requested_by });
    notices.send(user_id, { kind: 'second_factor_reset' });
  }
}

const NOBODY_TOLD =
  'Nobody could be told: the account has no address, or the service sends no mail. The operator can turn the second ' +
  'factor off with "crescendo user mfa-off".';
const NEW_ADDRESS =
  'The address of this account was changed in the last seven days, and the former address can still undo that. Wait until ' +
  'then, or ask the operator.';
