/**
 * The keys and words that people and assistants use in a recurrence object, beside our own. The object
 * is stored and returned as sent; only its meaning is looked up here.
 */
import { type Frequency, RuleError } from './rule.ts';
import { type Field, isPresent } from './rule-fields.ts';

export type ObjectKey =
  | 'rrule'
  | 'freq'
  | 'interval'
  | 'count'
  | 'until'
  | 'byWeekday'
  | 'byMonthDay'
  | 'byMonth'
  | 'bySetPos'
  | 'byTime'
  | 'from';

/** Without case, underscores and hyphens, so that `byday` also stands for `by_day` and `byDay`. Our own key is the first. */
const SPELLINGS: Readonly<Record<ObjectKey, readonly string[]>> = {
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
};
/** These keys are also used for other things, so a value that is not a frequency is ignored. */
const AMBIGUOUS_KEYS: readonly string[] = ['type', 'unit', 'every'];
/** A Map, because a plain object would also have inherited keys such as `constructor`. */
const FREQUENCIES = new Map<string, Frequency>(
  (
    [
      ['minutely', 'minute', 'minutes'],
      ['hourly', 'hour', 'hours'],
      ['daily', 'day', 'days'],
      ['weekly', 'week', 'weeks'],
      ['monthly', 'month', 'months'],
      ['yearly', 'year', 'years', 'annual', 'annually'],
    ] as const
  ).flatMap(([freq, ...others]) => [freq, ...others].map((word) => [word, freq] as const)),
);
/** Longer keys and words are not looked at. */
const LONGEST_WORD = 20;

/** The fields of a recurrence object, under whatever spelling they were sent. */
export class ObjectFields {
  readonly #sent = new Map<string, Field[]>();
  #hasLongKey = false;

  constructor(value: Readonly<Record<string, unknown>>) {
    for (const [key, part] of Object.entries(value)) {
      if (key.length > LONGEST_WORD) {
        this.#hasLongKey = true;
        continue;
      }
      const spelling = normalise(key);
      this.#sent.set(spelling, [...(this.#sent.get(spelling) ?? []), { key, name: key, value: part }]);
    }
  }

  /** Every field that was sent for the key; more than one if it was spelled in several ways. */
  get(key: ObjectKey): readonly Field[] {
    const fields = SPELLINGS[key].flatMap((spelling) => this.#sent.get(spelling) ?? []).filter(isPresent);
    // {every: "week"} names the frequency, {every: 2} the interval.
    return key === 'interval' ? fields.filter(({ value }) => frequencyOf(value) === undefined) : fields;
  }

  /** Whether anything was sent beside these keys. */
  hasOthersThan(keys = Object.keys(SPELLINGS) as ObjectKey[]): boolean {
    const known = new Set(keys.flatMap((key) => SPELLINGS[key]));
    return this.#hasLongKey || [...this.#sent].some(([key, fields]) => !known.has(key) && fields.some(isPresent));
  }

  /** Undefined if the object names no frequency, or one that we do not know. */
  frequency(): Frequency | undefined {
    const fields = this.get('freq').filter(
      ({ key, value }) => frequencyOf(value) !== undefined || !AMBIGUOUS_KEYS.includes(normalise(key)),
    );
    return fields.every(({ value }) => frequencyOf(value) !== undefined)
      ? readAgreed(fields, ({ value }) => frequencyOf(value))
      : undefined;
  }
}

/** Reads a part that may have been sent under several spellings, which must all mean the same. */
export function readAgreed<T>(fields: readonly Field[], read: (field: Field) => T): T {
  const [first = ABSENT, ...others] = fields;
  const value = read(first);
  for (const other of others) {
    if (comparable(read(other)) === comparable(value)) continue;
    throw new RuleError(other.key, `${other.name} and ${first.name} contradict each other.`);
  }
  return value;
}

const ABSENT: Field = { key: '', name: '', value: undefined };

const normalise = (key: string): string => key.toLowerCase().replaceAll(/[_-]/g, '');

const frequencyOf = (value: unknown): Frequency | undefined =>
  typeof value === 'string' && value.length <= LONGEST_WORD ? FREQUENCIES.get(value.toLowerCase()) : undefined;

/** The order of a list has no meaning. */
const comparable = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? value.map((entry) => JSON.stringify(entry)).sort() : value) ?? '';
