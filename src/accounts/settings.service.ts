/** The account itself: its settings, its pause, its end. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Caller, SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { parseDateTime, toInstant } from '../lib/date-time.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { findTimeZone } from '../lib/time-zone.ts';
import type { Audit } from './audit.ts';
import { deleteEmailCode } from './email-codes.store.ts';
import {
  acknowledgePause,
  endPause,
  isPaused,
  openPause,
  type PastPause,
  type PauseFacts,
  pastPauseOf,
} from './pause.ts';
import type { PlanFacts } from './plan.ts';
import { deleteSessions } from './sessions.store.ts';
import { deleteTokens } from './tokens.store.ts';
import { deleteUser, findUser, lockUser, type User, updateUser } from './users.store.ts';

export interface SettingsChanges {
  readonly display_name?: string | null;
  readonly timezone?: string;
  readonly quiet_hours_start?: string | null;
  readonly quiet_hours_end?: string | null;
  readonly day_start?: string;
}

/** What an account shows of itself. */
export interface Settings
  extends Pick<
    User,
    | 'id'
    | 'email'
    | 'display_name'
    | 'timezone'
    | 'quiet_hours_start'
    | 'quiet_hours_end'
    | 'day_start'
    | 'keep_must_not_miss'
    | 'plan'
    | 'plan_expires_at'
    | 'created_at'
  > {
  readonly paused_until: Date | null;
  readonly welcome_back: (PastPause & { readonly held: number }) | null;
  readonly mfa_enabled: boolean;
}

/** A part that an account's settings or its end concern. What gets a transaction happens inside of it. */
export interface AccountFollower {
  /** Something that reminders are planned by is different now. */
  settingsChanged?(trx: Kysely<Database>, userId: string): Promise<void>;
  /** Takes a few things out of the account before it is deleted; resolves with whether there may be more. */
  accountEmptying?(trx: Kysely<Database>, userId: string): Promise<boolean>;
  accountDeleting?(trx: Kysely<Database>, userId: string): Promise<void>;
  /** After the commit. */
  settingsSaved?(): void;
  accountDeleted?(): void;
}

/** What an account shows that is not written in it. */
export interface Lookups {
  /** How many nudges a pause has held back. */
  countHeld(db: Kysely<Database>, userId: string, pause: PastPause): Promise<number>;
  /** What the account has of its plan by now. */
  planOf(user: PlanFacts): PlanFacts;
}

/** Between two steps, for those who wait to write. */
const PAUSE_MS = 20;

export class SettingsService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #audit: Audit;
  readonly #followers: readonly AccountFollower[];
  readonly #lookups: Lookups;

  constructor(
    db: Kysely<Database>,
    clock: Clock,
    audit: Audit,
    followers: readonly AccountFollower[],
    lookups: Lookups,
  ) {
    this.#db = db;
    this.#clock = clock;
    this.#audit = audit;
    this.#followers = followers;
    this.#lookups = lookups;
  }

  async get({ userId }: Caller): Promise<Settings> {
    return this.#settingsOf(this.#db, present(await findUser(this.#db, userId)), this.#clock.now());
  }

  async update(caller: Caller, changes: SettingsChanges): Promise<Settings> {
    const zone = changes.timezone === undefined ? undefined : findTimeZone(changes.timezone);
    if (changes.timezone !== undefined && zone === undefined) {
      const msg = 'Input should be the name of an IANA time zone';
      throw new InvalidInput({ type: 'value_error', loc: ['body', 'timezone'], msg });
    }
    return this.#change(caller, () => ({ ...changes, ...(zone !== undefined && { timezone: zone }) }));
  }

  /** An `until` without an offset is read in the user's zone. */
  async pause(caller: Caller, until: string, keepMustNotMiss: boolean): Promise<Settings> {
    return this.#change(caller, (user, now) => {
      const written = parseDateTime(until);
      const instant = written && toInstant(written, user.timezone);
      if (!instant || instant <= now) {
        throw new InvalidInput({ type: 'value_error', loc: ['body', 'until'], msg: 'Input should be in the future' });
      }
      return { ...openPause(user, instant, now), keep_must_not_miss: keepMustNotMiss };
    });
  }

  async endPause(caller: Caller): Promise<Settings> {
    return this.#change(caller, (user, now) => pick(endPause(user, now)));
  }

  async acknowledgePause(caller: Caller): Promise<Settings> {
    return this.#change(caller, (user, now) => pick(acknowledgePause(user, now)));
  }

  /** Everything of the account goes in one transaction; the provider is told afterwards. */
  async delete({ userId }: Pick<SessionCaller, 'userId'>, address: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      // Whoever is just giving this account a task finishes first, and is then told that it is gone.
      present(await lockUser(trx, userId));
      for (const follower of this.#followers) await follower.accountDeleting?.(trx, userId);
      const deleted = present(await deleteUser(trx, userId));
      if (deleted.email !== null) await deleteEmailCode(trx, deleted.email);
    });
    this.#audit.record('account_deleted', { result: 'ok', address, user_id: userId });
    for (const follower of this.#followers) follower.accountDeleted?.();
  }

  /**
   * For a command beside a running service: a large account goes in steps that leave the service its
   * turn. Nobody is signed in from the first on. Whatever interrupts it, the command can be repeated.
   */
  async deleteInSteps(caller: Pick<SessionCaller, 'userId'>, address: string): Promise<void> {
    const { userId } = caller;
    const step = <T>(work: (trx: Kysely<Database>) => Promise<T>) =>
      transact(this.#db, async (trx) => {
        present(await lockUser(trx, userId));
        return work(trx);
      });
    await step(async (trx) => {
      await deleteSessions(trx, userId);
      await deleteTokens(trx, userId);
    });
    for (const follower of this.#followers) {
      while (await step(async (trx) => follower.accountEmptying?.(trx, userId))) await delay(PAUSE_MS);
    }
    await this.delete(caller, address);
  }

  async #change(
    { userId }: Caller,
    decide: (user: User, now: Date) => Parameters<typeof updateUser>[2],
  ): Promise<Settings> {
    const settings = await transact(this.#db, async (trx) => {
      const now = this.#clock.now();
      const user = present(await lockUser(trx, userId));
      const changed = present(await updateUser(trx, userId, decide(user, now), now));
      if (movesReminders(user, changed)) {
        for (const follower of this.#followers) await follower.settingsChanged?.(trx, userId);
      }
      return this.#settingsOf(trx, changed, now);
    });
    for (const follower of this.#followers) follower.settingsSaved?.();
    return settings;
  }

  async #settingsOf(db: Kysely<Database>, user: User, now: Date): Promise<Settings> {
    const { id, email, display_name, timezone, quiet_hours_start, quiet_hours_end, day_start } = user;
    const { keep_must_not_miss, created_at } = user;
    const past = pastPauseOf(user, now);
    return {
      ...{ id, email, display_name, timezone, quiet_hours_start, quiet_hours_end, day_start, keep_must_not_miss },
      paused_until: isPaused(user, now) ? user.pause_until : null,
      welcome_back: past && { ...past, held: await this.#lookups.countHeld(db, user.id, past) },
      mfa_enabled: user.mfa_enabled_at !== null,
      ...this.#lookups.planOf(user),
      created_at,
    };
  }
}

/** The settings that reminders are planned by. */
const PLANNED_BY = ['timezone', 'quiet_hours_start', 'quiet_hours_end', 'day_start', 'keep_must_not_miss'] as const;
const PLANNED_BY_INSTANT = ['pause_from', 'pause_until'] as const;

const movesReminders = (before: User, after: User): boolean =>
  PLANNED_BY.some((name) => before[name] !== after[name]) ||
  PLANNED_BY_INSTANT.some((name) => before[name]?.getTime() !== after[name]?.getTime());

const pick = ({ pause_from, pause_until }: PauseFacts): PauseFacts => ({ pause_from, pause_until });

/** The caller was authenticated a moment ago; an account that is gone by now was deleted in between. */
function present(user: User | undefined): User {
  if (!user) throw new AppError('unauthenticated');
  return user;
}
