/**
 * Judges second factors: a TOTP code (SHA-1, six digits, 30 s, one step of tolerance either way) or
 * a recovery code. Whatever is accepted is spent in the same transaction: a step never counts twice
 * for the same purpose, a recovery code never twice at all.
 */
import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Secret, TOTP } from 'otpauth';
import type { Database } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import type { Vault } from '../lib/secrets.ts';
import { totpContext } from './sealed-contexts.ts';
import { type KeptCode, spendRecoveryCode, spendTotpStep } from './second-factor.store.ts';
import type { User } from './users.store.ts';

const ISSUER = 'Crescendo';
const STEP_SECONDS = 30;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** Digits and letters without those that look like others. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

type Purpose = 'confirm' | 'verify' | 'disable';

export class SecondFactor {
  readonly #vault: Vault;
  readonly #clock: Clock;

  constructor(vault: Vault, clock: Clock) {
    this.#vault = vault;
    this.#clock = clock;
  }

  /** A new secret: sealed for the database, and as the authenticator app wants it. */
  newSecret(user: User): { sealed: string; secret: string; uri: string } {
    const secret = new Secret({ size: SECRET_BYTES });
    const uri = totp(secret, user.email ?? user.display_name ?? user.id).toString();
    return { sealed: this.#vault.seal(totpContext(user.id), secret.base32), secret: secret.base32, uri };
  }

  /** The codes as their owner gets them, and what is kept of them. */
  newRecoveryCodes(user: User): { codes: string[]; kept: KeptCode[] } {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    const hashOf = (code: string) => this.#vault.hash('recovery code', user.id, normalRecoveryCode(code));
    return { codes, kept: codes.map((code) => ({ code_hash: hashOf(code), key_id: this.#vault.keyId })) };
  }

  async isRightTotp(trx: Kysely<Database>, user: User, purpose: Purpose, code: string): Promise<boolean> {
    // Sealed with a key that was lost, nothing is right any more: whoever runs the service turns it off.
    if (user.totp_secret === null || this.#vault.ageOf(user.totp_secret) === 'unknown') return false;
    const timestamp = this.#clock.now().getTime();
    const secret = Secret.fromBase32(this.#vault.open(totpContext(user.id), user.totp_secret));
    const delta = totp(secret, '').validate({ token: code.replaceAll(/\s/g, ''), timestamp, window: 1 });
    if (delta === null) return false;
    const step = Math.floor(timestamp / 1_000 / STEP_SECONDS) + delta;
    return spendTotpStep(trx, user.id, purpose, step);
  }

  async isRight(trx: Kysely<Database>, user: User, purpose: Purpose, code: string): Promise<boolean> {
    if (/^[\s\d]{6,}$/.test(code) && code.replaceAll(/\s/g, '').length === 6)
      return this.isRightTotp(trx, user, purpose, code);
    return spendRecoveryCode(trx, user.id, this.#vault.hashes('recovery code', user.id, normalRecoveryCode(code)));
  }
}

const totp = (secret: Secret, label: string) =>
  new TOTP({ issuer: ISSUER, label, secret, algorithm: 'SHA1', digits: 6, period: STEP_SECONDS });

/** 80 random bits as four groups of four characters. */
function newRecoveryCode(): string {
  const characters = [...randomBytes(16)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return characters.replaceAll(/(.{4})(?=.)/g, '$1-');
}

/** However it was copied: case, hyphens and spaces do not matter, nor does an O for a zero. */
const normalRecoveryCode = (code: string) =>
  code.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
