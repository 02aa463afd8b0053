/**
 * How many text messages may be sent. Pure. Each one costs money, and anyone with an account can cause some: codes before
 * a number is theirs, and nudges after that. So codes have a small budget of their own, and nobody's codes use up what
 * nudges need.
 */
import { fairShare } from '../../lib/fair-share.ts';
import type { Confirmation } from '../gateway.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const NUDGES_PER_NUMBER = [
  { most: 5, windowMs: 15 * MINUTE_MS },
  { most: 11, windowMs: 60 * MINUTE_MS },
] as const;
/** As many segments as one message can have. */
const FEW_SEGMENTS = 4;

/** Codes in a day. Somebody with many accounts has them often in one network, and confirms no number. */
const CODES_UNTIL_CONFIRMED = 2;
const CODES_PER_NETWORK = 4;
const CODES_PER_ACCOUNT = 5;
/** Over all accounts: nobody's phone is flooded with codes. */
const CODES_PER_NUMBER = 6;

export interface Cap {
  /** The counter that the cap limits. */
  readonly counter: string;
  /** What this message adds to the counter. */
  readonly amount: number;
  /** The highest allowed value of the counter. `before` are the values of the counters of the caps before it. */
  most(before: readonly number[]): number;
  readonly windowMs: number;
  readonly reason: 'number_limit' | 'spending_cap' | 'code_until_confirmed' | 'code_limit';
}

interface Text {
  readonly userId: string;
  readonly number: string;
  readonly segments: number;
}

/**
 * What the operator allows in a day is the most that all cost together: codes get a fifth of it, and so do messages that
 * are held, if there are any. Those cost something only if they are sounded.
 */
function budgetsOf(segmentsPerDay: number, isHolding: boolean) {
  const codes = Math.ceil(segmentsPerDay / 5);
  const held = isHolding ? Math.floor(segmentsPerDay / 5) : 0;
  return { codes, held, nudges: Math.max(1, segmentsPerDay - codes - held) };
}

/** How many segments may be held at once, for all people together. */
export const heldSegments = (segmentsPerDay: number): number => budgetsOf(segmentsPerDay, true).held;

const ALL_SEGMENTS = 'sms segments';
const segmentsTo = (number: string): string => `sms segments to ${number}`;

/** What a held message that was sounded adds to. Nobody is asked: it was sent. */
export const soundedCounters = (number: string) =>
  [segmentsTo(number), ALL_SEGMENTS].map((counter) => ({ counter, windowMs: DAY_MS }));

/** The caps of the number come first: a message that they refuse must not use up the budget of the others. */
export function nudgeCaps({ userId, number, segments }: Text, segmentsPerDay: number, isHolding = false): Cap[] {
  const { nudges } = budgetsOf(segmentsPerDay, isHolding);
  const ofDay = { amount: segments, windowMs: DAY_MS, reason: 'spending_cap' as const };
  return [
    ...NUDGES_PER_NUMBER.map(({ most, windowMs }) => ({
      counter: `sms to ${number} in ${windowMs}`,
      amount: 1,
      most: () => most,
      windowMs,
      reason: 'number_limit' as const,
    })),
    // By account and by number: several accounts with one phone get the share of one.
    { ...ofDay, counter: `sms segments of ${userId}`, most: () => nudges },
    { ...ofDay, counter: segmentsTo(number), most: () => nudges },
    {
      ...ofDay,
      counter: ALL_SEGMENTS,
      most: (before) => fairShare(Math.max(...before.slice(-2)), nudges, FEW_SEGMENTS),
    },
  ];
}

/** Accounts of today share half of the codes, and the last quarter is for accounts that asked for one at most. */
export function codeCaps(
  { userId, number, segments }: Text,
  asker: Confirmation['asker'],
  segmentsPerDay: number,
): Cap[] {
  const { codes } = budgetsOf(segmentsPerDay, false);
  const cap = (counter: string, most: number, reason: Cap['reason'] = 'code_limit', amount = 1): Cap => ({
    counter,
    amount,
    most: () => most,
    windowMs: DAY_MS,
    reason,
  });
  const { isNewAccount, hasConfirmed, network } = asker;
  return [
    hasConfirmed
      ? cap(`sms codes of ${userId}`, CODES_PER_ACCOUNT)
      : cap(`sms codes of ${userId}`, CODES_UNTIL_CONFIRMED, 'code_until_confirmed'),
    cap(`sms codes from ${network}`, CODES_PER_NETWORK),
    cap(`sms codes to ${number}`, CODES_PER_NUMBER),
    ...(isNewAccount ? [cap('sms code segments of new accounts', Math.ceil(codes / 2), 'code_limit', segments)] : []),
    {
      ...cap('sms code segments', codes, 'code_limit', segments),
      most: ([ofAccount = 0]) => fairShare(ofAccount, codes, 1),
    },
  ];
}
