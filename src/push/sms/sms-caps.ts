/** How many text messages may be sent. Pure. Each one costs money, and anyone with an account can cause some. */

const MINUTE_MS = 60_000;
const PER_NUMBER = [
  { most: 5, windowMs: 15 * MINUTE_MS },
  { most: 11, windowMs: 60 * MINUTE_MS },
] as const;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** As many segments as one message can have. */
const FEW_SEGMENTS = 4;

export interface Cap {
  /** The counter that the cap limits. */
  readonly counter: string;
  /** What this message adds to the counter. */
  readonly amount: number;
  /** The highest allowed value of the counter. `before` is the value of the previous cap's counter. */
  most(before: number): number;
  readonly windowMs: number;
  readonly reason: 'number_limit' | 'spending_cap';
}

/** The caps of the number come first: a message that they refuse must not use up the budget of the others. */
export const capsFor = (userId: string, number: string, segments: number, segmentsPerDay: number): Cap[] => {
  const ofDay = { amount: segments, windowMs: DAY_MS, reason: 'spending_cap' as const };
  return [
    ...PER_NUMBER.map(({ most, windowMs }) => ({
      counter: `sms to ${number} in ${windowMs}`,
      amount: 1,
      most: () => most,
      windowMs,
      reason: 'number_limit' as const,
    })),
    { ...ofDay, counter: `sms segments of ${userId}`, most: () => segmentsPerDay },
    { ...ofDay, counter: 'sms segments', most: (ofAccount) => shareFor(ofAccount, segmentsPerDay) },
  ];
};

/**
 * An account may send while the service has sent fewer segments today than this. The more the account has sent itself,
 * the earlier it must stop. So one account gets half of the segments, and the last quarter is left for accounts that
 * have sent little.
 */
function shareFor(ofAccount: number, perDay: number): number {
  if (ofAccount <= Math.max(FEW_SEGMENTS, perDay / 20)) return perDay;
  return ofAccount <= perDay / 4 ? (perDay * 3) / 4 : perDay / 2;
}
