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
  readonly rows: Record<string, unknown>[];
  readonly changes: number | bigint;
}

class Statement {
  readonly #statement: StatementSync;
  readonly #columns: readonly { readonly name: string; readonly decode: Decoder | undefined }[];

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.#statement.setReturnArrays(true);
    this.#columns = statement
      .columns()
      .map(({ name, type }) => ({ name, decode: DECODERS[type?.toLowerCase() ?? ''] }));
  }

  execute(parameters: readonly unknown[]): Result {
    const encoded = parameters.map(encode);
    if (this.#columns.length === 0) return { rows: [], changes: this.#statement.run(...encoded).changes };
    // With setReturnArrays each row is an array; Node's types do not say so.
    const rows = this.#statement.all(...encoded) as unknown as SQLOutputValue[][];
    return { rows: rows.map((row) => this.#toObject(row)), changes: rows.length };
  }

  #toObject(row: readonly SQLOutputValue[]): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    this.#columns.forEach(({ name, decode }, index) => {
      const value = row[index] ?? null;
      object[name] = decode && value !== null ? decode(value) : value;
    });
    return object;
  }
}

/** Preparing a small statement costs five times as much as running it, so the most recent ones are kept. */
const MAX_CACHED = 500;

export class StatementCache {
  readonly #db: DatabaseSync;
  readonly #recent = new Map<string, Statement>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  execute(sql: string, parameters: readonly unknown[]): Result {
    return this.#prepare(sql).execute(parameters);
  }

  /** Must be called after a schema change: older statements would decode by the old column types. */
  clear(): void {
    this.#recent.clear();
  }

  #prepare(sql: string): Statement {
    const cached = this.#recent.get(sql);
    this.#recent.delete(sql);
    const statement = cached ?? new Statement(this.#db.prepare(sql));
    this.#recent.set(sql, statement);
    if (this.#recent.size > MAX_CACHED) this.#recent.delete(this.#recent.keys().next().value ?? '');
    return statement;
  }
}
