/** The columns of a channel that works, as far as is known: a new one, or one that is tried again. */
export const workingChannel = (now: Date) => ({
  valid: true,
  invalid_reason: null,
  refusals: 0,
  last_error: null,
  registered_at: now,
});
