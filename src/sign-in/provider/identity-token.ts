/**
 * Decides whether the claims of an identity token sign somebody in, and as whom. The signature, the issuer,
 * the audience, `exp` and `nbf` were verified before; these are the rules of OpenID Connect beyond them.
 *
 * A token that was made for another client, or for another purpose than a sign-in, is never accepted. An email
 * address that the provider has not verified, or that is not one valid address, counts as no address.
 */
import { findNormalEmail } from '../../lib/email.ts';

/** How far the provider's clock may be from ours. */
export const CLOCK_TOLERANCE_SECONDS = 30;

/** Longer than a request takes that verified a token just before its expiry. */
const REMEMBER_EXTRA_SECONDS = 60;
/** OpenID Connect allows no longer subjects. */
const MAX_SUBJECT_LENGTH = 255;
/** The end of the year 9999: a later instant cannot be stored on every engine. */
const MAX_EXPIRY = 253_402_300_799;

export interface IdentityClaims {
  readonly subject: string;
  /** Our client id that the token was issued for. */
  readonly clientId: string;
  /** In the form in which addresses are stored. Set only if the provider has verified the address. */
  readonly verifiedEmail: string | undefined;
  /**
   * The use of the token is remembered until then, so that it is not accepted again. Undefined for a token without
   * `jti`: it may equal another token that the provider issued in the same second.
   */
  readonly rememberUntil: Date | undefined;
  /** Names the sign-in request that the token answers. The caller knows which one that is, and compares. */
  readonly nonce: unknown;
  /** The provider's name for the person's session there. */
  readonly sid: string | undefined;
  /** Undefined if the provider says nothing about groups. */
  readonly groups: readonly string[] | undefined;
}

export interface ClaimRules {
  /** Whether an address counts although the provider does not call it verified. */
  readonly isEmailTrusted: boolean;
  readonly groupsClaim: string;
}

const USUAL: ClaimRules = { isEmailTrusted: false, groupsClaim: 'groups' };

export type ClaimsFault =
  | 'not_for_sign_in'
  | 'no_subject'
  | 'foreign_audience'
  | 'no_authorized_party'
  | 'foreign_authorized_party'
  | 'issued_in_the_future'
  | 'no_expiry';

/** `audience` are our client ids. */
export function readClaims(
  claims: Readonly<Record<string, unknown>>,
  audience: readonly string[],
  now: Date,
  rules: ClaimRules = USUAL,
): IdentityClaims | ClaimsFault {
  const { sub, azp, iat, exp } = claims;
  const audiences = [claims.aud].flat();
  const isOurs = (id: unknown): id is string => typeof id === 'string' && audience.includes(id);
  const ours = audiences.filter(isOurs);
  // Logout tokens and security events have the same issuer, audience and keys as identity tokens.
  if (claims.events !== undefined) return 'not_for_sign_in';
  if (!isSubject(sub)) return 'no_subject';
  if (ours[0] === undefined) return 'foreign_audience';
  if (azp === undefined && audiences.length > 1) return 'no_authorized_party';
  if (azp !== undefined && !isOurs(azp)) return 'foreign_authorized_party';
  const latestIssue = now.getTime() / 1_000 + CLOCK_TOLERANCE_SECONDS;
  if (iat !== undefined && !(typeof iat === 'number' && iat <= latestIssue)) return 'issued_in_the_future';
  if (typeof exp !== 'number' || exp > MAX_EXPIRY) return 'no_expiry';
  return {
    subject: sub,
    clientId: ours.find((id) => id === azp) ?? ours[0],
    verifiedEmail: verifiedEmailOf(claims, rules),
    rememberUntil:
      claims.jti === undefined ? undefined : new Date((exp + CLOCK_TOLERANCE_SECONDS + REMEMBER_EXTRA_SECONDS) * 1_000),
    nonce: claims.nonce,
    sid: isSubject(claims.sid) ? claims.sid : undefined,
    groups: groupsIn(claims[rules.groupsClaim]),
  };
}

/** A list of names, or one name. Anything else says nothing about groups. */
function groupsIn(claim: unknown): readonly string[] | undefined {
  const names = typeof claim === 'string' ? [claim] : claim;
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : undefined;
}

/** Two subjects with different lone surrogates would be stored as the same text, and so share an account. */
export function isSubject(sub: unknown): sub is string {
  if (typeof sub !== 'string' || sub === '' || sub.length > MAX_SUBJECT_LENGTH) return false;
  return sub.isWellFormed() && !sub.includes('\0');
}

/** Apple sends the flag as a string or as a boolean. */
function verifiedEmailOf(
  { email, email_verified }: Readonly<Record<string, unknown>>,
  { isEmailTrusted }: ClaimRules,
): string | undefined {
  const isVerified = isEmailTrusted || email_verified === true || email_verified === 'true';
  return isVerified && typeof email === 'string' ? findNormalEmail(email) : undefined;
}
