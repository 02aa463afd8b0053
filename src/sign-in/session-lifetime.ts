/** A session is valid for 90 days after the last day on which it was used. */
export const SESSION_LIFETIME_MS = 90 * 86_400_000;

/** Accurate to the day, because a session is extended at most once a day. */
export const lastUsedAt = ({ expires_at }: { readonly expires_at: Date }): Date =>
  new Date(expires_at.getTime() - SESSION_LIFETIME_MS);
