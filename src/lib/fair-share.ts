/**
 * How much of something that all accounts share may be used up before one account is refused more of it. Pure. The more
 * the account has used itself, the earlier it must stop: one account gets at most half, and the last quarter is left for
 * accounts that have used little.
 */
export function fairShare(ofAccount: number, all: number, few = all / 20): number {
  if (ofAccount <= Math.max(few, all / 20)) return all;
  return ofAccount <= all / 4 ? (all * 3) / 4 : all / 2;
}
