/**
 * Prepared statements of one SQLite connection, and the translation of values between JavaScript
 * and SQLite, which knows neither dates nor booleans. Values are decoded by the type a column was
 * declared with; an expression (`max(at)`, `exists …`) has none and comes back as SQLite has it.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';

type Decoder = (value: SQLOutputValue) => unknown;

const DECODERS: Readonly<Record<string, Decoder>> = {
  timestamptz: (value) => new Date(Number(value)),
  boolean: (value) => value !== 0,
  jsonb: (value) => JSON.parse(String(value)),
};

/** Node binds a Date as NULL without a word when it comes first, so everything is encoded here or refused. */
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
    // With setReturnArrays each row is an array, which Node's own types do not tell.
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

/** Preparing costs five times what running a small statement does, so the most recent ones are kept. */
const KEPT = 500;

export class StatementCache {
  readonly #db: DatabaseSync;
  readonly #recent = new Map<string, Statement>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  execute(sql: string, parameters: readonly unknown[]): Result {
    return this.#find(sql).execute(parameters);
  }

  /** Statements prepared before a change of the schema would decode by the old column types. */
  forget(): void {
    this.#recent.clear();
  }

  #find(sql: string): Statement {
    const kept = this.#recent.get(sql);
    this.#recent.delete(sql);
    const statement = kept ?? new Statement(this.#db.prepare(sql));
    this.#recent.set(sql, statement);
    if (this.#recent.size > KEPT) this.#recent.delete(this.#recent.keys().next().value ?? '');
    return statement;
  }
}
