/**
 * Kysely over `node:sqlite`: one writer whose units share a commit, one reader beside it.
 *
 * A read outside a transaction never waits behind a write: it goes to the reader, which sees the
 * last committed state. Calls are synchronous, so a second reader on this thread would gain nothing.
 */
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { isWorthRetrying, translateFault, unavailable } from './faults.ts';
import type { DatabaseFigures } from './figures.ts';
import { GroupCommit, type Unit } from './group-commit.ts';
import { realFile } from './real-file.ts';
import { type Files, openFiles } from './sqlite-files.ts';
import { StatementCache } from './sqlite-statements.ts';
import { refuseInsideTransaction } from './transact.ts';

interface SqliteOptions {
  readonly figures?: DatabaseFigures | undefined;
  /** How the files are opened; with the service's own lock unless told otherwise. */
  readonly open?: (file: string) => Files;
}

export function sqliteDialect(
  file: string,
  now: () => Date,
  { figures, open = openFiles }: SqliteOptions = {},
): Dialect {
  return {
    createDriver: () => new SqliteDriver(() => open(realFile(file)), now, figures),
    createQueryCompiler: () => new UnlockedSqliteCompiler(),
    createAdapter: () => new ConcurrentSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Kysely's own adapter queues everything behind one connection; ours hands out as many as are asked for. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** A transaction on SQLite has the whole database to itself, so `for update` is true without being said. */
class UnlockedSqliteCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === 'Distinct') super.visitSelectModifier(node);
  }
}

class SqliteDriver implements Driver {
  readonly #openFiles: () => Files;
  readonly #now: () => Date;
  readonly #figures: DatabaseFigures | undefined;
  #open: { files: Files; connection: ConnectionParts } | undefined;

  constructor(open: () => Files, now: () => Date, figures: DatabaseFigures | undefined) {
    this.#openFiles = open;
    this.#now = now;
    this.#figures = figures;
  }

  async init(): Promise<void> {
    const files = this.#openFiles();
    const { writer, reader } = files;
    const connection = {
      commits: new GroupCommit(writer, this.#now, this.#figures),
      writing: new StatementCache(writer),
      reading: new StatementCache(reader),
    };
    for (const db of [writer, reader]) addTimeFunctions(db, connection.commits, this.#now);
    this.#open = { files, connection };
  }

  async acquireConnection(): Promise<SqliteConnection> {
    refuseInsideTransaction();
    if (!this.#open) throw new Error('The database is not open.');
    return new SqliteConnection(this.#open.connection);
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    connection.rollback();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    if (!this.#open) return;
    const { files, connection } = this.#open;
    this.#open = undefined;
    await connection.commits.drain();
    files.close();
  }
}

/** The same two functions that a migration gives PostgreSQL: see `0004-tasks.ts`. */
function addTimeFunctions(db: DatabaseSync, commits: GroupCommit, now: () => Date): void {
  db.function('crescendo_now', () => now().getTime());
  db.function('crescendo_horizon', () => commits.horizon().getTime());
}

interface ConnectionParts {
  readonly commits: GroupCommit;
  readonly writing: StatementCache;
  readonly reading: StatementCache;
}

const MOST_ATTEMPTS = 6;
const PAUSE_MS = 5;

class SqliteConnection implements DatabaseConnection {
  readonly #parts: ConnectionParts;
  #unit: Unit | undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      if (this.#unit) return this.#executeInUnit(this.#unit, query);
      if (isRead(query)) return toResult(this.#parts.reading.execute(query.sql, query.parameters));
      return await this.#executeAsUnit(query);
    } catch (error) {
      throw translateFault(error);
    }
  }

  // biome-ignore lint/correctness/useYield: the interface wants a generator, and this one only refuses.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('A stream would pin the one reader to an old state: read page by page instead.');
  }

  async begin(): Promise<void> {
    this.#unit = await this.#parts.commits.begin();
  }

  async commit(): Promise<void> {
    const unit = this.#takeUnit();
    try {
      await this.#parts.commits.commit(unit);
    } catch (error) {
      throw translateFault(error);
    }
  }

  rollback(): void {
    // Kysely also asks for a rollback after a commit that failed; the unit is gone by then.
    if (this.#unit) this.#parts.commits.rollback(this.#takeUnit());
  }

  #takeUnit(): Unit {
    const unit = this.#unit;
    if (!unit) throw new Error('No transaction is open.');
    this.#unit = undefined;
    return unit;
  }

  #executeInUnit<R>(unit: Unit, query: CompiledQuery): QueryResult<R> {
    this.#parts.commits.assertAlive(unit);
    try {
      const result = toResult<R>(this.#parts.writing.execute(query.sql, query.parameters));
      if (changesSchema(query)) this.#forgetStatements();
      return result;
    } catch (error) {
      this.#parts.commits.noticeFailure(unit, error);
      throw error;
    }
  }

  /**
   * A write without a transaction is a unit of its own; a single statement can be run again by the driver itself,
   * after a lost commit or while a command that came alongside holds the file.
   */
  async #executeAsUnit<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attemptAsUnit<R>(query);
      } catch (error) {
        if (!isWorthRetrying(error)) throw error;
        if (attempt === MOST_ATTEMPTS) throw unavailable(error);
        await delay(attempt * PAUSE_MS);
      }
    }
  }

  async #attemptAsUnit<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { commits } = this.#parts;
    const unit = await commits.begin();
    let result: QueryResult<R>;
    try {
      result = this.#executeInUnit<R>(unit, query);
    } catch (error) {
      commits.rollback(unit);
      throw error;
    }
    await commits.commit(unit);
    return result;
  }

  #forgetStatements(): void {
    this.#parts.writing.forget();
    this.#parts.reading.forget();
  }
}

function isRead({ query, sql }: CompiledQuery): boolean {
  return query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && /^\s*(select|explain)\b/i.test(sql));
}

function changesSchema({ sql }: CompiledQuery): boolean {
  return /^\s*(create|alter|drop)\b/i.test(sql);
}

function toResult<R>({ rows, changes }: { rows: Record<string, unknown>[]; changes: number | bigint }): QueryResult<R> {
  return { rows: rows as R[], numAffectedRows: BigInt(changes) };
}
