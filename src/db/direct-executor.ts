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

interface Opened extends KyselyProps {
  readonly compiler: QueryCompiler;
  readonly adapter: DialectAdapter;
}

const opened = new WeakMap<object, Opened>();

/** The driver must have been started. */
export function openDirectly<T>(
  dialect: Dialect,
  driver: Driver,
  executor: DirectExecutor = new DirectExecutor(dialect, driver),
): Kysely<T> {
  const props = { config: { dialect }, dialect, driver, executor };
  const db = new Kysely<T>(props);
  opened.set(db, { ...props, compiler: dialect.createQueryCompiler(), adapter: dialect.createAdapter() });
  return db;
}

/** Runs queries outside of transactions. Inside of one, Kysely uses an executor with the connection of that one. */
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

/**
 * For SQLite: runs a transaction whose statements go to its connection at once. Kysely lets each wait for the one before,
 * but SQLite has run it by the time that its promise exists. Undefined if the database was not opened directly.
 */
export function transactDirectly<T, R>(
  db: Kysely<T>,
  work: (trx: Transaction<T>) => Promise<R>,
): Promise<R> | undefined {
  const props = opened.get(db);
  return props && runDirectly(props, work);
}

async function runDirectly<T, R>(
  { compiler, adapter, ...props }: Opened,
  work: (trx: Transaction<T>) => Promise<R>,
): Promise<R> {
  const { driver } = props;
  const connection = await driver.acquireConnection();
  try {
    await driver.beginTransaction(connection, {});
    const executor = new TransactionExecutor(compiler, adapter, connection);
    try {
      const result = await work(new Transaction<T>({ ...props, executor })).finally(() => executor.end());
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
