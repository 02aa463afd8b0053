/**
 * The canonical form of a row, equal for both databases: a JSON array of its values in column order. The
 * copy sends it to PostgreSQL, and the comparison takes checksums of it. SQLite stores any value in any
 * column, so a value that PostgreSQL would reject or change is refused here.
 */

/** As declared. One migration declares the column on both engines. */
export interface Column {
  readonly name: string;
  readonly type: string;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** The columns of the primary key, in its order. */
  readonly key: readonly Column[];
}

/** As `node:sqlite` reads it. */
export type SqliteValue = null | string | number | bigint | Uint8Array;

/** The message starts with the column's name. */
export class UnmovableValue extends Error {
  override readonly name = 'UnmovableValue';
}

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const FIRST_INSTANT = Date.parse('0001-01-01T00:00:00Z');
/** The end of 9999-12-31, the last day a task can have, is in the year 10000 in some zones. */
const LAST_INSTANT = Date.parse('+099999-12-31T23:59:59.999Z');

const CONVERTERS: Readonly<Record<string, (value: SqliteValue) => unknown>> = {
  text: (value) => {
    if (typeof value !== 'string') throw new UnmovableValue('is not text');
    if (value.includes('\0')) throw new UnmovableValue('contains U+0000, which PostgreSQL cannot store');
    return value;
  },
  uuid: (value) => {
    if (typeof value === 'string' && UUID.test(value)) return value;
    throw new UnmovableValue('is not a lower-case UUID');
  },
  integer: (value) => toInteger(value, -(2 ** 31), 2 ** 31 - 1),
  bigint: (value) => toInteger(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  boolean: (value) => toInteger(value, 0, 1) === 1,
  timestamptz: (value) => formatInstant(new Date(toInteger(value, FIRST_INSTANT, LAST_INSTANT))),
  jsonb: (value) => {
    if (typeof value !== 'string') throw new UnmovableValue('is not JSON');
    return sortKeys(JSON.parse(value));
  },
};

/** PostgreSQL does not parse a sign before a five-digit year. */
const formatInstant = (at: Date) => at.toISOString().replace(/^\+0/, '');

function toInteger(value: SqliteValue, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new UnmovableValue('is outside the range of its type');
}

export function rowFromSqlite(columns: readonly Column[], row: readonly SqliteValue[]): string {
  return JSON.stringify(columns.map((column, index) => valueFromSqlite(column, row[index] ?? null)));
}

function valueFromSqlite({ name, type }: Column, value: SqliteValue): unknown {
  if (value === null) return null;
  const convert = CONVERTERS[type];
  if (!convert) throw new UnmovableValue(`${name} has the unknown type ${type}`);
  try {
    return convert(value);
  } catch (error) {
    throw new UnmovableValue(`${name} ${error instanceof UnmovableValue ? error.message : 'cannot be read'}`);
  }
}

/** From a row as `pg` decodes it. */
export function rowFromPostgres(columns: readonly Column[], row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(columns.map(({ name, type }) => valueFromPostgres(type, row[name])));
}

function valueFromPostgres(type: string, value: unknown): unknown {
  if (value instanceof Date) return formatInstant(value);
  return type === 'jsonb' ? sortKeys(value) : value;
}

/** PostgreSQL reorders the keys of a jsonb object. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]));
}
