import { AppError } from './errors.ts';

/** A session is valid for 90 days after the last day on which it was used. */
export const SESSION_LIFETIME_MS = 90 * 86_400_000;

/** Ways into an account, and what outlives a session, need a sign-in that is at most this old. */
export const RECENT_SIGN_IN_MS = 15 * 60_000;

/** A sign-in in the future was stamped by a wrong clock. It counts as recent for no longer than a real one. */
export const isRecentSignIn = (provenAt: Date, now: Date): boolean =>
  Math.abs(now.getTime() - provenAt.getTime()) <= RECENT_SIGN_IN_MS;

/** For what a thief of an old session must not do. */
export function requireRecentSignIn({ provenAt }: { readonly provenAt: Date }, now: Date): void {
  if (!isRecentSignIn(provenAt, now)) throw new AppError('recent_sign_in_required');
}

/** Accurate to the day, because a session is extended at most once a day. */
export const lastUsedAt = ({ expires_at }: { readonly expires_at: Date }): Date =>
  new Date(expires_at.getTime() - SESSION_LIFETIME_MS);
