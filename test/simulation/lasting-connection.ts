/** A connection to SQLite that outlives the processes that use it, and prepares each statement once. */
import {
  DatabaseSync,
  type FunctionOptions,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite';

type SqlFunction = (...values: SQLOutputValue[]) => SQLInputValue;

export class LastingConnection extends DatabaseSync {
  /** Called with each statement that returns rows, unless undefined. Set it before the first one is prepared. */
  beforeEach: ((sql: string) => void) | undefined;
  readonly #statements = new Map<string, StatementSync>();
  readonly #functions = new Map<string, SqlFunction>();

  /** Processes die often, and each would prepare every statement again. */
  override prepare(sql: string): StatementSync {
    return this.#statements.getOrInsertComputed(sql, () => this.#observe(sql, super.prepare(sql)));
  }

  #observe(sql: string, statement: StatementSync): StatementSync {
    const { beforeEach } = this;
    if (!beforeEach) return statement;
    const all = statement.all.bind(statement);
    return Object.assign(statement, {
      all: (...values: SQLInputValue[]) => {
        beforeEach(sql);
        return all(...values);
      },
    });
  }

  /** A function that is defined again makes SQLite prepare every statement again, so each is defined once. */
  override function(name: string, ...rest: readonly [SqlFunction] | readonly [FunctionOptions, SqlFunction]): void {
    const implementation = rest.at(-1) as SqlFunction;
    const call: SqlFunction = (...values) => this.#functions.get(name)?.(...values) ?? null;
    if (!this.#functions.has(name)) super.function(name, { varargs: true }, call);
    this.#functions.set(name, implementation);
  }
}
