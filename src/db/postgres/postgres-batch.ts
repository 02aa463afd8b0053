/**
 * Statements that PostgreSQL gets in one round trip, as a query that `pg` can run. The server runs them in order
 * and, after one has failed, skips the rest.
 */
import type { Connection, FieldDef, Submittable } from 'pg';
import { type Decode, decodeOf, type PreparedStatements } from './postgres-statements.ts';
import { encodeParameter } from './postgres-values.ts';

export interface Statement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

export interface StatementResult {
  readonly rows: Record<string, unknown>[];
  /** What the server did, as "INSERT 0 1". */
  command: string;
}

interface Step {
  readonly sql: string;
  readonly values: readonly (string | Buffer | null)[];
  readonly result: StatementResult;
  /** The name to prepare it under; undefined if it is prepared already, or must not be prepared. */
  newName: string | undefined;
  decode: Decode | undefined;
}

type Callback = (error: unknown, results?: readonly StatementResult[]) => void;

/** The messages of the protocol that `pg` can write; its types require an argument that it no longer has. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  close(message: { type: 'S'; name: string }): void;
  parse(message: { text: string; name: string }): void;
  bind(message: { statement: string; values: Step['values'] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(): void;
  sync(): void;
}

export class PostgresBatch implements Submittable {
  /** `pg` replaces this callback by one that also ends the time limit. */
  callback: Callback;
  readonly queries: readonly Statement[];
  readonly #statements: PreparedStatements | undefined;
  readonly #steps: readonly Step[];
  #current = 0;
  #decodingError: unknown;

  /** Without prepared statements, behind a pooler that shares sessions, each statement is described anew. */
  constructor(queries: readonly Statement[], statements: PreparedStatements | undefined, callback: Callback) {
    this.callback = callback;
    this.queries = queries;
    this.#statements = statements;
    // Before anything is written: a value that cannot be encoded must not leave half a message behind.
    this.#steps = queries.map(({ sql, parameters }) => ({
      sql,
      values: parameters.map(encodeParameter),
      result: { rows: [], command: '' },
      newName: undefined,
      decode: undefined,
    }));
  }

  submit(connection: Connection): void {
    const wire = connection as unknown as Wire;
    wire.stream.cork();
    for (const name of this.#statements?.takeEvicted() ?? []) wire.close({ type: 'S', name });
    for (const step of this.#steps) this.#write(wire, step);
    wire.sync();
    wire.stream.uncork();
  }

  #write(wire: Wire, step: Step): void {
    const { sql, values } = step;
    const prepared = this.#statements?.find(sql);
    if (prepared) {
      step.decode = prepared.decode;
      wire.bind({ statement: prepared.name, values });
    } else {
      const name = this.#statements?.nameFor(sql) ?? '';
      // A failed attempt may have left the statement there. Closing a missing statement is no error.
      if (name !== '') wire.close({ type: 'S', name });
      step.newName = name === '' ? undefined : name;
      wire.parse({ text: sql, name });
      wire.bind({ statement: name, values });
      wire.describe({ type: 'P', name: '' });
    }
    wire.execute();
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    const step = this.#steps[this.#current];
    if (step) step.decode = decodeOf(fields);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const step = this.#steps[this.#current];
    try {
      if (step?.decode) step.result.rows.push(step.decode(fields));
    } catch (error) {
      this.#decodingError ??= error;
    }
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    const step = this.#steps[this.#current];
    this.#current += 1;
    if (!step) return;
    step.result.command = text;
    if (step.newName !== undefined) this.#statements?.add(step.sql, { name: step.newName, decode: step.decode });
  }

  handleEmptyQuery(): void {
    this.#current += 1;
  }

  handleReadyForQuery(): void {
    if (this.#decodingError) this.callback(this.#decodingError);
    else
      this.callback(
        null,
        this.#steps.map(({ result }) => result),
      );
  }

  handleError(error: unknown): void {
    this.callback(error);
  }
}
