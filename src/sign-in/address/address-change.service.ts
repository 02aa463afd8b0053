/**
 * Changes the address of an account.
 *
 *            code to the new address          confirm
 *   old ────────────────────────────▶ asked ──────────▶ new
 *    ▲                                                    │
 *    └────────────────────────────────────────────────────┘
 *          link in the mail to the old address, for seven days
 *
 * - No answer says whether an address has an account or may have one: only the mail to it does, as at sign-in.
 * - Nobody else gets the old address while its link works, so the link can always restore it.
 * - A thief with a session cannot end the link and keep the account. Only the old address ends it, by using it or by
 *   proving the address again; so does the operator. Deleting the account ends it too, in any session: the old address is
 *   then told.
 * - The change ends all other sessions, as a change of the second factor does.
 */
import { findUserByEmail, lockUser, requireUser, setEmail, type User } from '../../accounts/users.store.ts';
import { requireLiveSession } from '../../db/live-session.ts';
import type { Db } from '../../db/schema.ts';
import { transact } from '../../db/transact.ts';
import type { Audit } from '../../lib/audit.ts';
import type { BackgroundMail } from '../../lib/background-mail.ts';
import type { SessionCaller } from '../../lib/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { normalizeEmail } from '../../lib/email.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { ThrottleService } from '../../limits/throttle.service.ts';
import { addressSubject, deleteEmailCodesTo } from '../email-codes.store.ts';
import { CODE_LIFETIME_SECONDS, type EmailCodes, SHARED_CODE_LIFETIME_SECONDS } from '../email-codes.ts';
import type { ProofGate } from '../proof-gate.ts';
import type { Requester } from '../requester.ts';
import { deleteChallenges } from '../second-factor.store.ts';
import { deleteReset } from '../second-factor-resets.store.ts';
import { deleteOtherSessions, deleteSessions } from '../sessions.store.ts';
import type { SignUpService } from '../sign-up.service.ts';
import {
  deleteAddressChange,
  deleteAddressChanges,
  deleteChangesAfter,
  findKept,
  insertAddressChange,
  listOpenChanges,
} from './address-changes.store.ts';
import { accountDeletedMail, addressCodeMail, addressRefusedMail, operatorMail } from './address-mails.ts';

const UNDO_MS = 7 * 86_400_000;

export interface AddressParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly codes: EmailCodes;
  readonly gate: ProofGate;
  readonly throttle: ThrottleService;
  readonly signUp: SignUpService;
  readonly audit: Audit;
  readonly backgroundMail: BackgroundMail;
  /** Runs in the transaction that changes the address. */
  readonly addressChanging: (trx: Db, userId: string, email: string) => Promise<void>;
  /** Called after the commit: a mail to the old address is due. */
  readonly mailDue: () => void;
}

export class AddressChangeService {
  readonly #parts: AddressParts;

  constructor(parts: AddressParts) {
    this.#parts = parts;
  }

  /** Mails a code to the new address. Returns for how many seconds it is valid. */
  async requestCode({ userId }: SessionCaller, rawEmail: string, requester: Requester): Promise<number> {
    const { db, codes, gate, throttle } = this.#parts;
    const email = normalizeEmail(rawEmail);
    await throttle.enforce('addressCodes', userId);
    const sending = await gate.countCodeRequest(email, requester.address);
    const subject = addressSubject(userId, email);
    const mayHave = await this.#mayHave(db, userId, email);
    const mailOf = (code: string) => (mayHave ? addressCodeMail(email, code) : addressRefusedMail(email));
    if (sending === 'usual') {
      await codes.send(subject, requester, mailOf).catch(async (error: unknown) => {
        await throttle.uncountCodeRequest(email, requester.address);
        throw error;
      });
      return CODE_LIFETIME_SECONDS;
    }
    await codes.sendSparingly(subject, requester, await throttle.allowsAddressCode(userId, email), mailOf);
    return SHARED_CODE_LIFETIME_SECONDS;
  }

  /** The answer to a right code for an address that cannot be had is that to a wrong one. */
  async confirm(caller: SessionCaller, rawEmail: string, code: string, requester: Requester): Promise<string> {
    const { db, gate, throttle, mailDue } = this.#parts;
    const { address } = requester;
    const email = normalizeEmail(rawEmail);
    const attempt = { account: caller.userId, user_id: caller.userId, email, address };
    const verify = () => transact(db, (trx) => this.#spendCode(trx, caller, email, code, requester));
    const changed = await gate.check('address_changed', attempt, verify);
    if (!changed) throw new AppError('wrong_address_code');
    await throttle.uncountCodeRequest(email, address);
    mailDue();
    return email;
  }

  async #spendCode(
    trx: Db,
    caller: SessionCaller,
    email: string,
    code: string,
    requester: Requester,
  ): Promise<true | undefined> {
    const { userId, sessionId } = caller;
    await requireLiveSession(trx, caller);
    const user = requireUser(await lockUser(trx, userId));
    if (!(await this.#parts.codes.spend(trx, addressSubject(userId, email), code, requester))) return undefined;
    if (user.email === email || !(await this.#mayHave(trx, userId, email))) return undefined;
    await this.#keepOldAddress(trx, user, email);
    await this.#set(trx, user, email);
    await deleteOtherSessions(trx, userId, sessionId);
    return true;
  }

  /**
   * For the operator, who answers for it: nothing is proven, so every session ends. The links of earlier changes end too,
   * and the old address gets none: it may be why the operator was asked.
   */
  async changeWithoutProof(userId: string, rawEmail: string, address: string): Promise<string> {
    const { db, audit, backgroundMail } = this.#parts;
    const email = normalizeEmail(rawEmail);
    const before = await transact(db, async (trx) => {
      const user = requireUser(await lockUser(trx, userId));
      if (user.email === email || (await this.#isTaken(trx, userId, email))) throw new AppError('account_exists');
      await deleteAddressChanges(trx, userId);
      await this.#set(trx, user, email);
      await deleteSessions(trx, userId);
      return user.email;
    });
    audit.record('address_changed', { result: 'without_proof', address, user_id: userId, email });
    if (before !== null) backgroundMail.send(async () => operatorMail(before, 'old'));
    backgroundMail.send(async () => operatorMail(email, 'new'));
    return email;
  }

  /** Who could have taken the account back learns that it is gone. Returns what sends the mails. */
  async tellOfDeletion(trx: Db, { id, email, timezone }: User): Promise<() => void> {
    const { clock, backgroundMail } = this.#parts;
    const now = clock.now();
    const changes = await listOpenChanges(trx, id, now);
    const told = new Set(changes.map(({ old_email }) => old_email));
    if (told.size > 0 && email !== null) told.add(email);
    return () => {
      for (const to of told) backgroundMail.send(async () => accountDeletedMail(to, now, timezone));
    };
  }

  async #mayHave(db: Db, userId: string, email: string): Promise<boolean> {
    // Both are looked up for every address, so that the time reveals nothing either.
    const isTaken = await this.#isTaken(db, userId, email);
    return (await this.#parts.signUp.mayAccountHave(db, email)) && !isTaken;
  }

  /** Whether another account has the address, or can have it back. */
  async #isTaken(db: Db, userId: string, email: string): Promise<boolean> {
    // The holder comes first: an account that gives the address up in between still held it then.
    const holder = await findUserByEmail(db, email);
    const kept = await findKept(db, email, this.#parts.clock.now());
    return [holder?.id, kept?.user_id].some((id) => id !== undefined && id !== userId);
  }

  /**
   * Who proves an address that a link could restore has done what the link does. The addresses in between get no link:
   * a thief could take the account back by it.
   */
  async #keepOldAddress(trx: Db, user: User, email: string): Promise<void> {
    const now = this.#parts.clock.now();
    const kept = await findKept(trx, email, now);
    if (kept) {
      await deleteChangesAfter(trx, kept);
      await deleteAddressChange(trx, kept.id);
    } else if (user.email !== null) {
      await insertAddressChange(trx, {
        id: newId(),
        user_id: user.id,
        old_email: user.email,
        new_email: email,
        changed_at: now,
        expires_at: new Date(now.getTime() + UNDO_MS),
        mail_due_at: now,
      });
    }
  }

  /** Ends what was begun with the old address, and a reset of the second factor, whose mails went there. */
  async #set(trx: Db, { id, email: before }: User, email: string): Promise<void> {
    const { clock, signUp, addressChanging } = this.#parts;
    await setEmail(trx, id, email, clock.now());
    await addressChanging(trx, id, email);
    await signUp.takeInvitation(trx, email);
    if (before !== null) await deleteEmailCodesTo(trx, before);
    await deleteChallenges(trx, id);
    await deleteReset(trx, id);
  }
}
