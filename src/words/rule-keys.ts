/** The keys and frequencies that people and programs write in a recurrence object. */
export type DayFrequency = 'daily' | 'weekly' | 'monthly' | 'yearly';
export type Frequency = DayFrequency | 'hourly' | 'minutely';

/** As `foldKey` returns them, so that `byday` also stands for `by_day` and `byDay`. Our own key is the first. */
export const KEY_SPELLINGS = {
  rrule: ['rrule'],
  freq: ['freq', 'frequency', 'type', 'unit', 'every'],
  interval: ['interval', 'every'],
  count: ['count'],
  until: ['until', 'enddate'],
  byWeekday: ['byweekday', 'byday', 'days'],
  byMonthDay: ['bymonthday'],
  byMonth: ['bymonth'],
  bySetPos: ['bysetpos'],
  byTime: ['bytime'],
  from: ['from'],
  between: ['between'],
  perDay: ['perday'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
/** These keys are also used for something else, so a value that is no frequency says nothing about it. */
const AMBIGUOUS_KEYS: readonly string[] = ['type', 'unit', 'every'];

const FREQUENCY_WORDS: Readonly<Record<Frequency, readonly string[]>> = {
  minutely: ['minutely', 'minute', 'minutes'],
  hourly: ['hourly', 'hour', 'hours'],
  daily: ['daily', 'day', 'days'],
  weekly: ['weekly', 'week', 'weeks'],
  monthly: ['monthly', 'month', 'months'],
  yearly: ['yearly', 'year', 'years', 'annual', 'annually'],
};
/** A Map, because a plain object would also have inherited keys such as `constructor`. */
const FREQUENCIES = new Map(
  Object.entries(FREQUENCY_WORDS).flatMap(([freq, words]) => words.map((word) => [word, freq as Frequency] as const)),
);
/** Longer keys and words are not looked at. */
export const LONGEST_WORD = 20;

/** Without case, underscores and hyphens. */
export const foldKey = (key: string): string => key.toLowerCase().replaceAll(/[_-]/g, '');

export const frequencyOf = (value: unknown): Frequency | undefined =>
  typeof value === 'string' && value.length <= LONGEST_WORD ? FREQUENCIES.get(value.toLowerCase()) : undefined;

export const isAmbiguousKey = (key: string): boolean => AMBIGUOUS_KEYS.includes(foldKey(key));
