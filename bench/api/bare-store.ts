/** What the bare server reads and writes, and what its two stores share. */
export interface Session {
  readonly userId: string;
  readonly expiresAt: number;
}

export interface NewTask {
  readonly title: string;
  readonly due_at: string;
}

type Awaitable<T> = T | Promise<T>;

export interface BareStore {
  findSession(tokenHash: string): Awaitable<Session | undefined>;
  find(userId: string, id: string): Awaitable<unknown>;
  list(userId: string, limit: number): Awaitable<unknown>;
  sync(userId: string, since: Date): Awaitable<unknown>;
  create(userId: string, task: NewTask): Awaitable<unknown>;
  complete(userId: string, id: string): Awaitable<unknown>;
  close(): Awaitable<void>;
}

/** The same look-up as the service's: the sessions of a suspended account are not found. */
export const SESSION = `select sessions.id, user_id, sessions.created_at, expires_at, identity_id from sessions
  join users on users.id = sessions.user_id where token_hash = $1 and users.suspended_at is null`;

const LEADING = 'id, owner_id, assigner_id, space_id, title, notes, kind, due_at, has_time, mode';
const MIDDLE = 'status, accepted_by_owner, escalation_stage, nudge_count, next_fire_at, completed_at';
const TRAILING = 'skipped_at, last_nudge_at, created_at, updated_at';
/** The fields of a task in a list, and of one alone. */
export const LISTED = `${LEADING}, ${MIDDLE}, ${TRAILING}`;
export const DETAILED = `${LEADING}, break_quiet_hours, ${MIDDLE}, recurrence, lead_time_days, deferred_until, ${TRAILING}`;

export const SETTINGS =
  'id, email, display_name, timezone, quiet_hours_start, quiet_hours_end, day_start, pause_until, keep_must_not_miss, mfa_enabled_at, plan, plan_expires_at, created_at';

export const IS_VISIBLE = `(owner_id = $1 or assigner_id = $1 or (accepted_by_owner and space_id in
  (select space_id from space_members where user_id = $1)))`;

/** The columns that a new task has a value for; all others are null or have a default. */
export const INSERTED = `id, owner_id, title, kind, due_at, due_written, has_time, overdue_at, series_first,
  occurrence_number, occurrence_started_at, mode, break_quiet_hours, status, accepted_by_owner, run_started_at, step,
  escalation_stage, nudge_count, next_fire_at, wanted_at, list_rank, list_key, created_at, updated_at, changed_at`;

/** As long as what the service stores to undo a completion. */
export const undoOf = (outcomeId: string, now: string): string =>
  JSON.stringify({
    at: now,
    by: 'owner',
    tokenId: null,
    outcomeId,
    fields: {
      status: 'open',
      accepted_by_owner: true,
      due_at: now,
      due_written: now,
      has_time: true,
      overdue_at: now,
      series_first: now.slice(0, 19),
      occurrence_number: 1,
      occurrence_started_at: now,
      deferred_until: null,
      completed_at: null,
      skipped_at: null,
      closed_at: null,
    },
  });

interface SettingsRow {
  readonly [column: string]: unknown;
  readonly pause_until: unknown;
  readonly mfa_enabled_at: unknown;
}

/** The settings as the service shows them for an account without a pause. */
export function toSettings({ pause_until, mfa_enabled_at, plan, plan_expires_at, created_at, ...rest }: SettingsRow) {
  const { keep_must_not_miss, ...leading } = rest;
  const second = { paused_until: pause_until, keep_must_not_miss, welcome_back: null };
  return { ...leading, ...second, mfa_enabled: mfa_enabled_at !== null, plan, plan_expires_at, created_at };
}
