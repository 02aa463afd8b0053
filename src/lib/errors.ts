/**
 * The error catalogue: every error that the service can answer with, as code → HTTP status → sentence.
 *
 * Codes are part of the public interface: clients branch on them, so a code is never renamed.
 * Services throw `AppError` or `InvalidInput`; `http/` alone turns them into a response.
 */
interface CatalogueEntry {
  readonly status: number;
  readonly sentence: string;
}

export const errorCatalogue = {
  malformed_request: { status: 400, sentence: 'The request is not valid HTTP.' },
  connection_not_possible: { status: 400, sentence: 'This assistant cannot be connected.' },
  unauthenticated: { status: 401, sentence: 'Sign in first: the token is missing, wrong, expired or revoked.' },
  wrong_code: { status: 401, sentence: 'The code is wrong, expired or already used.' },
  wrong_identity_token: { status: 401, sentence: 'The identity token was not accepted.' },
  wrong_passkey: { status: 401, sentence: 'The passkey was not accepted. Try again, or sign in another way.' },
  unknown_passkey: { status: 401, sentence: 'No account here has this passkey. Sign in another way.' },
  copied_passkey: {
    status: 401,
    sentence:
      'The counter of this passkey went back, so a copy of it may be in use. Sign in another way, and remove the passkey.',
  },
  wrong_logout_token: { status: 400, sentence: 'The logout token was not accepted.' },
  sign_in_expired: { status: 401, sentence: 'This sign-in has expired or was already completed. Start again.' },
  wrong_billing_secret: { status: 401, sentence: 'The Authorization value is not the one that was agreed on.' },
  wrong_billing_signature: { status: 401, sentence: 'The signature is missing, wrong or too old.' },
  session_required: { status: 403, sentence: 'Only a signed-in person can do this, not an access token.' },
  scope_required: { status: 403, sentence: 'The access token lacks the scope that this needs.' },
  token_required: { status: 403, sentence: 'This address takes access tokens alone, not the session of a person.' },
  host_not_allowed: {
    status: 403,
    sentence:
      'The service does not answer to this host name. The person who runs it sets BASE_URL to the address that people ' +
      'open, or adds the name to ALLOWED_HOSTS.',
  },
  origin_not_allowed: { status: 403, sentence: 'Pages of another origin may not call this address.' },
  https_required: { status: 403, sentence: 'Access tokens are taken over HTTPS only.' },
  sign_up_closed: { status: 403, sentence: 'Not everyone can create an account here. Ask the person who runs it.' },
  account_suspended: { status: 403, sentence: 'This account is suspended. Ask the person who runs the service.' },
  admin_required: { status: 403, sentence: 'Only an administrator can do this.' },
  wrong_claim_word: {
    status: 403,
    sentence:
      'This is not the word. The service prints it when it starts, and "crescendo claim" shows it on the same machine.',
  },
  group_required: {
    status: 403,
    sentence: 'Your account at the identity provider is in no group that may sign in here. Ask the person who runs it.',
  },
  provider_required: { status: 403, sentence: 'This account is opened by signing in at the identity provider alone.' },
  email_sign_in_off: { status: 403, sentence: 'Signing in by email is off here. Use the identity provider.' },
  wrong_second_factor: { status: 403, sentence: 'The code is wrong, expired or already used.' },
  recent_sign_in_required: {
    status: 403,
    sentence:
      'This needs a sign-in of the last 15 minutes. Sign in again, and use the new session or carry the sign-in over to ' +
      'this one (POST /v1/auth/session/proof).',
  },
  other_account: {
    status: 403,
    sentence: 'That was a sign-in to another account. Sign in to the account that you are using here.',
  },
  passkey_refused: { status: 403, sentence: 'The new passkey was not accepted. Start again.' },
  wrong_address_code: { status: 403, sentence: 'The code is wrong, expired or already used. Ask for a new one.' },
  wrong_channel_code: { status: 403, sentence: 'The code is wrong, expired or already used. Ask for a new one.' },
  not_allowed: { status: 403, sentence: 'You may see this, but not do that with it.' },
  not_found: { status: 404, sentence: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, sentence: 'This address does not take that method.' },
  request_timeout: { status: 408, sentence: 'The request did not arrive in time.' },
  mfa_already_enabled: { status: 409, sentence: 'The second factor is already on. Turn it off first.' },
  mfa_not_enrolled: { status: 409, sentence: 'There is no enrolment to confirm. Begin one first.' },
  mfa_not_enabled: { status: 409, sentence: 'The second factor is not on.' },
  passkey_known: { status: 409, sentence: 'This passkey was added before.' },
  last_way_in: { status: 409, sentence: 'Without this passkey nobody can sign in to the account. Add another first.' },
  task_closed: { status: 409, sentence: 'The task is closed. Reopen it, or make a new one.' },
  task_not_accepted: { status: 409, sentence: 'The request has not been accepted yet.' },
  task_not_pending: { status: 409, sentence: 'The task was accepted already.' },
  occurrence_passed: { status: 409, sentence: 'The task has moved on to another occurrence.' },
  nothing_to_reopen: { status: 409, sentence: 'There is nothing to take back, or it was too long ago.' },
  nothing_to_restore: { status: 409, sentence: 'What this edit replaced is not kept any more.' },
  account_exists: { status: 409, sentence: 'There is an account with this address already.' },
  already_claimed: { status: 409, sentence: 'This service has an administrator already. Ask them to do it.' },
  sign_up_fixed: { status: 409, sentence: 'SIGN_UP is set, so it cannot be changed here.' },
  channel_known: { status: 409, sentence: 'You have a channel with this address already.' },
  channel_crowded: {
    status: 409,
    sentence: 'Ten accounts use this address already, and no more can. Use another address, or remove it there first.',
  },
  channel_not_reached: { status: 409, sentence: 'The other side did not accept the request.' },
  idempotency_key_reused: { status: 409, sentence: 'This Idempotency-Key was used for another request.' },
  idempotency_key_spent: {
    status: 409,
    sentence:
      'The request with this Idempotency-Key was carried out. Its answer was not kept: it held a secret that is shown ' +
      'once, was too large, or was lost.',
  },
  request_in_progress: { status: 409, sentence: 'The same request is still under way.' },
  invite_spent: { status: 410, sentence: 'The invitation was already used.' },
  invite_revoked: { status: 410, sentence: 'The invitation was taken back.' },
  invite_expired: { status: 410, sentence: 'The invitation has expired.' },
  payload_too_large: { status: 413, sentence: 'The body is larger than this address takes.' },
  unsupported_media_type: { status: 415, sentence: 'The body must be JSON (Content-Type: application/json).' },
  too_many_requests: { status: 429, sentence: 'Too many requests. Try again later.' },
  too_many_pending: { status: 429, sentence: 'Too many of your requests to this person are waiting for an answer.' },
  too_many_invitations: {
    status: 429,
    sentence: 'Enough invitations were mailed to this address today. Send the link of an invitation yourself instead.',
  },
  too_many_devices: { status: 429, sentence: 'This account has as many devices as it can have. Remove one first.' },
  too_many_channels: { status: 429, sentence: 'This account has as many channels as it can have. Remove one first.' },
  too_many_open_tasks: {
    status: 429,
    sentence: 'This access token has as many open tasks as it may create or reopen. Close one first.',
  },
  too_many_tasks: { status: 409, sentence: 'This account has as many tasks, open and closed, as it can have.' },
  too_many_tokens: {
    status: 429,
    sentence: 'This account has as many access tokens as it can have. Revoke one first.',
  },
  too_many_ladders: { status: 429, sentence: 'This account has as many ladders as it can have. Delete one first.' },
  too_many_stand_ins: {
    status: 429,
    sentence: 'You have asked as many people as you can to stand in for you. End one first.',
  },
  too_many_labels: {
    status: 409,
    sentence: 'This account has colours for as many labels as it can have. Delete one first (DELETE /v1/labels).',
  },
  too_many_passkeys: { status: 429, sentence: 'This account has as many passkeys as it can have. Remove one first.' },
  too_many_spaces: { status: 429, sentence: 'You are in as many spaces as you can be. Leave one first.' },
  too_many_members: { status: 429, sentence: 'This space has as many members as it can have.' },
  too_many_invites: { status: 429, sentence: 'This space has too many open invitations. Revoke one first.' },
  too_many_attempts: { status: 429, sentence: 'Too many wrong codes. Try again later.' },
  headers_too_large: { status: 431, sentence: 'The request headers are too large.' },
  caller_left: { status: 499, sentence: 'The caller closed the connection before the answer was ready.' },
  internal: { status: 500, sentence: 'Something went wrong on our side. It has been logged.' },
  mail_unavailable: { status: 503, sentence: 'The mail could not be sent. Try again shortly.' },
  mail_not_configured: { status: 503, sentence: 'This service sends no mail. Ask the person who runs it.' },
  identity_provider_unavailable: {
    status: 503,
    sentence: 'The identity provider cannot be reached. Try again shortly.',
  },
  identity_provider_not_configured: {
    status: 503,
    sentence: 'Signing in with an identity provider is not set up here.',
  },
  passkeys_unavailable: {
    status: 503,
    sentence: 'Passkeys work only over https and by a host name. The person who runs this service can set BASE_URL so.',
  },
  identity_provider_refused: {
    status: 503,
    sentence: 'The identity provider does not accept this service. Ask the person who runs it: the log says why.',
  },
  billing_not_configured: { status: 503, sentence: 'Billing is not set up here.' },
  engine_late: { status: 503, sentence: 'Reminders are more than a minute late at the moment.' },
  overloaded: { status: 503, sentence: 'The service is too busy at the moment. Try again shortly.' },
  newer_release: {
    status: 503,
    sentence: 'A newer release has changed the database, and this process is still the old one. Try again shortly.',
  },
  timed_out: { status: 503, sentence: 'The answer took too long and was given up. Try again shortly.' },
  database_unavailable: { status: 503, sentence: 'The database cannot be reached at the moment. Try again shortly.' },
} as const satisfies Record<string, CatalogueEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

interface AppErrorOptions {
  /** Replaces the sentence of the catalogue with a more precise one. Shown to callers. */
  readonly sentence?: string;
  /** The underlying error. Logged, never shown to callers. */
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.sentence ?? errorCatalogue[code].sentence, { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** One problem with the input: its kind, its place and a sentence. It never repeats the value. */
export interface InputProblem {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** Input that violates its declared shape or meaning: answered with 422. */
export class InvalidInput extends Error {
  override readonly name = 'InvalidInput';
  readonly problems: readonly InputProblem[];

  constructor(...problems: InputProblem[]) {
    super('The input is not valid.');
    this.problems = problems;
  }
}
