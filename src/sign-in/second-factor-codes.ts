/**
 * The codes of the second factor: TOTP codes (SHA-1, six digits, 30 s, one step of tolerance either way) and
 * recovery codes. An accepted code is spent in the same transaction: a TOTP step is accepted once per purpose,
 * a recovery code once.
 */
import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { User } from '../accounts/users.store.ts';
import type { Db } from '../db/schema.ts';
import { totpContext } from '../keys/sealed-contexts.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock } from '../lib/clock.ts';
import { formatTypedCode, normalizeTypedCode } from '../lib/typed-code.ts';
import { type StoredRecoveryCode, spendRecoveryCode, spendTotpStep } from './second-factor.store.ts';

const ISSUER = 'Crescendo';
const STEP_SECONDS = 30;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;

type Purpose = 'confirm' | 'verify' | 'disable';

export class SecondFactorCodes {
  readonly #vault: Vault;
  readonly #clock: Clock;

  constructor(vault: Vault, clock: Clock) {
    this.#vault = vault;
    this.#clock = clock;
  }

  /** A new TOTP secret: sealed for the database, and readable for the authenticator app. */
  newSecret(user: User): { sealed: string; secret: string; uri: string } {
    const secret = new Secret({ size: SECRET_BYTES });
    const uri = totp(secret, user.email ?? user.display_name ?? user.id).toString();
    return { sealed: this.#vault.seal(totpContext(user.id), secret.base32), secret: secret.base32, uri };
  }

  /** The codes as the user sees them, and the rows that are stored. */
  newRecoveryCodes(user: User): { codes: string[]; rows: StoredRecoveryCode[] } {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    const hashOf = (code: string) => this.#vault.hash('recovery code', user.id, normalizeTypedCode(code));
    return { codes, rows: codes.map((code) => ({ code_hash: hashOf(code), key_id: this.#vault.keyId })) };
  }

  async spendTotp(trx: Db, user: User, purpose: Purpose, code: string): Promise<boolean> {
    // If the key of the secret is lost, no TOTP code is right: the operator turns the second factor off.
    if (user.totp_secret === null || this.#vault.keyStatusOf(user.totp_secret) === 'missing') return false;
    const timestamp = this.#clock.now().getTime();
    const secret = Secret.fromBase32(this.#vault.open(totpContext(user.id), user.totp_secret));
    const delta = totp(secret, '').validate({ token: code.replaceAll(/\s/g, ''), timestamp, window: 1 });
    if (delta === null) return false;
    const step = Math.floor(timestamp / 1_000 / STEP_SECONDS) + delta;
    return spendTotpStep(trx, user.id, purpose, step);
  }

  async spend(trx: Db, user: User, purpose: Purpose, code: string): Promise<boolean> {
    if (isTotpCode(code)) return this.spendTotp(trx, user, purpose, code);
    return spendRecoveryCode(trx, user.id, this.#vault.hashes('recovery code', user.id, normalizeTypedCode(code)));
  }
}

/** Whether it looks like a TOTP code, which can be guessed, and not like a recovery code. */
export const isTotpCode = (code: string): boolean =>
  /^[\s\d]{6,}$/.test(code) && code.replaceAll(/\s/g, '').length === 6;

const totp = (secret: Secret, label: string) =>
  new TOTP({ issuer: ISSUER, label, secret, algorithm: 'SHA1', digits: 6, period: STEP_SECONDS });

/** 80 random bits as four groups of four characters. */
const newRecoveryCode = () => formatTypedCode(randomBytes(16), 4);
