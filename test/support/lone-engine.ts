/** The engine without the rest of the service, on gateways of the test. */
import { Kysely } from 'kysely';
import { composeDomain } from '../../src/compose/service.ts';
import { loadConfig } from '../../src/config.ts';
import { postgresDialect } from '../../src/db/postgres/postgres.ts';
import type { Database, Db } from '../../src/db/schema.ts';
import { SchemaWatch } from '../../src/db/schema-watch.ts';
import { sqliteDialect } from '../../src/db/sqlite/sqlite.ts';
import { Engine } from '../../src/engine/engine.ts';
import type { Vault } from '../../src/keys/vault.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { disabledMailer } from '../../src/lib/mailer.ts';
import { ThrottleService } from '../../src/limits/throttle.service.ts';
import type { Gateways } from '../../src/push/gateway.ts';
import type { EngineName } from './engines.ts';
import { VERSION } from './test-app.ts';

interface EngineParts {
  readonly engine: EngineName;
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly gateways: Gateways;
}

export class LoneEngine implements AsyncDisposable {
  readonly db: Db;
  readonly #engine: Engine;

  constructor({ engine, databaseUrl: DATABASE_URL, clock, gateways }: EngineParts) {
    const config = loadConfig({ DATABASE_URL, SECRET_KEY: 'a key for tests, long enough to be taken' });
    const logger = createLogger('fatal');
    const dialect =
      engine === 'postgres'
        ? postgresDialect(DATABASE_URL, 'service', logger)
        : sqliteDialect(DATABASE_URL.replace('sqlite:', ''), () => clock.now());
    this.db = new Kysely<Database>({ dialect });
    const shared = { clock, wallClock: clock, logger };
    const { slices } = composeDomain(
      { config, version: VERSION, ...shared, print: () => undefined, extra: {} },
      {
        db: this.db,
        schema: new SchemaWatch(logger),
        vault: {} as Vault,
        mailer: disabledMailer(),
        throttle: new ThrottleService(this.db, clock),
      },
      (at) => this.#engine.wakeUp(at),
    );
    this.#engine = new Engine({
      db: this.db,
      ...shared,
      gateways,
      slices,
      addOwnChannels: async () => false,
      deliveriesPerMinute: 100_000_000,
    });
    this.#engine.start();
  }

  wakeUp(): void {
    this.#engine.wakeUp();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.stop();
    await this.db.destroy();
  }
}
