/**
 * Checks the parts of a recurrence one by one. Whatever a client sent, the outcome is a clean value
 * or a `RuleError`, without reading through what is too long. A refusal never repeats the value: it
 * may be megabytes long.
 */
export class RuleError extends Error {
  override readonly name = 'RuleError';
  /** The key of the recurrence object that is wrong; `rrule` for anything inside the string form. */
  readonly key: string;

  constructor(key: string, message: string) {
    super(message);
    this.key = key;
  }
}

/** A part as its writer named it, so that a refusal speaks the writer's language. */
export interface Field {
  readonly key: string;
  readonly name: string;
  readonly value: unknown;
}

/** As ISO 8601 counts them: Monday is 1. */
export type Weekday = 1 | 2 | 3 | 4 | 5 | 6 | 7;

export interface ByWeekday {
  readonly day: Weekday;
  /** The second Tuesday is 2, the last one -1; null means every one. */
  readonly nth: number | null;
}

/** The last moment that belongs to the series. A date includes its whole day. */
export type Until =
  | { readonly kind: 'date'; readonly date: Temporal.PlainDate }
  | { readonly kind: 'wall'; readonly wall: Temporal.PlainDateTime }
  | { readonly kind: 'instant'; readonly instant: Temporal.Instant };

interface Range {
  readonly min: number;
  readonly max: number;
}

const MOST_ENTRIES = 366;
const WEEKDAY_NAMES = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
/** A Map, since a plain object would also answer to `constructor`. */
const WEEKDAYS = new Map(
  WEEKDAY_NAMES.flatMap((name, index) =>
    [name.slice(0, 2), name.slice(0, 3), name].map((spelling) => [spelling, (index + 1) as Weekday] as const),
  ),
);
const WEEKDAY_SHAPE = /^([+-]?\d{1,2})?([a-z]{2,9})$/i;
const DATE_SHAPE = /^\d{4}-\d{2}-\d{2}$/;
/** A leap second is refused, as in every date-time we take: Temporal would read it as second 59. */
const DATE_TIME_SHAPE = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(?::[0-5]\d(?:\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})?$/;

function isPresent({ value }: Field): boolean {
  return value !== undefined && value !== null;
}

/** The whole number in the field, or null where the field is absent. */
export function readNumber(field: Field, range: Range): number | null {
  if (!isPresent(field)) return null;
  if (isWholeWithin(field.value, range)) return field.value;
  throw new RuleError(field.key, `${field.name} must be a whole number from ${range.min} to ${range.max}.`);
}

/** The whole numbers in the field, ascending, each once; zero never counts as a position. */
export function readNumbers(field: Field, range: Range): number[] {
  const numbers = entriesOf(field).map((entry) => {
    if (isWholeWithin(entry, range) && entry !== 0) return entry;
    const except = range.min < 0 ? ', but not 0' : '';
    throw new RuleError(field.key, `${field.name} must hold whole numbers from ${range.min} to ${range.max}${except}.`);
  });
  return [...new Set(numbers)].sort((a, b) => a - b);
}

/** The weekdays in the field, each once. `largestNth` 0 means that an ordinal has no place here. */
export function readWeekdays(field: Field, largestNth: number): ByWeekday[] {
  const distinct = new Map<string, ByWeekday>();
  for (const entry of entriesOf(field)) {
    const [, ordinal, name] = WEEKDAY_SHAPE.exec(typeof entry === 'string' ? entry : '') ?? [];
    const day = WEEKDAYS.get(name?.toLowerCase() ?? '');
    if (day === undefined)
      throw new RuleError(field.key, `${field.name} must hold weekdays such as mo, tue or friday.`);
    const nth = ordinal === undefined ? null : Number(ordinal);
    if (nth !== null) checkOrdinal(field, nth, largestNth);
    distinct.set(`${nth} ${day}`, { day, nth });
  }
  return [...distinct.values()];
}

/** ISO 8601: a date, or a date-time with or without offset; without one it is meant on the user's wall clock. */
export function readUntil(field: Field): Until | null {
  if (!isPresent(field)) return null;
  const until = typeof field.value === 'string' ? parseUntil(field.value) : undefined;
  if (until !== undefined) return until;
  throw new RuleError(field.key, `${field.name} must be a date or a date-time that exists.`);
}

export function readFrom(field: Field): 'due' | 'completion' {
  if (!isPresent(field)) return 'due';
  if (field.value === 'due' || field.value === 'completion') return field.value;
  throw new RuleError(field.key, `${field.name} must be due or completion.`);
}

function isWholeWithin(value: unknown, { min, max }: Range): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

function entriesOf(field: Field): readonly unknown[] {
  if (!isPresent(field)) return [];
  const entries: readonly unknown[] = Array.isArray(field.value) ? field.value : [field.value];
  if (entries.length <= MOST_ENTRIES) return entries;
  throw new RuleError(field.key, `${field.name} must hold at most ${MOST_ENTRIES} entries.`);
}

function checkOrdinal(field: Field, nth: number, largest: number): void {
  if (largest === 0) throw new RuleError(field.key, `${field.name} takes a number only in a monthly or yearly rule.`);
  if (nth !== 0 && Math.abs(nth) <= largest) return;
  throw new RuleError(
    field.key,
    `${field.name} takes a number from 1 to ${largest} before a weekday, or from -1 down.`,
  );
}

function parseUntil(text: string): Until | undefined {
  try {
    if (DATE_SHAPE.test(text)) return { kind: 'date', date: Temporal.PlainDate.from(text) };
    const [, offset] = DATE_TIME_SHAPE.exec(text) ?? [undefined, null];
    if (offset === null) return undefined;
    return offset === undefined
      ? { kind: 'wall', wall: Temporal.PlainDateTime.from(text) }
      : { kind: 'instant', instant: Temporal.Instant.from(text) };
  } catch {
    // Temporal throws on what has the right shape and does not exist, such as 30 February.
    return undefined;
  }
}
