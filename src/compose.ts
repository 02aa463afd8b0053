/** The one place where the parts are wired together, by hand. */
import { type Kysely, sql } from 'kysely';
import type { Config } from './config.ts';
import { openDatabase } from './db/open.ts';
import type { Database } from './db/schema.ts';
import { type App, type AppOptions, buildApp, type Routes } from './http/app.ts';
import { frontDoorRoutes } from './http/front-door.routes.ts';
import { healthRoutes } from './http/health.routes.ts';
import type { Clock } from './lib/clock.ts';
import type { Logger } from './lib/logger.ts';

export interface Parts {
  readonly config: Config;
  readonly version: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Tests add routes of their own and tighten limits to reach the edges of the shell. */
  readonly extra?: { readonly routes?: readonly Routes[]; readonly limits?: AppOptions['limits'] };
}

export interface Service {
  readonly app: App;
  readonly db: Kysely<Database>;
  /** Stops taking requests, lets those under way finish, then closes the database. */
  close(): Promise<void>;
}

export async function compose({ config, version, clock, logger, extra = {} }: Parts): Promise<Service> {
  const db = await openDatabase(config.DATABASE_URL, { version, startedAt: clock.now() }, logger);
  try {
    const app = await buildApp(
      {
        version,
        baseUrl: config.BASE_URL,
        trustProxy: config.TRUST_PROXY,
        logger,
        ...(extra.limits && { limits: extra.limits }),
      },
      [
        frontDoorRoutes,
        healthRoutes({ version, pingDatabase: async () => void (await sql`select 1`.execute(db)) }),
        ...(extra.routes ?? []),
      ],
    );
    await app.ready();
    return { app, db, close: () => closeInOrder(app, db) };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Requests under way get this long; then their connections are cut, since a restart must not hang on one of them. */
const GRACE_MS = 10_000;

async function closeInOrder(app: App, db: Kysely<Database>): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
    await db.destroy();
  }
}
