/**
 * The tables, as TypeScript sees them. Instants are `Date`, ids are UUID strings; the engines'
 * own ways of storing them end in `db/`. JSON is written as text and read as a value.
 */
import type { ColumnType, Generated } from 'kysely';
import type { Scope } from '../lib/caller.ts';

export interface Database {
  releases: ReleasesTable;
  users: UsersTable;
  identities: IdentitiesTable;
  sessions: SessionsTable;
  access_tokens: AccessTokensTable;
  email_codes: EmailCodesTable;
  mfa_challenges: MfaChallengesTable;
  totp_steps: TotpStepsTable;
  recovery_codes: RecoveryCodesTable;
  throttles: ThrottlesTable;
  provider_revocations: ProviderRevocationsTable;
  spaces: SpacesTable;
  space_members: SpaceMembersTable;
  invites: InvitesTable;
  tasks: TasksTable;
  outcomes: OutcomesTable;
  task_counts: TaskCountsTable;
  task_removals: TaskRemovalsTable;
  idempotency_keys: IdempotencyKeysTable;
  timeline: TimelineTable;
  devices: DevicesTable;
  deliveries: DeliveriesTable;
  live_activities: LiveActivitiesTable;
}

/** Every release that has prepared this database, so that an older one can say which it must give way to. */
interface ReleasesTable {
  version: string;
  first_started_at: Date;
}

interface UsersTable {
  id: string;
  /** In its one normal form, or null for an account that came from a provider without a verified one. */
  email: string | null;
  display_name: string | null;
  timezone: Generated<string>;
  /** Wall-clock times, "HH:MM". */
  quiet_hours_start: string | null;
  quiet_hours_end: string | null;
  day_start: Generated<string>;
  /** The last pause that was not acknowledged: running, or over and still to be shown. */
  pause_from: Date | null;
  pause_until: Date | null;
  keep_must_not_miss: boolean;
  /** Sealed. Present from enrolment on; it counts once `mfa_enabled_at` is set. */
  totp_secret: string | null;
  mfa_enabled_at: Date | null;
  plan: Generated<string>;
  plan_expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** An account at an identity provider that may sign in to one of ours. */
interface IdentitiesTable {
  id: string;
  user_id: string;
  issuer: string;
  subject: string;
  client_id: string;
  /** Sealed; kept only to be revoked when the account is deleted. */
  refresh_token: string | null;
  created_at: Date;
}

interface SessionsTable {
  id: string;
  user_id: string;
  token_hash: string;
  created_at: Date;
  expires_at: Date;
}

interface AccessTokensTable {
  id: string;
  user_id: string;
  name: string | null;
  token_hash: string;
  /** The first characters, by which its owner recognises it. */
  prefix: string;
  scopes: ColumnType<Scope[], string, never>;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  /** What its agent may not go beyond; null for no limit. */
  max_stage: number | null;
  max_open_tasks: number | null;
}

/** At most one per address: only the newest code counts. */
interface EmailCodesTable {
  email: string;
  code_hash: string;
  tries: number;
  expires_at: Date;
}

/** A sign-in that has passed its first proof and waits for the second. */
interface MfaChallengesTable {
  token_hash: string;
  user_id: string;
  mode: string;
  tries: number;
  expires_at: Date;
}

/** The newest TOTP step spent for a purpose; no step up to it counts again. */
interface TotpStepsTable {
  user_id: string;
  purpose: string;
  last_step: number;
}

/** Unspent recovery codes. */
interface RecoveryCodesTable {
  user_id: string;
  code_hash: string;
}

interface ThrottlesTable {
  key: string;
  count: number;
  resets_at: Date;
}

/** Refresh tokens of deleted accounts that the provider has not been told about yet. */
interface ProviderRevocationsTable {
  id: string;
  client_id: string;
  refresh_token: string;
  attempts: number;
  next_attempt_at: Date;
}

interface SpacesTable {
  id: string;
  name: string;
  creator_id: string | null;
  created_at: Date;
}

interface SpaceMembersTable {
  space_id: string;
  user_id: string;
  role: string;
  joined_at: Date;
  /** By the database's clock, like every `changed_at`: what sync is counted by. */
  changed_at: Date;
}

interface InvitesTable {
  id: string;
  space_id: string;
  inviter_id: string;
  accepted_by: string | null;
  contact: string | null;
  token_hash: string;
  status: string;
  created_at: Date;
  expires_at: Date;
}

interface TasksTable {
  id: string;
  owner_id: string;
  assigner_id: string | null;
  space_id: string | null;
  title: string;
  notes: string | null;
  kind: string;
  due_at: Date | null;
  /** `due_at` as it was written, offset and all: the date of a task without a time is the one written there. */
  due_written: string | null;
  has_time: boolean;
  /** From when on the task is overdue: its time, or the end of its day in the owner's zone. */
  overdue_at: Date | null;
  /** JSON, letter for letter as it was sent. */
  recurrence: string | null;
  /** The wall-clock date-time that the rule is counted from. */
  series_first: string | null;
  occurrence_number: number;
  /** Creation, or the end of the previous occurrence. */
  occurrence_started_at: Date;
  lead_time_days: number | null;
  mode: string;
  break_quiet_hours: boolean;
  status: string;
  accepted_by_owner: boolean;
  deferred_until: Date | null;
  completed_at: Date | null;
  skipped_at: Date | null;
  closed_at: Date | null;
  /** JSON: what reopening would bring back. */
  undo: string | null;
  /** The ladder: when the run began, how many due nudges it has had, its last heads-up. */
  run_started_at: Date;
  step: number;
  heads_up_at: Date | null;
  escalation_stage: number;
  nudge_count: number;
  last_nudge_at: Date | null;
  next_fire_at: Date | null;
  /** When that nudge would come if nothing held it. */
  wanted_at: Date | null;
  /** The place in a list: open and dated, open and undated, closed; then by moment. */
  list_rank: number;
  list_key: number;
  /** The access token it was created with, which may be gone by now. */
  created_by_token: string | null;
  /** The strongest stage its nudges may reach; null for the whole ladder. */
  max_stage: number | null;
  created_at: Date;
  updated_at: Date;
  changed_at: Date;
}

interface OutcomesTable {
  id: string;
  owner_id: string;
  task_id: string;
  title: string;
  occurrence_due_at: Date | null;
  outcome: string;
  /** From the beginning of the occurrence to its end. */
  seconds_taken: number;
  recorded_at: Date;
}

/** Running sums, so that statistics cost the same however much lies behind them. */
interface TaskCountsTable {
  user_id: string;
  open: number;
  done: number;
  skipped: number;
  nudges_sent: number;
  seconds_to_done: number;
}

/** Tasks that left a viewer's sight. The task may be gone altogether, so nothing refers to it. */
interface TaskRemovalsTable {
  viewer_id: string;
  task_id: string;
  changed_at: Date;
}

/** Answers kept to be given again. No status yet: the request is still under way. */
interface IdempotencyKeysTable {
  user_id: string;
  key_hash: string;
  request_hash: string;
  status: number | null;
  answer: string | null;
  expires_at: Date;
}

/** What happened to a task, one row each; never changed afterwards, except that a nudge's result is summed up. */
interface TimelineTable {
  id: string;
  task_id: string;
  owner_id: string;
  at: Date;
  kind: string;
  /** `owner` or `assigner`; null for what the service did by itself. */
  by: string | null;
  /** The access token through which it was done. */
  token_id: string | null;
  stage: number | null;
  /** The end of a snooze or a hold. */
  until: Date | null;
  /** What held a nudge, comma-separated. */
  holds: string | null;
  occurrence_due_at: Date | null;
  /** To how many devices a nudge went, and how many providers took it: filled when its deliveries are cleared away. */
  devices: number | null;
  devices_reached: number | null;
}

interface DevicesTable {
  id: string;
  user_id: string;
  platform: 'ios' | 'android' | 'web';
  token: string;
  token_hash: string;
  push_env: 'sandbox' | 'production';
  /** JSON: what a Web Push is encrypted with. */
  keys: string | null;
  /** The token that starts a Live Activity. */
  start_token: string | null;
  valid: boolean;
  invalid_reason: string | null;
  /** The last time the app was in the foreground. */
  last_seen_at: Date | null;
  /** When the token was last reported; a provider's word about an earlier time does not count. */
  registered_at: Date;
  created_at: Date;
}

export type DeliveryStatus = 'pending' | 'sent' | 'failed_transient' | 'failed_permanent' | 'cancelled' | 'superseded';
export type DeliveryKind = 'nudge' | 'activity_start' | 'activity_update' | 'activity_end';

/** The outbox: a nudge on its way to one device. A lease is a `next_attempt_at` in the future. */
interface DeliveriesTable {
  /** The timeline's entry for the nudge. */
  entry_id: string;
  /** The device, or the Live Activity. */
  target_id: string;
  kind: DeliveryKind;
  task_id: string;
  provider: 'apns' | 'apns_sandbox' | 'fcm' | 'web_push';
  stage: number;
  status: DeliveryStatus;
  reason: string | null;
  attempts: number;
  /** In real time, whatever the service's clock does: providers live by it. */
  next_attempt_at: Date;
  created_at: Date;
  sent_at: Date | null;
  acked_at: Date | null;
}

/** A card on a lock screen. Without a token it was asked for and has not answered yet. */
interface LiveActivitiesTable {
  id: string;
  task_id: string;
  /** Unknown where the app started it by itself. */
  device_id: string | null;
  token: string | null;
  token_hash: string | null;
  push_env: 'sandbox' | 'production';
  /** In real time, like the end. */
  started_at: Date;
  ended_at: Date | null;
}
