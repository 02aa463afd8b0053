/**
 * Writes one log line per security event: who, from which address, with which result. Operators find break-ins and
 * locked-out users in these lines. A line never contains a secret.
 */
import type { Logger } from './logger.ts';

export type AuditEvent =
  | 'code_requested'
  | 'sign_in'
  | 'sign_up'
  | 'second_factor'
  | 'sign_out'
  | 'provider_sign_out'
  | 'session_revoked'
  | 'session_proven'
  | 'signed_out_everywhere'
  | 'mfa_enrolled'
  | 'mfa_enabled'
  | 'mfa_disabled'
  | 'second_factor_reset'
  | 'address_changed'
  | 'address_restored'
  | 'passkey_added'
  | 'passkey_removed'
  | 'token_minted'
  | 'token_revoked'
  | 'token_limited'
  | 'connection_consent'
  | 'connection_made'
  | 'connection_ended'
  | 'account_deleted'
  | 'account_exported'
  | 'tasks_imported'
  | 'channel_added'
  | 'channel_changed'
  | 'channel_confirmed'
  | 'channel_removed'
  | 'feed_made'
  | 'feed_revoked'
  | 'admin_action';

interface AuditDetails {
  readonly result: string;
  readonly address: string;
  readonly user_id?: string | undefined;
  readonly email?: string | undefined;
  readonly [detail: string]: unknown;
}

export class Audit {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  record(event: AuditEvent, details: AuditDetails): void {
    this.#logger.info({ audit: event, ...details }, `${event}: ${details.result}`);
  }
}
