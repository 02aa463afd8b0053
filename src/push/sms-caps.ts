/** How many text messages may be sent. Pure. Each one costs money, and anyone with an account can cause some. */

const MINUTE_MS = 60_000;
const PER_NUMBER = [
  { most: 5, windowMs: 15 * MINUTE_MS },
  { most: 11, windowMs: 60 * MINUTE_MS },
] as const;
const DAY_MS = 24 * 60 * MINUTE_MS;

export interface Cap {
  /** The counter that it limits. */
  readonly counter: string;
  /** What this message adds to the counter. */
  readonly amount: number;
  readonly most: number;
  readonly windowMs: number;
  readonly reason: 'number_limit' | 'spending_cap';
}

/** The caps of the number come first: a message that they refuse must not use up the budget of the others. */
export const capsFor = (number: string, segments: number, segmentsPerDay: number): Cap[] => [
  ...PER_NUMBER.map(({ most, windowMs }) => ({
    counter: `sms to ${number} in ${windowMs}`,
    amount: 1,
    most,
    windowMs,
    reason: 'number_limit' as const,
  })),
  { counter: 'sms segments', amount: segments, most: segmentsPerDay, windowMs: DAY_MS, reason: 'spending_cap' },
];

/** Whether a message had a place, given what its counter has after it was added. */
export const isWithin = ({ most }: Cap, count: number): boolean => count <= most;

/** A refusal by HTTP means that nothing was sent. Without an answer, the message may have been. */
export const isFree = (reason: string): boolean =>
  reason.startsWith('http_') || ['no_such_number', 'stopped', 'number_not_enabled'].includes(reason);
