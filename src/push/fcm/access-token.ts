/**
 * The access token that FCM requires on every push. Google's token endpoint issues it for about an hour, in
 * exchange for an assertion that is signed with the key of the service account.
 *
 * All pushes that wait for a token share one request, and the signal of one push does not cancel it.
 */
import { createPrivateKey } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { ServiceAccount } from '../../lib/setting.ts';
import type { Answer, HttpSender } from '../../outbound/http-sender.ts';
import { PushError } from '../push-error.ts';

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ASSERTION_LIFETIME_SECONDS = 3_600;
/** Google refuses an assertion from the future, so our clock may be this far ahead. */
const BACKDATED_SECONDS = 60;
const REFRESH_EARLY_MS = 5 * 60_000;
const REFRESH_RETRY_MS = 30_000;

interface AccessToken {
  readonly value: string;
  readonly refreshAtMs: number;
  readonly expiresAtMs: number;
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

  /** Rejects with `PushError`, or with `OutboundError` if there is no answer. */
  async get(): Promise<string> {
    if (this.#current && this.#nowMs() < this.#current.refreshAtMs) return this.#current.value;
    this.#request ??= this.#refresh().finally(() => {
      this.#request = undefined;
    });
    return this.#request;
  }

  /** Discards a token that FCM refused, unless another push has already replaced it. */
  discard(token: string): void {
    if (this.#current?.value === token) this.#current = undefined;
  }

  /** If the refresh fails, the old token is used until it expires. */
  async #refresh(): Promise<string> {
    try {
      this.#current = await this.#fetch();
    } catch (error) {
      const old = this.#current;
      if (!old || this.#nowMs() >= old.expiresAtMs) throw error;
      this.#current = { ...old, refreshAtMs: this.#nowMs() + REFRESH_RETRY_MS };
    }
    return this.#current.value;
  }

  async #fetch(): Promise<AccessToken> {
    const issuedAtMs = this.#nowMs();
    const body = new URLSearchParams({
      grant_type: GRANT_TYPE,
      assertion: await this.#signAssertion(issuedAtMs),
    }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { value, lifetimeMs } = parseToken(
      await this.#sender.post(new URL(this.#account.tokenUri), { headers, body }),
    );
    const expiresAtMs = issuedAtMs + lifetimeMs;
    return { value, expiresAtMs, refreshAtMs: expiresAtMs - Math.min(REFRESH_EARLY_MS, lifetimeMs / 2) };
  }

  async #signAssertion(issuedAtMs: number): Promise<string> {
    const { clientEmail, privateKey, tokenUri } = this.#account;
    const { SignJWT } = await import('jose');
    const issuedAt = Math.floor(issuedAtMs / 1_000) - BACKDATED_SECONDS;
    try {
      return await new SignJWT({ scope: SCOPE })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
        .setIssuer(clientEmail)
        .setAudience(tokenUri)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ASSERTION_LIFETIME_SECONDS)
        .sign(createPrivateKey(privateKey));
    } catch (error) {
      throw new PushError({ kind: 'misconfigured', reason: 'unusable_private_key' }, error);
    }
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

function parseToken({ status, body }: Answer): { value: string; lifetimeMs: number } {
  const answer = parseObject(body);
  if (status >= 500 || status === 429 || status === 408)
    throw new PushError({ kind: 'retry', reason: `token_http_${status}` });
  if (status !== 200) {
    const reason = typeof answer.error === 'string' ? answer.error : `token_http_${status}`;
    throw new PushError({ kind: 'misconfigured', reason });
  }
  const { access_token: value, expires_in: seconds } = answer;
  if (typeof value !== 'string' || typeof seconds !== 'number')
    throw new PushError({ kind: 'retry', reason: 'token_unreadable' });
  return { value, lifetimeMs: seconds * 1_000 };
}

function parseObject(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}
