import type { RoomBreak } from '../room-break.ts';

const SIGN_IN = 'src/sign-in/sign-in.service.ts';

export const SECOND_FACTOR: readonly RoomBreak[] = [
  {
    name: 'a passkey is not enough where a second factor is on',
    promise: 'a passkey is two factors already',
    file: SIGN_IN,
    piece: "proof.way === 'passkey' || user.mfa_enabled_at === null",
    replacement: 'user.mfa_enabled_at === null',
    by: ['contract/second-factor', 'contract/idp-sign-in', 'contract/passkeys', 'contract/admission'],
  },
  {
    name: 'a challenge opens a session twice',
    promise: 'each proof opens one session',
    file: SIGN_IN,
    piece: '    await spendChallenge(trx, tokenHash);\n',
    replacement: '',
    by: ['contract/second-factor', 'contract/idp-sign-in', 'contract/passkeys', 'contract/admission'],
  },
  {
    name: 'a challenge takes fifty codes',
    promise: 'nobody guesses a second factor',
    file: SIGN_IN,
    piece: 'const MAX_TRIES = 5;',
    replacement: 'const MAX_TRIES = 50;',
    by: ['contract/second-factor', 'contract/idp-sign-in', 'contract/passkeys', 'contract/admission'],
  },
  {
    name: 'a challenge counts for an hour',
    promise: 'a first factor alone soon counts for nothing',
    file: SIGN_IN,
    piece: 'CHALLENGE_LIFETIME_MS = 5 * 60_000',
    replacement: 'CHALLENGE_LIFETIME_MS = 60 * 60_000',
    by: ['contract/second-factor', 'contract/idp-sign-in', 'contract/passkeys', 'contract/admission'],
  },
  {
    name: 'only the first five wrong codes are told',
    promise: 'the owner hears that somebody guesses, each time',
    file: SIGN_IN,
    piece: 'wrongCodes % WRONG_CODES_PER_NOTICE === 0',
    replacement: 'wrongCodes === WRONG_CODES_PER_NOTICE',
    by: ['contract/second-factor', 'contract/idp-sign-in', 'contract/passkeys', 'contract/admission'],
  },
  {
    name: 'a reset that a sign-in stopped is in no audit',
    promise: 'each step of a reset is in the audit',
    file: SIGN_IN,
    piece:
      "    if (isResetStopped && result.user_id !== null)\n      this.#parts.resets.recordStopped(result.user_id, 'second_factor', address);\n",
    replacement: '',
    by: ['contract/second-factor', 'contract/idp-sign-in', 'contract/passkeys', 'contract/admission'],
  },
  {
    name: 'each code is told as a recovery code',
    promise: 'a mail about a recovery code says that one was used',
    file: SIGN_IN,
    piece: 'user_id === null || isTotpCode(code)) return;',
    replacement: 'user_id === null) return;',
    by: ['contract/second-factor', 'contract/idp-sign-in', 'contract/passkeys', 'contract/admission'],
  },
  {
    name: 'a challenge forgets that the first factor was a provider',
    promise: 'sign-in rules hold for how somebody signed in',
    file: SIGN_IN,
    piece: "challenge.identity_id === null ? { way: 'email' } : { way: 'provider', isInGroup: true }",
    replacement: "{ way: 'email' }",
    by: ['contract/second-factor', 'contract/idp-sign-in', 'contract/passkeys', 'contract/admission'],
  },
  {
    name: 'recovery codes are offered to who has none left',
    promise: 'only what can be used is offered',
    file: SIGN_IN,
    piece: " > 0 ? ['totp', 'recovery_code'] : ['totp'];",
    replacement: " >= 0 ? ['totp', 'recovery_code'] : ['totp'];",
    by: ['contract/second-factor', 'contract/idp-sign-in', 'contract/passkeys', 'contract/admission'],
  },
  {
    name: 'a second factor makes every sign-in a login',
    promise: 'the app knows what it did',
    file: SIGN_IN,
    piece: 'challenge.mode as SignInMode',
    replacement: "'login'",
    by: ['contract/second-factor', 'contract/idp-sign-in', 'contract/passkeys', 'contract/admission'],
  },
];
