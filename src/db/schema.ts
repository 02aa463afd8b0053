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
  /** How many nudges that pause has held back. */
  pause_held: Generated<number>;
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
