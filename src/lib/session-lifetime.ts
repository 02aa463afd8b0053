/** A session is valid for 90 days after the last day on which it was used. */
export const SESSION_LIFETIME_MS = 90 * 86_400_000;

/** A change of the ways into an account needs a sign-in that is at most this old. */
const RECENT_SIGN_IN_MS = 15 * 60_000;

/** A sign-in in the future was stamped by a wrong clock. It counts as recent for no longer than a real one. */
export const isRecentSignIn = (signedInAt: Date, now: Date): boolean =>
  Math.abs(now.getTime() - signedInAt.getTime()) <= RECENT_SIGN_IN_MS;

/** Accurate to the day, because a session is extended at most once a day. */
export const lastUsedAt = ({ expires_at }: { readonly expires_at: Date }): Date =>
  new Date(expires_at.getTime() - SESSION_LIFETIME_MS);
