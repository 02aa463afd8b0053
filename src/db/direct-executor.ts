/**
 * Kysely without the layer that it puts around a driver. That layer adds a lazy start, a log and cancelling, none of
 * which the service uses, and costs a dozen promises per query and a weak set with every connection ever handed out.
 */
import {
  type CompiledQuery,
  DefaultConnectionProvider,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
} from 'kysely';

/** The driver must have been started. */
export const openDirectly = <T>(
  dialect: Dialect,
  driver: Driver,
  executor: DirectExecutor = new DirectExecutor(dialect, driver),
): Kysely<T> => new Kysely({ config: { dialect }, dialect, driver, executor });

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
