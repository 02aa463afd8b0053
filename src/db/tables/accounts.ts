/** Who signs in, with what, and what is kept to guard it. */
import type { ColumnType, Generated } from 'kysely';
import type { Scope } from '../../lib/caller.ts';

export interface UsersTable {
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
export interface IdentitiesTable {
  id: string;
  user_id: string;
  issuer: string;
  subject: string;
  client_id: string;
  /** Sealed; kept only to be revoked when the account is deleted. */
  refresh_token: string | null;
  created_at: Date;
}

export interface SessionsTable {
  id: string;
  user_id: string;
  token_hash: string;
  created_at: Date;
  expires_at: Date;
}

export interface AccessTokensTable {
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
export interface EmailCodesTable {
  email: string;
  code_hash: string;
  tries: number;
  expires_at: Date;
}

/** A sign-in that has passed its first proof and waits for the second. */
export interface MfaChallengesTable {
  token_hash: string;
  user_id: string;
  mode: string;
  tries: number;
  expires_at: Date;
}

/** The newest TOTP step spent for a purpose; no step up to it counts again. */
export interface TotpStepsTable {
  user_id: string;
  purpose: string;
  last_step: number;
}

/** Unspent recovery codes. */
export interface RecoveryCodesTable {
  user_id: string;
  code_hash: string;
  /** The name of the key it was hashed under; null where that was not written down yet. */
  key_id: string | null;
}

export interface ThrottlesTable {
  key: string;
  count: number;
  resets_at: Date;
}

/** Refresh tokens of deleted accounts that the provider has not been told about yet. */
export interface ProviderRevocationsTable {
  id: string;
  client_id: string;
  refresh_token: string;
  attempts: number;
  next_attempt_at: Date;
}

/** Answers kept to be given again. No status yet: the request is still under way. */
export interface IdempotencyKeysTable {
  user_id: string;
  key_hash: string;
  request_hash: string;
  status: number | null;
  answer: string | null;
  expires_at: Date;
}

/** Every key that the service has sealed or hashed with, by its name, which tells nothing about it. */
export interface SealingKeysTable {
  key_id: string;
  first_used_at: Date;
  /** When nothing needed it any more, or whoever runs the service declared it lost. */
  retired_at: Date | null;
}
