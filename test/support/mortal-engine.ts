/**
 * The engine as a process that is killed at a chosen operation: a statement, a commit, a message on its way out, or an
 * answer on its way in. From then on each of these fails, so nothing that it still tries has an effect, and the
 * database rolls back what was not committed. What it stored is found by the next one on the same database.
 */
import { type CompiledQuery, type DatabaseConnection, type Dialect, type Driver, Kysely } from 'kysely';
import { composeDomain } from '../../src/compose/service.ts';
import { loadConfig } from '../../src/config.ts';
import { postgresDialect } from '../../src/db/postgres/postgres.ts';
import type { Database, Db } from '../../src/db/schema.ts';
import { sqliteDialect } from '../../src/db/sqlite/sqlite.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { Vault } from '../../src/keys/vault.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { disabledMailer } from '../../src/lib/mailer.ts';
import type { Gateway, Gateways } from '../../src/push/gateway.ts';
import { ThrottleService } from '../../src/sign-in/throttle.service.ts';
import type { EngineName } from './engines.ts';
import { FakeClock } from './fake-clock.ts';
import { VERSION } from './test-app.ts';

interface MortalParts {
  readonly engine: EngineName;
  readonly databaseUrl: string;
  /** A fake one waits for the engine before it moves. */
  readonly clock: Clock;
  readonly gateways: Gateways;
}

export class MortalEngine implements AsyncDisposable {
  readonly db: Db;
  readonly tasks: ReturnType<typeof composeDomain>['tasks']['service'];
  readonly #parts: MortalParts;
  readonly #engine: Engine;
  readonly #stopWaiting: () => void;
  readonly #death = Promise.withResolvers<void>();
  #operationsLeft = Number.POSITIVE_INFINITY;
  isDead = false;

  constructor(parts: MortalParts) {
    this.#parts = parts;
    const { clock, databaseUrl: DATABASE_URL } = parts;
    const config = loadConfig({ DATABASE_URL, SECRET_KEY: 'a key for tests, long enough to be taken' });
    const logger = createLogger('fatal');
    this.db = new Kysely<Database>({ dialect: this.#mortal(this.#dialect(logger)) });
    const shared = { clock, wallClock: clock, logger };
    const domain = composeDomain(
      { config, version: VERSION, ...shared, print: () => undefined, extra: {} },
      { db: this.db, vault: {} as Vault, mailer: disabledMailer(), throttle: new ThrottleService(this.db, clock) },
      (at) => this.#engine.wakeUp(at),
    );
    this.tasks = domain.tasks.service;
    const gateways = Object.fromEntries(
      Object.entries(parts.gateways).map(([name, gateway]) => [name, gateway && this.#mortalGateway(gateway)]),
    );
    const { slices } = domain;
    this.#engine = new Engine({ db: this.db, ...shared, gateways, slices, deliveriesPerMinute: 100_000_000 });
    this.#engine.start();
    this.#stopWaiting = clock instanceof FakeClock ? clock.waitFor(() => this.settled()) : () => undefined;
  }

  /** Dies at the given operation from now. */
  dieAfter(operations: number): void {
    this.#operationsLeft = operations;
  }

  wakeUp(): void {
    this.#engine.wakeUp();
  }

  settled(): Promise<void> {
    return Promise.race([this.#engine.settled(), this.#death.promise]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopWaiting();
    await this.#engine.stop();
    await this.db.destroy();
  }

  async #guard<T>(operation: () => Promise<T>): Promise<T> {
    this.#operationsLeft -= 1;
    if (this.#operationsLeft <= 0) {
      this.isDead = true;
      this.#death.resolve();
    }
    if (this.isDead) throw new Error('the process was killed');
    return operation();
  }

  #dialect(logger: ReturnType<typeof createLogger>): Dialect {
    const { engine, databaseUrl, clock } = this.#parts;
    return engine === 'postgres'
      ? postgresDialect(databaseUrl, 'service', logger)
      : sqliteDialect(databaseUrl.replace('sqlite:', ''), () => clock.now());
  }

  #mortal(inner: Dialect): Dialect {
    const guard = <T>(operation: () => Promise<T>) => this.#guard(operation);
    const innerOf = (connection: DatabaseConnection) => (connection as MortalConnection).inner;
    const createDriver = (): Driver => {
      const driver = inner.createDriver();
      return {
        init: () => driver.init(),
        acquireConnection: async () => new MortalConnection(await driver.acquireConnection(), guard),
        beginTransaction: (connection, settings) => driver.beginTransaction(innerOf(connection), settings),
        commitTransaction: (connection) => guard(() => driver.commitTransaction(innerOf(connection))),
        rollbackTransaction: (connection) => driver.rollbackTransaction(innerOf(connection)),
        releaseConnection: (connection) => driver.releaseConnection(innerOf(connection)),
        destroy: () => driver.destroy(),
      };
    };
    return { ...inner, createDriver };
  }

  #mortalGateway(gateway: Gateway): Gateway {
    return {
      capacity: () => gateway.capacity(),
      close: async () => undefined,
      refOf: (push) => gateway.refOf?.(push),
      send: async (push, signal) => {
        const result = await this.#guard(() => gateway.send(push, signal));
        return this.#guard(async () => result);
      },
    };
  }
}

class MortalConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection;
  readonly #guard: <T>(operation: () => Promise<T>) => Promise<T>;

  constructor(inner: DatabaseConnection, guard: <T>(operation: () => Promise<T>) => Promise<T>) {
    this.inner = inner;
    this.#guard = guard;
  }

  executeQuery<R>(query: CompiledQuery) {
    return this.#guard(() => this.inner.executeQuery<R>(query));
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number) {
    return this.inner.streamQuery<R>(query, chunkSize);
  }
}
