/**
 * One form of a row that both databases agree on: its values in the order of the columns, as JSON.
 * It is what is sent to PostgreSQL and what is compared in the end. SQLite takes anything into any
 * column; what PostgreSQL would not hold, or would hold differently, is refused here.
 */

/** As declared; both engines were told the same by the same migration. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

/** As `node:sqlite` reads it. */
export type Stored = null | string | number | bigint | Uint8Array;

/** The reason completes "the value of a column …". */
export class UnmovableValue extends Error {
  override readonly name = 'UnmovableValue';
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00Z');
/** The end of the last day that can be written lies in the year 10000. */
const LAST_INSTANT = Date.parse('+099999-12-31T23:59:59.999Z');

const FORMS: Readonly<Record<string, (value: Stored) => unknown>> = {
  text: (value) => {
    if (typeof value !== 'string') throw new UnmovableValue('is no text');
    if (value.includes('\0')) throw new UnmovableValue('has a U+0000 in it, which PostgreSQL cannot hold');
    return value;
  },
  uuid: (value) => {
    if (typeof value === 'string' && UUID.test(value)) return value;
    throw new UnmovableValue('is no UUID in lower case');
  },
  integer: (value) => wholeNumber(value, -(2 ** 31), 2 ** 31 - 1),
  bigint: (value) => wholeNumber(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  boolean: (value) => wholeNumber(value, 0, 1) === 1,
  timestamptz: (value) => formOfInstant(new Date(wholeNumber(value, FIRST_INSTANT, LAST_INSTANT))),
  jsonb: (value) => {
    if (typeof value !== 'string') throw new UnmovableValue('is no JSON');
    return sortKeys(JSON.parse(value));
  },
};

/** PostgreSQL reads no sign before a year of five digits. */
const formOfInstant = (at: Date) => at.toISOString().replace(/^\+0/, '');

function wholeNumber(value: Stored, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new UnmovableValue('is out of the range of its type');
}

/** From a row as SQLite stores it. */
export function formOfStored(columns: readonly Column[], row: readonly Stored[]): string {
  return JSON.stringify(columns.map((column, index) => formOfValue(column, row[index] ?? null)));
}

function formOfValue({ name, type }: Column, value: Stored): unknown {
  if (value === null) return null;
  const form = FORMS[type];
  if (!form) throw new UnmovableValue(`${name} is of the unknown type ${type}`);
  try {
    return form(value);
  } catch (error) {
    throw new UnmovableValue(`${name} ${error instanceof UnmovableValue ? error.message : 'cannot be read'}`);
  }
}

/** From a row as the driver of PostgreSQL hands it over. */
export function formOfDecoded(columns: readonly Column[], row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(columns.map(({ name, type }) => formOfDecodedValue(type, row[name])));
}

function formOfDecodedValue(type: string, value: unknown): unknown {
  if (value instanceof Date) return formOfInstant(value);
  return type === 'jsonb' ? sortKeys(value) : value;
}

/** PostgreSQL keeps the keys of an object in an order of its own. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
