/** The settings of an account, its pause and its deletion. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Static } from 'typebox';
import type { Db } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import { differsInPlan } from '../escalation/plan-settings.ts';
import { ROWS_AT_ONCE, type Slice, startFollowUp } from '../follow-ups/follow-ups.ts';
import type { Audit } from '../lib/audit.ts';
import type { Caller, SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { parseDateTime, toInstant } from '../lib/date-time.ts';
import { InvalidInput } from '../lib/errors.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { findTimeZone } from '../lib/time-zone.ts';
import {
  acknowledgePause,
  cancelPlannedPause,
  coverPauses,
  endPause,
  findPauseEnd,
  findPlannedPause,
  listPastPauses,
  openPause,
  type PastPause,
  type PlannedPause,
  planPause,
  settlePause,
} from './pause.ts';
import type { PlanFacts } from './plan.ts';
import type { UserSettingsOut, UserSettingsUpdate } from './settings.schemas.ts';
import {
  closeUser,
  deleteStoredAnswers,
  deleteUser,
  findUser,
  lockUser,
  requireUser,
  type User,
  updateUser,
} from './users.store.ts';

export interface PauseToPlan {
  readonly from: string;
  readonly until: string;
  readonly keepMustNotMiss: boolean;
}

type Settings = Static<typeof UserSettingsOut>;

/** Another part of the service that acts when an account changes or is deleted. */
export interface AccountListener {
  /** Runs in the transaction that changes a setting which nudge times depend on. */
  nudgeSettingsChanging?(trx: Db, userId: string): Promise<void>;
  /** Runs in the transaction that suspends the account. */
  accountSuspending?(trx: Db, userId: string): Promise<void>;
  /** Runs after the commit of any change of the settings. */
  settingsChanged?(): void;
  /** Runs first in the transaction of a deletion. Returns what tells people of it after the commit. */
  tellOfDeletion?(trx: Db, user: User): Promise<() => void>;
  /** Runs then in the transaction that ends all access to the account. */
  accountDeleting?(trx: Db, userId: string): Promise<void>;
  /** Hides a slice of the account's data from others. Runs after `accountDeleting` and before the answer, until it is done. */
  hideSlice?(trx: Db, userId: string, limit: number): Promise<Slice>;
  /** Deletes a slice of the account's data. Runs after `accountDeleting` until it is done. */
  deleteSlice?(trx: Db, userId: string, limit: number): Promise<Slice>;
  /** Runs after the commit of the deletion. */
  accountDeleted?(): void;
}

/** Settings that are computed by other parts of the service. */
export interface Lookups {
  /** How many nudges a pause has held back, counted from `since`. */
  countHeld(db: Db, userId: string, pause: PastPause, since: Date): Promise<number>;
  /** The plan at this moment. */
  planOf(user: PlanFacts): PlanFacts;
}

/** Runs first in the transaction of a change that another person makes, and throws if they may not make it. */
export type Guard = (trx: Db) => Promise<void>;

/** The gap between two slices of a command, in which the service can write. */
const SLICE_GAP_MS = 20;

export class SettingsService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #audit: Audit;
  readonly #listeners: readonly AccountListener[];
  readonly #lookups: Lookups;
  readonly #rowsAtOnce: number;

  constructor(
    db: Db,
    clock: Clock,
    audit: Audit,
    listeners: readonly AccountListener[],
    lookups: Lookups,
    rowsAtOnce = ROWS_AT_ONCE,
  ) {
    this.#rowsAtOnce = rowsAtOnce;
    this.#db = db;
    this.#clock = clock;
    this.#audit = audit;
    this.#listeners = listeners;
    this.#lookups = lookups;
  }

  async get({ userId }: Caller): Promise<Settings> {
    return this.#settingsOf(this.#db, requireUser(await findUser(this.#db, userId)), this.#clock.now());
  }

  async update(caller: Caller, changes: Static<typeof UserSettingsUpdate>): Promise<Settings> {
    const zone = changes.timezone === undefined ? undefined : findTimeZone(changes.timezone);
    if (changes.timezone !== undefined && zone === undefined) {
      const msg = 'Input should be the name of an IANA time zone';
      throw new InvalidInput({ type: 'value_error', loc: ['body', 'timezone'], msg });
    }
    return this.#change(caller, () => ({ ...changes, ...(zone !== undefined && { timezone: zone }) }));
  }

  /** An `until` without an offset is read in the user's time zone. */
  async pause(caller: Caller, until: string, keepMustNotMiss: boolean): Promise<Settings> {
    return this.#change(caller, (user, now) =>
      openPause(user, readInstantAfter(now, until, 'until', 'in the future', user), keepMustNotMiss, now),
    );
  }

  async endPause(caller: Caller): Promise<Settings> {
    return this.#change(caller, endPause);
  }

  async acknowledgePause(caller: Caller): Promise<Settings> {
    return this.#change(caller, acknowledgePause);
  }

  async getPlannedPause({ userId }: Caller): Promise<PlannedPause | null> {
    return findPlannedPause(requireUser(await findUser(this.#db, userId)), this.#clock.now());
  }

  /** Replaces the planned pause. Times without an offset are read in the user's time zone. */
  async planPause(caller: Caller, request: PauseToPlan): Promise<PlannedPause | null> {
    await this.#change(caller, (user, now) => {
      const from = readInstantAfter(now, request.from, 'from', 'in the future', user);
      const until = readInstantAfter(from, request.until, 'until', 'after the start of the pause', user);
      return planPause(user, { from, until, keep_must_not_miss: request.keepMustNotMiss }, now);
    });
    return this.getPlannedPause(caller);
  }

  /** Without a planned pause, nothing changes. One that has begun is running, and is ended by `endPause`. */
  async cancelPlannedPause(caller: Caller): Promise<void> {
    await this.#change(caller, cancelPlannedPause);
  }

  /**
   * Tasks are planned by the suspension as by any setting: no task is nudged until it is lifted, and then each due task
   * once, as after a pause. Returns false if the account was in that state already.
   */
  async setSuspended(userId: string, suspendedAt: Date | null, guard?: Guard): Promise<boolean> {
    let isChanged = false;
    const decide = ({ suspended_at }: User) => {
      isChanged = (suspended_at === null) !== (suspendedAt === null);
      // A second suspension changes nothing, so `suspended_at` keeps the first moment.
      return { suspended_at: suspendedAt && (suspended_at ?? suspendedAt) };
    };
    await this.#change({ userId }, decide, guard);
    return isChanged;
  }

  /**
   * Ends all access to the account for good and deletes it. The data of a large account is deleted in slices, and the
   * account's row last, but nobody sees any of it once this resolves. Listeners act on other systems after the commit.
   */
  async delete({ userId }: Pick<SessionCaller, 'userId'>, address: string, guard?: Guard): Promise<void> {
    await this.#close(userId, address, this.#rowsAtOnce, guard);
    for (const { hideSlice } of this.#listeners) {
      const run = () => transact(this.#db, async (trx) => hideSlice?.(trx, userId, this.#rowsAtOnce));
      while ((await run())?.isDone === false) await nextTurn();
    }
  }

  /**
   * For a command that runs alongside the service: uses short transactions, and the first one ends all access. If the
   * command is interrupted, the service deletes the rest.
   */
  async deleteInSlices({ userId }: Pick<SessionCaller, 'userId'>, address: string): Promise<void> {
    await this.#close(userId, address, 0);
    const run = () => transact(this.#db, (trx) => this.deleteSlice(trx, { user_id: userId }, this.#rowsAtOnce));
    while (!(await run()).isDone) await delay(SLICE_GAP_MS);
  }

  async #close(userId: string, address: string, limit: number, guard?: Guard): Promise<void> {
    const tellings = await transact(this.#db, async (trx) => {
      await guard?.(trx);
      // The lock waits for a request that is just assigning a task to this account.
      const user = requireUser(await lockUser(trx, userId));
      const tells = await Promise.all(this.#listeners.map((listener) => listener.tellOfDeletion?.(trx, user)));
      for (const listener of this.#listeners) await listener.accountDeleting?.(trx, userId);
      await closeUser(trx, userId, this.#clock.now());
      announce(trx, [userId]);
      const followUp = { kind: 'delete_account', user_id: userId, space_id: null, cursor: null } as const;
      await startFollowUp(trx, followUp, (...slice) => this.deleteSlice(...slice), limit);
      return tells;
    });
    this.#audit.record('account_deleted', { result: 'ok', address, user_id: userId });
    for (const tell of tellings) tell?.();
    for (const listener of this.#listeners) listener.accountDeleted?.();
  }

  async deleteSlice(trx: Db, { user_id }: { readonly user_id: string }, limit: number): Promise<Slice> {
    let rows = 0;
    for (const listener of this.#listeners) {
      const slice = await listener.deleteSlice?.(trx, user_id, limit);
      if (slice?.isDone === false) return slice;
      rows += slice?.rows ?? 0;
    }
    const answers = await deleteStoredAnswers(trx, user_id, limit);
    if (answers === limit) return { rows: rows + answers, isDone: false };
    await deleteUser(trx, user_id);
    return { rows: rows + answers, isDone: true };
  }

  async #change(
    { userId }: Pick<Caller, 'userId'>,
    decide: (user: User, now: Date) => Parameters<typeof updateUser>[2],
    guard?: Guard,
  ): Promise<Settings> {
    const settings = await transact(this.#db, async (trx) => {
      await guard?.(trx);
      const now = this.#clock.now();
      const user = requireUser(await lockUser(trx, userId));
      const changed = requireUser(await updateUser(trx, userId, decide(user, now), now));
      if (user.suspended_at === null && changed.suspended_at !== null)
        for (const listener of this.#listeners) await listener.accountSuspending?.(trx, userId);
      if (differsInPlan(user, changed)) {
        for (const listener of this.#listeners) await listener.nudgeSettingsChanging?.(trx, userId);
      }
      return this.#settingsOf(trx, changed, now);
    });
    for (const listener of this.#listeners) listener.settingsChanged?.();
    return settings;
  }

  async #settingsOf(db: Db, user: User, now: Date): Promise<Settings> {
    return {
      id: user.id,
      email: user.email,
      display_name: user.display_name,
      timezone: user.timezone,
      quiet_hours_start: user.quiet_hours_start,
      quiet_hours_end: user.quiet_hours_end,
      day_start: user.day_start,
      keep_must_not_miss: settlePause(user, now).keep_must_not_miss,
      paused_until: findPauseEnd(user, now),
      welcome_back: await this.#welcomeBack(db, user, now),
      mfa_enabled: user.mfa_enabled_at !== null,
      ...this.#lookups.planOf(user),
      created_at: user.created_at,
    };
  }

  async #welcomeBack(db: Db, user: User, now: Date): Promise<Settings['welcome_back']> {
    const pauses = listPastPauses(user, now);
    const covered = coverPauses(pauses);
    if (!covered) return null;
    let [held, since] = [0, new Date(0)];
    for (const pause of pauses) {
      held += await this.#lookups.countHeld(db, user.id, pause, since);
      since = pause.paused_until;
    }
    return { ...covered, held };
  }
}

function readInstantAfter(
  earliest: Date,
  written: string,
  field: string,
  wanted: string,
  { timezone }: { readonly timezone: string },
): Date {
  const parsed = parseDateTime(written);
  const instant = parsed && toInstant(parsed, timezone);
  if (instant && instant > earliest) return instant;
  throw new InvalidInput({ type: 'value_error', loc: ['body', field], msg: `Input should be ${wanted}` });
}
