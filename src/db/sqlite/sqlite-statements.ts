/**
 * Caches the prepared statements of one SQLite connection, and converts values between JavaScript and
 * SQLite, which has neither dates nor booleans. A value is decoded by the declared type of its column; an
 * expression (`max(at)`, `exists …`) has no declared type and is returned as SQLite stores it.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

type Decoder = (value: SQLOutputValue) => unknown;

const DECODERS: Readonly<Record<string, Decoder>> = {
  timestamptz: (value) => new Date(Number(value)),
  boolean: (value) => value !== 0,
  jsonb: (value) => JSON.parse(String(value)),
};

/** Node silently binds a Date in the first place as NULL, so every value is encoded here or refused. */
function encode(value: unknown): SQLInputValue {
  switch (typeof value) {
    case 'boolean':
      return value ? 1 : 0;
    case 'string':
    case 'number':
    case 'bigint':
      return value;
    default:
      if (value === null || value instanceof Uint8Array) return value;
      if (value instanceof Date && !Number.isNaN(value.getTime())) return value.getTime();
      throw new TypeError(
        `A query parameter is ${value instanceof Date ? 'an invalid Date' : `of type ${typeof value}`}.`,
      );
  }
}

interface Result {
  readonly rows: Row[];
  readonly changes: number | bigint;
}

type Row = Record<string, unknown>;
type ToObject = (row: readonly SQLOutputValue[]) => Row;

class Statement {
  readonly #statement: StatementSync;
  readonly #returnsRows: boolean;
  #toObject: ToObject | undefined;

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.#statement.setReturnArrays(true);
    this.#returnsRows = statement.columns().length > 0;
  }

  execute(parameters: readonly unknown[]): Result {
    const encoded = parameters.map(encode);
    if (!this.#returnsRows) return { rows: [], changes: this.#statement.run(...encoded).changes };
    // With setReturnArrays each row is an array; Node's types do not say so.
    const rows = this.#statement.all(...encoded) as unknown as SQLOutputValue[][];
    // Not before: SQLite notices only when it runs a statement that another connection has changed the tables.
    this.#toObject ??= compileToObject(this.#statement.columns());
    return { rows: rows.map(this.#toObject), changes: rows.length };
  }
}

/**
 * Compiles a function with an object literal, because V8 knows the shape of a literal: setting the 39 columns of a task
 * by name, one after another, takes 2.5 times as long.
 */
function compileToObject(columns: ReturnType<StatementSync['columns']>): ToObject {
  const decoders = columns.map(({ type }) => DECODERS[type?.toLowerCase() ?? '']);
  const fields = columns.map(({ name }, index) => {
    const value = `row[${index}]`;
    const decoded = decoders[index] ? `${value} === null ? null : decoders[${index}](${value})` : value;
    return `${JSON.stringify(name)}: ${decoded}`;
  });
  return new Function('decoders', `return (row) => ({ ${fields.join(', ')} });`)(decoders);
}

/**
 * SQLite plans by the value of a bare `limit ?`, and so compiles the statement again whenever that value is bound, which
 * costs ten times a small read. The plus hides the value from the planner.
 */
const hideLimit = (sql: string): string => sql.replaceAll(/\blimit \?/g, 'limit +?');

/**
 * Preparing a small statement costs five times as much as running it, so the most recent ones are kept: between this
 * many and twice as many. Keeping all in the order of their use would cost two changes of a map at each use.
 */
const MAX_RECENT = 250;

export class StatementCache {
  readonly #db: DatabaseSync;
  #recent = new Map<string, Statement>();
  #older = new Map<string, Statement>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  execute(sql: string, parameters: readonly unknown[]): Result {
    return this.#prepare(sql).execute(parameters);
  }

  /** Must be called after a schema change: older statements would decode by the old column types. */
  clear(): void {
    this.#recent.clear();
    this.#older.clear();
  }

  #prepare(sql: string): Statement {
    const recent = this.#recent.get(sql);
    if (recent) return recent;
    const statement = this.#older.get(sql) ?? new Statement(this.#db.prepare(hideLimit(sql)));
    this.#recent.set(sql, statement);
    if (this.#recent.size === MAX_RECENT) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    return statement;
  }
}
