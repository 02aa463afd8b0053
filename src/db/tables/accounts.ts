/** Accounts, and everything for signing in and protecting them. */
import type { ColumnType, Generated } from 'kysely';
import type { Scope } from '../../lib/caller.ts';

export interface UsersTable {
  id: string;
  /** As `normalizeEmail` returns it; null for an account whose identity provider gave no verified address. */
  email: string | null;
  display_name: string | null;
  timezone: Generated<string>;
  /** Wall-clock times, "HH:MM". */
  quiet_hours_start: string | null;
  quiet_hours_end: string | null;
  day_start: Generated<string>;
  /** The last pause that the user has not acknowledged: still running, or over and not shown yet. */
  pause_from: Date | null;
  pause_until: Date | null;
  /** Earlier pauses that the user has not acknowledged, from the start of the first to the end of the last. */
  unseen_pause_from: Date | null;
  unseen_pause_until: Date | null;
  keep_must_not_miss: boolean;
  /** The next pause. Once it has begun, it is the pause above; the next change of the pause stores it there. */
  planned_pause_from: Date | null;
  planned_pause_until: Date | null;
  planned_keep_must_not_miss: boolean | null;
  /** Sealed. Set at enrolment; in force once `mfa_enabled_at` is set. */
  totp_secret: string | null;
  mfa_enabled_at: Date | null;
  plan: Generated<string>;
  plan_expires_at: Date | null;
  created_at: Date;
  updated_at: Date;
  /** Rises with every change of the settings that tasks are planned by. An open task of another version is stale. */
  plan_version: Generated<number>;
  /** How long a nudge may go unanswered before the next tier of channels is used as well. */
  fallback_minutes: Generated<number>;
  /** Whether messages about requests are sent: being asked, and answers to what the person asked of others. */
  hears_requests: Generated<boolean>;
  /** Set when the account is deleted and its rows are still being deleted. Nobody finds it any more. */
  deleted_at: Date | null;
  /** Made an administrator on the command line, or by the word of the terminal. */
  is_admin: Generated<boolean>;
  /** Was the oldest account when that still made an administrator. */
  first_account: Generated<boolean>;
  /** Was in an administrators' group of the identity provider at the last sign-in there. */
  admin_by_provider: Generated<boolean>;
  /** JSON: the account's own ladders, the ladders of its labels and its default (`escalation/choose-ladder.ts`). */
  ladders: Generated<string | null>;
  /** Nobody signs in to a suspended account, and it is sent no nudges. */
  suspended_at: Date | null;
}

export interface AccountTables {
  users: UsersTable;
  /** What is left of a change that is too large for one transaction. */
  follow_ups: {
    id: string;
    kind: 'replan' | 'leave_space' | 'delete_account' | 'move_in' | 'undo_move_in';
    user_id: string;
    /** The space that the user has left. */
    space_id: string | null;
    /** The last row that is done, where the rows do not tell. */
    cursor: string | null;
  };
  /** An account at an identity provider that can sign in to this account. */
  identities: {
    id: string;
    user_id: string;
    issuer: string;
    subject: string;
    client_id: string;
    /** Sealed; stored only to revoke it when the account is deleted. */
    refresh_token: string | null;
    created_at: Date;
  };
  sessions: {
    id: string;
    user_id: string;
    token_hash: string;
    created_at: Date;
    expires_at: Date;
    /** The identity that signed in, for a session that its provider can end. */
    identity_id: string | null;
    /** The provider's own name for the session. */
    provider_sid: string | null;
    /** The browser and system that signed in (`src/lib/client-name.ts`), or the name that its owner gave it. */
    client_name: string | null;
    /** When its owner last showed who they are: by the sign-in, or by a later one that was carried over. */
    proven_at: Generated<Date>;
  };
  access_tokens: {
    id: string;
    user_id: string;
    name: string | null;
    token_hash: string;
    /** The first characters, so that its owner recognises it. */
    prefix: string;
    scopes: ColumnType<Scope[], string, never>;
    created_at: Date;
    last_used_at: Date | null;
    expires_at: Date | null;
    /** Limits for tasks that the token creates or changes; null for no limit. */
    max_stage: number | null;
    /** The shortest wait in minutes between the due nudges of its tasks. */
    shortest_wait: Generated<number | null>;
    max_open_tasks: number | null;
    /** Of a connection: the assistant that has it; null for a token that its owner pasted somewhere. */
    client_id: string | null;
    /** The host that vouches for the assistant's name; null if nobody does. */
    client_host: string | null;
  };
  /** One row per sign-in request. Requests for one address may share a code, and each has tries of its own. */
  email_codes: {
    id: string;
    /** The address that the code signs in; see `addressSubject` for codes that change an address. */
    email: string;
    /** The hash of the token that the requester got. */
    request_hash: string;
    /** The network that asked; null once the same network has asked again. */
    network_hash: string | null;
    code_hash: string;
    /** Tries with the token; without it from the network that asked; and from all other networks together. */
    tries_by_request: Generated<number>;
    tries_by_network: Generated<number>;
    tries_by_others: Generated<number>;
    /** Until then, further requests for the address get this code instead of a mail; null if the code is not shared. */
    reusable_until: Date | null;
    expires_at: Date;
  };
  /** A sign-in that has passed the first factor and waits for the second. */
  mfa_challenges: {
    token_hash: string;
    user_id: string;
    mode: string;
    tries: number;
    expires_at: Date;
    /** The identity that signed in, and the provider's session, for the session to come. */
    identity_id: string | null;
    provider_sid: string | null;
  };
  /** The newest TOTP step used for a purpose; this step and all earlier ones are refused. */
  totp_steps: {
    user_id: string;
    purpose: string;
    last_step: number;
  };
  /** Unused recovery codes. */
  recovery_codes: {
    user_id: string;
    code_hash: string;
    /** The id of the key it was hashed with; null for rows from before this column existed. */
    key_id: string | null;
  };
  /** A key pair whose private half is in a phone, a computer or a security key, and signs its owner in. */
  passkeys: {
    id: string;
    user_id: string;
    /** The authenticator's own name for the key pair, in base64url. */
    credential_id: string;
    /** As a COSE key in base64url. */
    public_key: string;
    /** How many signatures the authenticator has made. It stays 0 for passkeys that are synced between devices. */
    counter: number;
    /** How a browser reaches the authenticator, separated by spaces. */
    transports: string;
    name: string;
    created_at: Date;
    last_used_at: Date | null;
  };
  /** A label without a row has the colour that the app computes from its letters. */
  label_colours: {
    user_id: string;
    label: string;
    /** A name of the palette in `src/tasks/labels/labels.schemas.ts`. */
    colour: string;
  };
  throttles: {
    key: string;
    count: number;
    resets_at: Date;
  };
  /** Refresh tokens of deleted accounts, until they are revoked at the provider. */
  provider_revocations: {
    id: string;
    client_id: string;
    refresh_token: string;
    attempts: number;
    next_attempt_at: Date;
  };
  /** Stored answers for `Idempotency-Key`. The status is null while the request is in progress. */
  idempotency_keys: {
    user_id: string;
    key_hash: string;
    request_hash: string;
    /** Names the request that has the key; null if that was a process of an earlier release. */
    claim: string | null;
    /** Renewed every few seconds while that request is under way. */
    claimed_until: Date | null;
    status: number | null;
    answer: string | null;
    /** As long as nothing is committed under the key, the end of the claim. */
    expires_at: Date;
  };
  /** Every key that the service has sealed or hashed with, by its id, which reveals nothing about the key. */
  sealing_keys: {
    key_id: string;
    first_used_at: Date;
    /** When no stored value needed the key any more, or the operator marked it as lost. */
    retired_at: Date | null;
  };
  /** An address that an administrator has invited: it gets an account, whatever SIGN_UP says. */
  admitted_addresses: {
    id: string;
    /** As `normalizeEmail` returns it. */
    email: string;
    /** Null for an invitation from the command line, or from an account that was deleted. */
    admitted_by: string | null;
    created_at: Date;
    expires_at: Date;
  };
  /**
   * Changes of the sign-in address that the former address can still undo. Until then nobody else gets that address. Ids
   * are in the order of the changes.
   */
  address_changes: {
    id: string;
    user_id: string;
    old_email: string;
    new_email: string;
    changed_at: Date;
    /** Until then the link in the mail to the former address works. */
    expires_at: Date;
    /** When that mail is sent, or tried again; null once the mail server has taken it. */
    mail_due_at: Date | null;
  };
  /** A second factor that an administrator has asked to turn off. */
  second_factor_resets: {
    id: string;
    user_id: string;
    requested_by: string;
    requested_at: Date;
    /** When the mail server took the first mail to the owner, from which the delay counts; null before. */
    told_at: Date | null;
    /** When the second factor is turned off, unless somebody stops it. */
    due_at: Date;
    /** When the owner gets the next mail about it; null if no more is due before the end. */
    mail_due_at: Date | null;
  };
  /** Facts about the whole installation, by name: see `db/installation.ts`. */
  installation: {
    name: string;
    value: string;
    changed_at: Date;
  };
}
