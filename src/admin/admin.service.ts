/**
 * What an administrator may do with accounts: see when and how they are used, suspend, lift, delete, end sessions,
 * reset a second factor with a delay, and decide who gets an account. Every action leaves an audit line with the administrator and the account.
 *
 * No function here returns what a person wrote or where it is sent: tasks, spaces and channels appear as counts.
 *
 * Administrators cannot suspend or delete their own account, so at least the one who acted is left. `#guard` makes this
 * true for two administrators who act on each other at once as well.
 */
import type { Guard, SettingsService } from '../accounts/settings.service.ts';
import { deleteFact } from '../db/installation.ts';
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import type { AccountNotices } from '../sign-in/account-notices.ts';
import type { SignUpPolicy } from '../sign-in/admission.ts';
import type { SecondFactorResets } from '../sign-in/second-factor-resets.service.ts';
import type { SecondFactorReset } from '../sign-in/second-factor-resets.store.ts';
import type { SessionsService } from '../sign-in/sessions.service.ts';
import type { SignUpService } from '../sign-in/sign-up.service.ts';
import type { AdmittedAddress } from '../sign-in/sign-up.store.ts';
import { countsOf } from '../tasks/task-counts.sql.ts';
import { type AdminReason, type AdminRules, findAdminReason } from './administrators.ts';
import {
  countAccess,
  countPeople,
  countStandIns,
  countTargets,
  findAdminFacts,
  findPersonById,
  listPeople,
  lockAdminFacts,
  type PeopleQuery,
  type Person,
  setAdmin,
} from './people.store.ts';

interface AdminParts {
  readonly db: Db;
  /** Real time. */
  readonly clock: Clock;
  readonly rules: AdminRules;
  readonly accounts: Pick<SettingsService, 'setSuspended' | 'delete'>;
  readonly sessions: Pick<SessionsService, 'requireRecentSignIn' | 'revokeAll'>;
  readonly signUp: SignUpService;
  readonly notices: Pick<AccountNotices, 'send'>;
  readonly resets: SecondFactorResets;
  readonly audit: Audit;
  /** Sets up mail to the sign-in address for those who have no such channel. Returns whether it added any. */
  readonly addOwnMail: (userIds: readonly string[]) => Promise<boolean>;
}

/** Who acts, and from where. Without a caller it is the operator on the command line, who needs no permission. */
export interface Actor {
  readonly caller: SessionCaller | null;
  readonly address: string;
}

export type PersonView = Person & { readonly admin: AdminReason | null };

export type PersonDetail = PersonView & {
  readonly tasks: { readonly open: number; readonly done: number; readonly skipped: number };
  readonly reach: Awaited<ReturnType<typeof countTargets>>;
  readonly stand_ins: Awaited<ReturnType<typeof countStandIns>>;
  readonly sessions: number;
  readonly tokens: number;
  readonly second_factor_reset: Pick<SecondFactorReset, 'requested_at' | 'due_at'> | null;
};

export class AdminService {
  readonly #parts: AdminParts;

  constructor(parts: AdminParts) {
    this.#parts = parts;
  }

  async isAdmin(userId: string): Promise<boolean> {
    const { db, rules } = this.#parts;
    const person = await findAdminFacts(db, userId);
    return person !== undefined && findAdminReason(person, rules) !== null;
  }

  async describe(): Promise<{ people: number; sign_up: SignUpPolicy; sign_up_fixed: boolean }> {
    const { db, signUp } = this.#parts;
    return { people: await countPeople(db), sign_up: await signUp.policy(), sign_up_fixed: signUp.isFixed };
  }

  /** `next` is the id to continue after; null on the last page. */
  async list({ limit, ...query }: PeopleQuery): Promise<{ people: PersonView[]; next: string | null }> {
    const { db, rules, addOwnMail } = this.#parts;
    const page = { ...query, limit: limit + 1 };
    const read = await listPeople(db, page);
    const isAnyAdded = await addOwnMail(read.map(({ id }) => id));
    const found = isAnyAdded ? await listPeople(db, page) : read;
    const people = found.slice(0, limit).map((person) => ({ ...person, admin: findAdminReason(person, rules) }));
    return { people, next: found.length > limit ? (people.at(-1)?.id ?? null) : null };
  }

  async get(userId: string): Promise<PersonDetail> {
    const { db, clock, rules, addOwnMail, resets } = this.#parts;
    await addOwnMail([userId]);
    const person = await findPersonById(db, userId);
    if (!person) throw noSuchAccount();
    const [counts] = (await db.executeQuery(countsOf(db, userId))).rows;
    return {
      ...person,
      admin: findAdminReason(person, rules),
      tasks: { open: person.open_tasks, done: Number(counts?.done ?? 0), skipped: Number(counts?.skipped ?? 0) },
      reach: await countTargets(db, userId),
      stand_ins: await countStandIns(db, userId),
      ...(await countAccess(db, userId, clock.now())),
      second_factor_reset: (await resets.find(userId)) ?? null,
    };
  }

  async suspend(actor: Actor, userId: string): Promise<void> {
    await this.#record('suspend', actor, { user_id: userId }, async () => {
      const { accounts, clock, notices, resets } = this.#parts;
      this.#requireRecentSignIn(actor);
      if (!(await accounts.setSuspended(userId, clock.now(), this.#guard(actor, userId)))) return;
      await resets.withdrawAllBy(userId);
      notices.send(userId, { kind: 'suspended' });
    });
  }

  async lift(actor: Actor, userId: string): Promise<void> {
    await this.#record('lift', actor, { user_id: userId }, async () => {
      const { accounts, notices } = this.#parts;
      if (await accounts.setSuspended(userId, null, this.#guard(actor, userId)))
        notices.send(userId, { kind: 'suspension_lifted' });
    });
  }

  async delete(actor: Actor, userId: string): Promise<void> {
    await this.#record('delete', actor, { user_id: userId }, async () => {
      this.#requireRecentSignIn(actor);
      await this.#parts.accounts.delete({ userId }, actor.address, this.#guard(actor, userId));
    });
  }

  /** Returns how many sessions ended. Access tokens stay. */
  async endSessions(actor: Actor, userId: string): Promise<number> {
    return this.#record('end_sessions', actor, { user_id: userId }, async () => {
      const { db, sessions } = this.#parts;
      if (!(await findAdminFacts(db, userId))) throw noSuchAccount();
      return sessions.revokeAll({ userId }, actor.address);
    });
  }

  /** Turns the second factor off after a delay, in which its owner can stop it. */
  async resetSecondFactor(actor: Actor & { readonly caller: SessionCaller }, userId: string): Promise<void> {
    await this.#record('reset_second_factor', actor, { user_id: userId }, async () => {
      this.#requireRecentSignIn(actor);
      await this.#parts.resets.request(userId, actor.caller.userId, this.#guard(actor, userId));
    });
  }

  async withdrawReset(actor: Actor, userId: string): Promise<void> {
    await this.#record('withdraw_second_factor_reset', actor, { user_id: userId }, async () => {
      if (!(await this.#parts.resets.withdraw(userId)))
        throw new AppError('not_found', { sentence: 'No reset of the second factor is under way.' });
    });
  }

  /** For the operator. Returns why the account still is an administrator, or null if it is none. */
  async setAdmin(actor: Actor, userId: string, isAdmin: boolean): Promise<AdminReason | null> {
    const { db } = this.#parts;
    await this.#record(isAdmin ? 'make_admin' : 'unmake_admin', actor, { user_id: userId }, () =>
      transact(db, async (trx) => {
        await setAdmin(trx, userId, isAdmin);
        if (isAdmin) await deleteFact(trx, 'claim');
      }),
    );
    const { admin } = await this.get(userId);
    // What an administrator asked for ends with the administrator.
    if (admin === null) await this.#parts.resets.withdrawAllBy(userId);
    return admin;
  }

  async invite(actor: Actor, email: string): Promise<AdmittedAddress & { readonly mailed: boolean }> {
    const admin = { userId: actor.caller?.userId ?? null, sender: actor.caller?.userId ?? actor.address };
    return this.#record('invite', actor, { email }, () => this.#parts.signUp.invite(email, admin));
  }

  async listInvitations(): Promise<AdmittedAddress[]> {
    return this.#parts.signUp.listInvitations();
  }

  async revokeInvitation(actor: Actor, id: string): Promise<void> {
    await this.#record('revoke_invitation', actor, { invitation_id: id }, () =>
      this.#parts.signUp.revokeInvitation(id),
    );
  }

  async setSignUp(actor: Actor, signUp: 'open' | 'invite'): Promise<void> {
    await this.#record('set_sign_up', actor, { sign_up: signUp }, () => this.#parts.signUp.setSwitch(signUp));
  }

  #guard({ caller }: Actor, userId: string): Guard {
    return async (trx) => {
      const people = await lockAdminFacts(trx, caller ? [caller.userId, userId] : [userId]);
      if (!people.some(({ id }) => id === userId)) throw noSuchAccount();
      if (!caller) return;
      if (caller.userId === userId) throw new AppError('not_allowed', { sentence: 'This is your own account.' });
      const self = people.find(({ id }) => id === caller.userId);
      const reason = self && findAdminReason(self, this.#parts.rules);
      if (!reason) throw new AppError('admin_required');
    };
  }

  /** The command line has no session that could be old. */
  #requireRecentSignIn({ caller }: Actor): void {
    if (caller) this.#parts.sessions.requireRecentSignIn(caller);
  }

  async #record<T>(
    action: string,
    { caller, address }: Actor,
    subject: Readonly<Record<string, string>>,
    act: () => Promise<T>,
  ): Promise<T> {
    const who = { action, ...subject, admin_id: caller?.userId ?? null, address };
    try {
      const result = await act();
      this.#parts.audit.record('admin_action', { result: 'ok', ...who });
      return result;
    } catch (error) {
      this.#parts.audit.record('admin_action', { result: error instanceof AppError ? error.code : 'failed', ...who });
      throw error;
    }
  }
}

const noSuchAccount = () => new AppError('not_found', { sentence: 'There is no such account.' });
