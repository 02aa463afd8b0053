/**
 * The types of the tables. Instants are `Date` and ids are UUID strings; only `db/` sees how each engine
 * stores them. JSON is written as text and read as a value.
 */
import { type Kysely, PostgresAdapter } from 'kysely';
import type { AccountTables } from './tables/accounts.ts';
import type { BillingTables } from './tables/billing.ts';
import type { CaldavTables } from './tables/caldav.ts';
import type { CalendarTables } from './tables/calendar.ts';
import type { ConnectionTables } from './tables/connections.ts';
import type { DeliveryTables } from './tables/deliveries.ts';
import type { MoveInTables } from './tables/move-ins.ts';
import type { OutageTables } from './tables/outages.ts';
import type { SpaceTables } from './tables/spaces.ts';
import type { TaskTables } from './tables/tasks.ts';
import type { UnderstudyTables } from './tables/understudies.ts';

export interface Database
  extends AccountTables,
    BillingTables,
    CaldavTables,
    CalendarTables,
    ConnectionTables,
    DeliveryTables,
    MoveInTables,
    OutageTables,
    SpaceTables,
    TaskTables,
    UnderstudyTables {
  /** Every release that has started on this database. An older release names the newest one when it refuses to start. */
  releases: {
    version: string;
    first_started_at: Date;
  };
  /** The processes of the service. Each writes its row every few seconds, and deletes it when it stops. */
  processes: {
    id: string;
    release: string;
    /** The role: `all`, `api` or `engine`. */
    kind: string;
    newest_migration: string;
    started_at: Date;
    seen_at: Date;
  };
}

/** The database or a transaction: the first argument of every store function. */
export type Db = Kysely<Database>;

/** For the few statements that the two engines cannot share. */
export const isPostgres = <T>(db: Kysely<T>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;
