/**
 * Challenges that a passkey signs. A challenge is a sealed ticket: it says until when it is valid and opens only for
 * the purpose it was made for, so nothing is stored for a person who only looks at the sign-in screen. The transaction
 * of the proof spends it, as a key that expires with it.
 */
import { randomBytes } from 'node:crypto';
import type { Db } from '../../db/schema.ts';
import type { Vault } from '../../keys/vault.ts';
import type { Clock } from '../../lib/clock.ts';
import { decodeBase64url, hashToken } from '../../lib/secrets.ts';
import { addKey } from '../../limits/expiring-keys.store.ts';

export const CHALLENGE_LIFETIME_MS = 5 * 60_000;

/** `add` is for one session, so that a passkey is added only to the account that asked for the challenge. */
export type ChallengePurpose = 'sign in' | { readonly addIn: string };

export interface OpenChallenge {
  /** As it was issued, in base64url. */
  readonly text: string;
  readonly expiresAt: Date;
}

export class PasskeyChallenges {
  readonly #vault: Vault;
  readonly #clock: Clock;

  constructor(vault: Vault, clock: Clock) {
    this.#vault = vault;
    this.#clock = clock;
  }

  /** Base64url, as in the JSON of WebAuthn. */
  issue(purpose: ChallengePurpose): string {
    const expiresAt = this.#clock.now().getTime() + CHALLENGE_LIFETIME_MS;
    const ticket = this.#vault.seal(contextOf(purpose), `${expiresAt} ${randomBytes(16).toString('base64url')}`);
    return Buffer.from(ticket).toString('base64url');
  }

  /** The challenge that a browser signed; undefined if it is not ours, is for another purpose, or has expired. */
  find(purpose: ChallengePurpose, clientDataJson: string): OpenChallenge | undefined {
    const text = challengeIn(clientDataJson);
    const expiresAt = text === undefined ? undefined : this.#expiryOf(purpose, text);
    if (text === undefined || expiresAt === undefined || expiresAt <= this.#clock.now()) return undefined;
    return { text, expiresAt };
  }

  /** True for exactly one of several concurrent callers. */
  async spend(trx: Db, { text, expiresAt }: OpenChallenge): Promise<boolean> {
    return addKey(trx, hashToken(`passkey challenge: ${text}`), expiresAt);
  }

  #expiryOf(purpose: ChallengePurpose, text: string): Date | undefined {
    try {
      const ticket = this.#vault.open(contextOf(purpose), decodeBase64url(text)?.toString() ?? '');
      return new Date(Number(ticket.split(' ')[0]));
    } catch {
      return undefined;
    }
  }
}

const contextOf = (purpose: ChallengePurpose) =>
  purpose === 'sign in' ? 'passkey challenge to sign in' : `passkey challenge to add one in ${purpose.addIn}`;

/** Reads only which challenge was signed. The signature over it is verified afterwards. */
function challengeIn(clientDataJson: string): string | undefined {
  try {
    const { challenge, crossOrigin } = JSON.parse(Buffer.from(clientDataJson, 'base64url').toString());
    // No site may show the app in a frame, so an honest browser never reports one.
    return typeof challenge === 'string' && crossOrigin !== true ? challenge : undefined;
  } catch {
    return undefined;
  }
}
