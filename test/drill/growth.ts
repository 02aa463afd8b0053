/** Whether something grows that should stay as it is. Pure. */

/** What was measured at one moment, by name. */
export type Sample = Readonly<Record<string, number>>;

interface Rule {
  /** The names that it is about. The first rule that matches counts. */
  readonly about: RegExp;
  /** By how much the last third may lie above the first one. */
  readonly share: number;
  readonly slack: number;
  /** Why it may grow without a limit that a soak could see. */
  readonly mayGrow?: string;
}

/** Rows that housekeeping should have deleted. */
const EXPIRED = /^expired rows of /;
const ROWS = /^rows of /;

const RULES: readonly Rule[] = [
  {
    about: /^rows of throttles$/,
    share: 0,
    slack: 0,
    mayGrow: 'a counter of each mailbox and network stays until its window ends, a day at most',
  },
  { about: /^rows of /, share: 0.25, slack: 40 },
  { about: EXPIRED, share: 0, slack: 0 },
  { about: / heap MB$/, share: 0.05, slack: 4 },
  { about: / RSS MB$/, share: 0.15, slack: 25 },
  { about: / descriptors$/, share: 0.1, slack: 12 },
  { about: / timers and sockets$/, share: 0.1, slack: 12 },
  { about: /^log MB$/, share: 0.25, slack: 20 },
  { about: /^database MB$/, share: 0.25, slack: 12 },
  { about: /^lateness ms$/, share: 1, slack: 1_000 },
];

/** What may be left of people who deleted their accounts. Past its end it must go: then it is among the expired rows. */
const MAY_STAY: Readonly<Record<string, string>> = {
  'rows of throttles': 'a counter of each mailbox and network stays until its window ends, a day at most',
  'rows of email_codes': 'a code stays until it expires',
};
/** Rows of the installation itself, and one for every 20 people. */
const FEW_ROWS = 3;
const LEAKED_PER_PERSON = 0.05;

/** What comes before is the start: caches fill, and the first people arrive. */
const WARM_UP_SHARE = 0.2;
/** Three minutes and a half: by then as many people leave as come. */
const WARM_UP_SAMPLES = 14;
/** Fewer say nothing. */
const FEWEST_SAMPLES = 6;

export interface Trend {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  /** What follows from it: flat, grows, or may grow and why. */
  readonly verdict: string;
  readonly grows: boolean;
}

/** Grows: the last third is above the first by more than it may be, and above the middle one too, so it has not levelled off. */
export function judge(samples: readonly Sample[]): Trend[] {
  const counted = samples.slice(Math.max(WARM_UP_SAMPLES, Math.floor(samples.length * WARM_UP_SHARE)));
  const names = new Set(counted.flatMap((sample) => Object.keys(sample)));
  return [...names].sort().map((name) => trendOf(name, counted));
}

function trendOf(name: string, samples: readonly Sample[]): Trend {
  const values = samples.flatMap((sample) => sample[name] ?? []);
  const third = Math.floor(values.length / 3);
  const [first, middle, last] = [0, third, values.length - third].map((from) =>
    median(values.slice(from, from + Math.max(third, 1))),
  ) as [number, number, number];
  const rule = RULES.find(({ about }) => about.test(name));
  if (!rule) throw new Error(`No rule says how ${name} may grow.`);
  const { share, slack, mayGrow } = rule;
  if (mayGrow !== undefined) return { name, first, last, verdict: `may grow: ${mayGrow}`, grows: false };
  if (values.length < FEWEST_SAMPLES) return { name, first, last, verdict: 'too few samples', grows: false };
  const grows = last > first * (1 + share) + slack && last > middle;
  return { name, first, last, verdict: grows ? 'GROWS' : 'flat', grows };
}

/**
 * Compares what is stored before anybody came and after everybody left. Rows that stay in proportion to the people are a leak,
 * however few they are for each person: this needs no long time, because nobody who is present hides them.
 */
export function judgeRemains(before: Sample, after: Sample, people: number): Trend[] {
  const names = Object.keys(after).filter((name) => ROWS.test(name) || EXPIRED.test(name));
  return names.sort().map((name) => {
    const [first, last] = [before[name] ?? 0, after[name] ?? 0];
    const mayStay = MAY_STAY[name];
    if (mayStay !== undefined) return { name, first, last, verdict: `may stay: ${mayStay}`, grows: false };
    const most = EXPIRED.test(name) ? 0 : FEW_ROWS + people * LEAKED_PER_PERSON;
    const stays = last - first > most;
    return { name, first, last, verdict: stays ? 'STAYS' : 'gone', grows: stays };
  });
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = 0, high = low] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}
