/**
 * Reads a logout token (OpenID Connect Back-Channel Logout 1.0): which person's sessions end, or which one session. Its
 * signature, issuer, audience, type, `exp` and `iat` were verified before.
 */
import { isSubject } from './identity-token.ts';

/** No identity token has this type, so neither is mistaken for the other. */
export const LOGOUT_TOKEN_TYPE = 'logout+jwt';
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

export interface LogoutClaims {
  /** One of the two is set. With `sid` only that session ends. */
  readonly subject: string | undefined;
  readonly sid: string | undefined;
  readonly jti: string;
  readonly expiresAt: Date;
}

/** Undefined if the token is not for signing out. */
export function readLogoutClaims(claims: Readonly<Record<string, unknown>>): LogoutClaims | undefined {
  const { sub, sid, jti, exp, events } = claims;
  const isLogout = typeof events === 'object' && events !== null && LOGOUT_EVENT in events;
  // A nonce belongs to a sign-in, never to a sign-out.
  if (!isLogout || claims.nonce !== undefined) return undefined;
  if (typeof exp !== 'number' || !isSubject(jti)) return undefined;
  const [subject, session] = [sub, sid].map((name) => (isSubject(name) ? name : undefined));
  if (subject === undefined && session === undefined) return undefined;
  return { subject, sid: session, jti, expiresAt: new Date(exp * 1_000) };
}
