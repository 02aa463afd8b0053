/**
 * Kysely without the layer that it puts around a driver. That layer adds a lazy start, a log and cancelling, none of
 * which the service uses, and costs a dozen promises per query and a weak set with every connection ever handed out.
 */
import {
  type CompiledQuery,
  type DatabaseConnection,
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
  type DialectAdapter,
  type Driver,
  Kysely,
  type KyselyProps,
  type QueryCompiler,
  type QueryResult,
  Transaction,
} from 'kysely';
import type { Pool } from './metrics.ts';

interface Announcer {
  /** With the ids of people and of spaces. It must not throw. */
  announce(ids: Iterable<string>): void;
}

/** A database as the service opens it, with what this process remembers about it. */
export class DirectDatabase<T> extends Kysely<T> {
  readonly #props: KyselyProps;
  readonly #compiler: QueryCompiler;
  readonly #adapter: DialectAdapter;
  /** PostgreSQL: its connections. */
  readonly pool: Pool | undefined;
  /** Whether the last transaction failed because the database could not store it. */
  hasFailedToWrite = false;
  /** Called after each commit that announced something. */
  announcer: Announcer | undefined;

  /** The driver must have been started. */
  constructor(dialect: Dialect, driver: Driver, executor = new DirectExecutor(dialect, driver), pool?: Pool) {
    const props = { config: { dialect }, dialect, driver, executor };
    super(props);
    this.#props = props;
    this.#compiler = dialect.createQueryCompiler();
    this.#adapter = dialect.createAdapter();
    this.pool = pool;
  }

  /**
   * For SQLite: runs a transaction and sends its statements to the connection at once. Kysely makes each statement wait
   * for the one before, but SQLite has run that one by the time its promise exists.
   */
  async transactDirectly<R>(work: (trx: Transaction<T>) => Promise<R>): Promise<R> {
    const { driver } = this.#props;
    const connection = await driver.acquireConnection();
    try {
      await driver.beginTransaction(connection, {});
      const executor = new TransactionExecutor(this.#compiler, this.#adapter, connection);
      try {
        const result = await work(new Transaction<T>({ ...this.#props, executor })).finally(() => executor.end());
        await driver.commitTransaction(connection);
        return result;
      } catch (error) {
        await driver.rollbackTransaction(connection);
        throw error;
      }
    } finally {
      await driver.releaseConnection(connection);
    }
  }
}

/** Runs queries outside of transactions. Inside a transaction, Kysely uses an executor with its connection. */
export class DirectExecutor extends DefaultQueryExecutor {
  readonly #driver: Driver;

  constructor(dialect: Dialect, driver: Driver) {
    super(dialect.createQueryCompiler(), dialect.createAdapter(), new DefaultConnectionProvider(driver));
    this.#driver = driver;
  }

  override async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const connection = await this.#driver.acquireConnection();
    try {
      return await connection.executeQuery<R>(query);
    } finally {
      await this.#driver.releaseConnection(connection);
    }
  }
}

class TransactionExecutor extends DefaultQueryExecutor {
  readonly #connection: DatabaseConnection;
  #isOver = false;

  constructor(compiler: QueryCompiler, adapter: DialectAdapter, connection: DatabaseConnection) {
    super(compiler, adapter, { provideConnection: (use) => use(connection) });
    this.#connection = connection;
  }

  /** A later statement would run outside of the transaction. */
  end(): void {
    this.#isOver = true;
  }

  override async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#isOver) throw new Error('The transaction is over.');
    return this.#connection.executeQuery<R>(query);
  }
}
