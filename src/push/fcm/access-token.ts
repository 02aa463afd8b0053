/**
 * The access token that FCM wants on every push: a service account's signed assertion, exchanged at
 * Google's token endpoint for a token of about an hour.
 *
 * One request serves all who wait for it, and nobody's signal ends it for the others.
 */
import { createPrivateKey } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { ServiceAccount } from '../../lib/setting.ts';
import type { Answer, HttpSender } from '../http-sender.ts';
import { Undelivered } from '../undelivered.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_LIFE_SECONDS = 3_600;
const REFRESH_EARLY_MS = 5 * 60_000;
const REFRESH_AGAIN_MS = 30_000;

interface AccessToken {
  readonly value: string;
  readonly refreshAt: number;
  readonly expiresAt: number;
}

export class AccessTokens {
  readonly #account: ServiceAccount;
  readonly #sender: HttpSender;
  readonly #clock: Clock;
  #current: AccessToken | undefined;
  #request: Promise<string> | undefined;

  constructor(account: ServiceAccount, sender: HttpSender, clock: Clock) {
    this.#account = account;
    this.#sender = sender;
    this.#clock = clock;
  }

  /** Rejects with `Undelivered`. */
  async get(): Promise<string> {
    if (this.#current && this.#now() < this.#current.refreshAt) return this.#current.value;
    this.#request ??= this.#refresh().finally(() => {
      this.#request = undefined;
    });
    return this.#request;
  }

  /** FCM no longer takes it. A newer one that somebody else fetched meanwhile is kept. */
  forget(token: string): void {
    if (this.#current?.value === token) this.#current = undefined;
  }

  /** The early refresh may fail without harm: the old token serves as long as it is valid. */
  async #refresh(): Promise<string> {
    try {
      this.#current = await this.#fetch();
    } catch (error) {
      const old = this.#current;
      if (!old || this.#now() >= old.expiresAt) throw error;
      this.#current = { ...old, refreshAt: this.#now() + REFRESH_AGAIN_MS };
    }
    return this.#current.value;
  }

  async #fetch(): Promise<AccessToken> {
    const askedAt = this.#now();
    const body = new URLSearchParams({ grant_type: GRANT_TYPE, assertion: await this.#sign(askedAt) }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { value, lifeMs } = readToken(await this.#sender.post(new URL(this.#account.tokenUri), { headers, body }));
    const expiresAt = askedAt + lifeMs;
    return { value, expiresAt, refreshAt: expiresAt - Math.min(REFRESH_EARLY_MS, lifeMs / 2) };
  }

  async #sign(askedAt: number): Promise<string> {
    const { clientEmail, privateKey, tokenUri } = this.#account;
    const { SignJWT } = await import('jose');
    const issuedAt = Math.floor(askedAt / 1_000);
    try {
      return await new SignJWT({ scope: SCOPE })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .setIssuer(clientEmail)
        .setAudience(tokenUri)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ASSERTION_LIFE_SECONDS)
        .sign(createPrivateKey(privateKey));
    } catch (error) {
      throw new Undelivered({ kind: 'misconfigured', reason: 'unusable_private_key' }, error);
    }
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

function readToken({ status, body }: Answer): { value: string; lifeMs: number } {
  const answer = parseObject(body);
  if (status >= 500 || status === 429 || status === 408)
    throw new Undelivered({ kind: 'retry', reason: `token_http_${status}` });
  if (status !== 200) {
    const reason = typeof answer.error === 'string' ? answer.error : `token_http_${status}`;
    throw new Undelivered({ kind: 'misconfigured', reason });
  }
  const { access_token: value, expires_in: seconds } = answer;
  if (typeof value !== 'string' || typeof seconds !== 'number')
    throw new Undelivered({ kind: 'retry', reason: 'token_unreadable' });
  return { value, lifeMs: seconds * 1_000 };
}

function parseObject(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}
