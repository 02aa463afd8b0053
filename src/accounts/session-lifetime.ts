/** Sessions live for 90 days from the last day on which they were used. */
export const SESSION_LIFETIME_MS = 90 * 86_400_000;

/** A session is extended once a day at most, so this is true to the day. */
export const lastUsedAt = ({ expires_at }: { readonly expires_at: Date }): Date =>
  new Date(expires_at.getTime() - SESSION_LIFETIME_MS);
