/** Every limit that is counted in the database, with its reason. `ThrottleService` counts and refuses by this table. */
import type { ErrorCode } from '../lib/errors.ts';

export interface Limit {
  /** Part of the key of the counter. */
  readonly name: string;
  readonly max: number;
  readonly code: ErrorCode;
  readonly windowMs: number;
}

const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 86_400_000;

const limit = (name: string, max: number, windowMs: number, code: ErrorCode = 'too_many_requests'): Limit => ({
  name,
  max,
  code,
  windowMs,
});

export const LIMITS = {
  // Requests for a code are never refused: beyond these, codes become too long to guess, and mails fewer.
  codesPerMailbox: limit('codes per mailbox', 30, DAY_MS),
  codesPerNetwork: limit('codes per network', 600, QUARTER_MS),
  /** Of addresses without an account, which strangers can invent: john.doe@gmail.com has 64 spellings with dots. */
  longCodesPerMailbox: limit('long codes per mailbox', 1, 5 * MINUTE_MS),

  /** Codes for a new address of an account. Only a session asks for them, and any address can be named. */
  addressCodes: limit('address codes', 10, DAY_MS),
  /** Apart from codes for signing in, so that strangers who ask for these cannot keep a person from changing to it. */
  longAddressCodes: limit('long address codes', 1, 5 * MINUTE_MS),
  /** By account and mailbox: what an account has used of the next one. */
  longAddressCodesOfAccount: limit('long address codes of an account', 10, DAY_MS),
  /** Over all accounts. The last ones are for accounts that asked little, so that no few accounts use it up. */
  longAddressCodesPerMailbox: limit('long address codes per mailbox a day', 30, DAY_MS),

  // Beyond these, a wrong proof is answered with 429 instead of 401. A right one is always accepted.
  wrongPerAccount: limit('wrong per account', 10, QUARTER_MS, 'too_many_attempts'),
  wrongPerNetwork: limit('wrong per network', 100, QUARTER_MS, 'too_many_attempts'),

  // TOTP codes are short: ADR 15 has the arithmetic.
  guesses: limit('guesses', 10, QUARTER_MS, 'too_many_attempts'),
  guessesPerDay: limit('guesses per day', 50, DAY_MS, 'too_many_attempts'),
  guessesOfStrangers: limit('guesses of strangers', 100, DAY_MS, 'too_many_attempts'),
  /** Only counted: the owner is told by mail. */
  wrongSecondFactors: limit('wrong second factors', Number.POSITIVE_INFINITY, DAY_MS, 'too_many_attempts'),

  // Each wrong answer makes the service ask the identity provider.
  answersPerNetwork: limit('answers per network', 300, QUARTER_MS),
  answers: limit('answers', 3_000, QUARTER_MS),

  /** Wrong words for the first administrator. They cannot be guessed, and the right one is always accepted. */
  claims: limit('claims', 10, QUARTER_MS, 'too_many_attempts'),

  // An invitation can be mailed to any address, so no sender and no crowd of senders may fill a mailbox.
  invitesPerAccount: limit('invites per account', 50, QUARTER_MS),
  inviteMails: limit('invite mails', 10, DAY_MS, 'too_many_invitations'),
  inviteMailsPerSender: limit('invite mails per sender', 3, DAY_MS, 'too_many_invitations'),

  /** Each mails the owner at once, and administrators could ask and withdraw without end. */
  secondFactorResets: limit('second factor resets', 10, DAY_MS),

  /** A thief with a session could fill the owner's mailbox with notices of one kind. */
  notices: limit('notices', 10, DAY_MS),

  // Tests take capacity from the nudges of others.
  testMessages: limit('test messages', 6, MINUTE_MS),
  /** Some go to an address that its owner shares with others, and some cost the operator's quota. */
  testMessagesPerDay: limit('test messages per day', 30, DAY_MS),
  testPushesPerAccount: limit('test pushes per account', 5, MINUTE_MS),

  // A message with a code can go to any address.
  confirmations: limit('confirmations', 10, DAY_MS),
  confirmationsOfAddress: limit('confirmations of an address', 5, DAY_MS),
  /** Over all accounts: a crowd must not fill a stranger's mailbox with codes. One account alone cannot use it up. */
  confirmationsToAddress: limit('confirmations to an address', 30, DAY_MS),

  // What goes to servers that people enter and nobody has proven to be theirs: every account can name a stranger's. By
  // host, whatever the port or the path. An account has a share, so that it cannot use up a host for the others.
  /** A receiver under construction fails some times. Over all hosts, because names can be made up. */
  challenges: limit('challenges', 20, DAY_MS),
  unprovenOfAccountPerHour: limit('unproven of an account per hour', 10, HOUR_MS),
  unprovenOfAccount: limit('unproven of an account', 20, DAY_MS),
  unprovenToHostPerHour: limit('unproven to a host per hour', 60, HOUR_MS),
  unprovenToHost: limit('unproven to a host', 300, DAY_MS),
  /** Nudges to webhooks of a former release: a busy day of one person, and ten such people on a shared host. */
  unprovenNudgesOfAccount: limit('unproven nudges of an account', 100, DAY_MS),
  unprovenNudgesToHost: limit('unproven nudges to a host', 1_000, DAY_MS),

  // ntfy locks out the whole service after thirty wrong tokens, and forgives one a minute.
  refusedTokens: limit('refused tokens', 3, HOUR_MS),
  refusedTokensOfHost: limit('refused tokens of a host', 10, HOUR_MS),

  /** Each may fetch a document from an address that a stranger chose. */
  connectionRequests: limit('connection requests', 60, QUARTER_MS),
  /** An assistant needs one a day. Each stores rows. */
  refreshesPerConnection: limit('refreshes per connection', 500, DAY_MS),

  actsPerLink: limit('acts per link', 30, MINUTE_MS),
} as const satisfies Record<string, Limit>;
