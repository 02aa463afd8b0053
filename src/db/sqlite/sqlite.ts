/**
 * Kysely over `node:sqlite`, with one writer and one reader. The transactions of the writer share commits.
 *
 * A read outside of a transaction never waits for a write: it goes to the reader, which sees the last
 * committed state. Calls are synchronous, so a second reader on this thread would gain nothing.
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
import { turnForStatement } from '../../lib/next-turn.ts';
import { DirectDatabase, DirectExecutor } from '../direct-executor.ts';
import { isBusy, isRetryable, translateFault, unavailable } from '../faults.ts';
import type { DatabaseMetrics } from '../metrics.ts';
import { refuseInsideTransaction } from '../transact.ts';
import { GroupCommit, type Unit } from './group-commit.ts';
import { canonicalPath, type Files, openServiceFiles } from './sqlite-files.ts';
import { StatementCache } from './sqlite-statements.ts';
import { neverBack, type Stamps } from './stamps.ts';

interface SqliteDialect extends Dialect {
  createDriver(): SqliteDriver;
}

interface SqliteOptions {
  readonly metrics?: DatabaseMetrics | undefined;
  /** By default the files are opened with the service's lock. */
  readonly openFiles?: (file: string) => Files;
  /** Of a writer that outlives the driver. Set by tests only. */
  readonly statements?: StatementCache | undefined;
}

export function sqliteDialect(
  file: string,
  now: () => Date,
  { metrics, openFiles = openServiceFiles, statements }: SqliteOptions = {},
): SqliteDialect {
  return {
    createDriver: () => new SqliteDriver(() => openFiles(canonicalPath(file)), now, metrics, statements),
    createQueryCompiler: () => new LocklessSqliteCompiler(),
    createAdapter: () => new ConcurrentSqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** Opens the database for the service. */
export async function openSqlite<T>(dialect: SqliteDialect): Promise<DirectDatabase<T>> {
  const driver = dialect.createDriver();
  await driver.init();
  return new DirectDatabase(dialect, driver, new SqliteExecutor(dialect, driver));
}

/** Runs a read outside of a transaction at once: handing out a connection would cost as much as the read. */
class SqliteExecutor extends DirectExecutor {
  readonly #driver: SqliteDriver;

  constructor(dialect: SqliteDialect, driver: SqliteDriver) {
    super(dialect, driver);
    this.#driver = driver;
  }

  override executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (!isRead(query)) return super.executeQuery(query);
    const read = () => this.#driver.read<R>(query);
    return turnForStatement()?.then(read) ?? Promise.try(read);
  }
}

/** Kysely's adapter queues everything behind one connection; this one hands out any number of connections. */
class ConcurrentSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** Leaves out `for update`: a transaction on SQLite has the writer to itself. */
class LocklessSqliteCompiler extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier === 'Distinct') super.visitSelectModifier(node);
  }
}

class SqliteDriver implements Driver {
  readonly #openFiles: () => Files;
  readonly #now: () => Date;
  readonly #metrics: DatabaseMetrics | undefined;
  readonly #statements: StatementCache | undefined;
  #open: { files: Files; parts: ConnectionParts } | undefined;

  constructor(
    openFiles: () => Files,
    now: () => Date,
    metrics: DatabaseMetrics | undefined,
    statements: StatementCache | undefined,
  ) {
    this.#openFiles = openFiles;
    this.#now = now;
    this.#metrics = metrics;
    this.#statements = statements;
  }

  async init(): Promise<void> {
    const files = this.#openFiles();
    const { writer, reader } = files;
    const stamps = neverBack(this.#now);
    const writeStatements = this.#statements ?? new StatementCache(writer);
    const parts = {
      commits: new GroupCommit(writer, stamps.now, () => files.findFault(), this.#metrics),
      writeStatements,
      // A command that only reads has one connection for both.
      readStatements: reader === writer ? writeStatements : new StatementCache(reader),
    };
    for (const db of [writer, reader]) addTimeFunctions(db, parts.commits, stamps);
    reader.function('crescendo_file_fault', () => files.findFault() ?? null);
    reader.function('crescendo_empty_log', () => emptyLog(writer));
    this.#open = { files, parts };
  }

  async acquireConnection(): Promise<SqliteConnection> {
    refuseInsideTransaction();
    const turn = turnForStatement();
    if (turn) await turn;
    return new SqliteConnection(this.#getParts());
  }

  read<R>(query: CompiledQuery): QueryResult<R> {
    refuseInsideTransaction();
    return readWith<R>(this.#getParts(), query);
  }

  #getParts(): ConnectionParts {
    if (!this.#open) throw new Error('The database is not open.');
    return this.#open.parts;
  }

  async beginTransaction(connection: SqliteConnection): Promise<void> {
    await connection.begin();
  }

  async commitTransaction(connection: SqliteConnection): Promise<void> {
    await connection.commit();
  }

  async rollbackTransaction(connection: SqliteConnection): Promise<void> {
    await connection.rollback();
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    if (!this.#open) return;
    const { files, parts } = this.#open;
    this.#open = undefined;
    await parts.commits.drain();
    files.close();
  }
}

/** Takes deleted content out of the write-ahead log too. Does nothing while a transaction is open. */
function emptyLog(writer: DatabaseSync): null {
  if (!writer.isTransaction) writer.exec('pragma wal_checkpoint(truncate)');
  return null;
}

/** The first two are the functions that migration `0004-tasks.ts` creates in PostgreSQL. */
function addTimeFunctions(db: DatabaseSync, commits: GroupCommit, { now, raise }: Stamps): void {
  db.function('crescendo_now', () => now().getTime());
  db.function('crescendo_horizon', () => commits.horizon().getTime());
  db.function('crescendo_raise', (toMs) => {
    raise(Number(toMs));
    return null;
  });
}

interface ConnectionParts {
  readonly commits: GroupCommit;
  readonly writeStatements: StatementCache;
  readonly readStatements: StatementCache;
}

const MAX_ATTEMPTS = 6;
const RETRY_DELAY_MS = 5;

class SqliteConnection implements DatabaseConnection {
  readonly #parts: ConnectionParts;
  #unit: Unit | undefined;

  constructor(parts: ConnectionParts) {
    this.#parts = parts;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    try {
      if (this.#unit) return this.#executeInUnit(this.#unit, query);
      if (isRead(query)) return readWith<R>(this.#parts, query);
      return await this.#executeAsUnit(query);
    } catch (error) {
      throw translateFault(error);
    }
  }

  // biome-ignore lint/correctness/useYield: the interface requires a generator, and this one only throws.
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('A stream would hold the one reader at an old state: read page by page instead.');
  }

  async begin(): Promise<void> {
    try {
      this.#unit = await this.#parts.commits.begin();
    } catch (error) {
      throw translateFault(error);
    }
  }

  async commit(): Promise<void> {
    const unit = this.#takeUnit();
    try {
      await this.#parts.commits.commit(unit);
    } catch (error) {
      throw translateFault(error);
    }
  }

  async rollback(): Promise<void> {
    // Kysely also rolls back after a failed commit, when the unit has already ended.
    if (this.#unit) await this.#parts.commits.rollback(this.#takeUnit());
  }

  #takeUnit(): Unit {
    const unit = this.#unit;
    if (!unit) throw new Error('No transaction is open.');
    this.#unit = undefined;
    return unit;
  }

  #executeInUnit<R>(unit: Unit, query: CompiledQuery): QueryResult<R> {
    this.#parts.commits.assertNotRolledBack(unit);
    try {
      const result = toResult<R>(this.#parts.writeStatements.execute(query.sql, query.parameters));
      if (changesSchema(query)) this.#clearStatements();
      return result;
    } catch (error) {
      this.#parts.commits.handleStatementFailure(unit, error);
      throw error;
    }
  }

  /**
   * A write outside of a transaction is a unit of its own. It is a single statement, so the driver itself runs it
   * again after a rolled-back batch, or while a command has locked the file.
   */
  async #executeAsUnit<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attemptAsUnit<R>(query);
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (attempt === MAX_ATTEMPTS) throw unavailable(error);
        await delay(attempt * RETRY_DELAY_MS);
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
      await commits.rollback(unit);
      throw error;
    }
    await commits.commit(unit);
    return result;
  }

  #clearStatements(): void {
    this.#parts.writeStatements.clear();
    this.#parts.readStatements.clear();
  }
}

function readWith<R>({ readStatements }: ConnectionParts, { sql, parameters }: CompiledQuery): QueryResult<R> {
  try {
    return toResult(readStatements.execute(sql, parameters));
  } catch (error) {
    // Nothing runs a read again, so a file that is locked for longer than SQLite waits is an outage for its caller.
    throw isBusy(error) ? unavailable(error) : translateFault(error);
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
