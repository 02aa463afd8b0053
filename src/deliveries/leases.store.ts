/**
 * Leases deliveries. A lease is a `next_attempt_at` in the future; a delivery is due again when its lease has run out.
 * Deliveries of a provider with one server are leased in one statement. For a provider with many servers the caller
 * chooses among the due deliveries, because each server has its own places.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { prepared } from '../db/prepared.ts';
import { notAmong, preparedRows, textNotIn } from '../db/rows.ts';
import { type Database, type Db, isPostgres } from '../db/schema.ts';
import { knowsTables } from '../db/schema-watch.ts';
import type { Provider } from '../push/gateway.ts';
import type { DeliveryKey } from './outgoing-push.ts';

type Delivery = Selectable<Database['deliveries']>;

/** Deliveries that a claim leaves out, because they have no place or others have their turn first. */
export interface Except {
  readonly owners: readonly string[];
  readonly servers: readonly string[];
  /** Accounts at a server, as `pairOf` writes them. */
  readonly pairs: readonly string[];
}

export const pairOf = (ownerId: string, server: string): string => `${ownerId} ${server}`;

export const NOTHING: Except = { owners: [], servers: [], pairs: [] };

export const isNothing = ({ owners, servers, pairs }: Except) => owners.length + servers.length + pairs.length === 0;

/** Filters keep the order of the index. After an anti-join PostgreSQL would sort everything that is due. */
function others(db: Db, { owners, servers, pairs }: Except): RawBuilder<boolean> {
  const conditions = [notAmong(db, 'recipient_id', owners)];
  if (servers.length > 0) conditions.push(textNotIn(db, sql`server`, servers));
  if (pairs.length > 0) conditions.push(textNotIn(db, sql`cast(recipient_id as text) || ' ' || server`, pairs));
  return sql.join(conditions, sql` and `);
}

interface Lease {
  readonly now: Date;
  readonly until: Date;
  /** Nothing is leased if the database has run a newer migration. */
  readonly newestMigration: string;
}

/** Leases due deliveries, including those that an engine leased before it died. */
export async function leaseDeliveries(
  db: Db,
  provider: Provider,
  { now, until, newestMigration, limit, except }: Lease & { readonly limit: number; readonly except: Except },
): Promise<Delivery[]> {
  if (isNothing(except)) return leaseOfAll(db, provider, now, until, newestMigration, limit);
  return (
    await leaseFirst(db, provider, now, until, newestMigration, limit, sql`and ${others(db, except)}`).execute(db)
  ).rows;
}

const leaseOfAll = prepared(
  (db, provider: Provider, now: Date, until: Date, newestMigration: string, limit: number) => ({
    compile: () => leaseFirst(db, provider, now, until, newestMigration, limit, sql``).compile(db),
  }),
);

function leaseFirst(
  db: Db,
  provider: Provider,
  now: Date,
  until: Date,
  newestMigration: string,
  limit: number,
  condition: RawBuilder<unknown>,
) {
  const first = sql`
    select entry_id, target_id, kind from deliveries
    where status = 'pending' and provider = ${provider} and next_attempt_at <= ${now} ${condition}
    order by next_attempt_at limit ${limit}`;
  return lease(db, first, until, newestMigration);
}

function lease(db: Db, due: RawBuilder<unknown>, until: Date, newestMigration: string) {
  const lock = isPostgres(db) ? sql`for update of deliveries skip locked` : sql``;
  // Not a subquery of the update: PostgreSQL may run that once per row, and lease more than the limit.
  return sql<Delivery>`
    with due as materialized (${due} ${lock})
    update deliveries set next_attempt_at = ${until}, waits_for = null
    where status = 'pending' and (entry_id, target_id, kind) in (select entry_id, target_id, kind from due)
      and ${knowsTables(newestMigration)}
    returning *`;
}

export type DueDelivery = DeliveryKey & Pick<Delivery, 'recipient_id' | 'server'>;

/** Returns the deliveries that have been due for the longest. The caller chooses which of them have a place. */
export async function listDue(
  db: Db,
  provider: Provider,
  { now, limit, except }: { readonly now: Date; readonly limit: number; readonly except: Except },
): Promise<DueDelivery[]> {
  if (isNothing(except)) return dueOfAll(db, provider, now, limit);
  return dueDeliveries(db, provider, now, limit).where(others(db, except)).execute();
}

const dueDeliveries = (db: Db, provider: Provider, now: Date, limit: number) =>
  db
    .selectFrom('deliveries')
    .select(['entry_id', 'target_id', 'kind', 'recipient_id', 'server'])
    .where('status', '=', sql.lit('pending'))
    .where('provider', '=', provider)
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .limit(limit);

const dueOfAll = prepared(dueDeliveries);

const KEY = { entry_id: 'uuid', target_id: 'uuid', kind: 'text' } as const;

/** Leases these deliveries, if they are still due. */
export async function leaseChosen(
  db: Db,
  chosen: readonly DeliveryKey[],
  { now, until, newestMigration }: Lease,
): Promise<readonly Delivery[]> {
  return chosen.length === 0
    ? []
    : ((await chosenLeased(db, chosen, now, until, newestMigration)) as readonly Delivery[]);
}

const chosenLeased = preparedRows<keyof typeof KEY, [now: Date, until: Date, newestMigration: string]>(
  'chosen',
  KEY,
  (db, chosen, now, until, newestMigration) =>
    lease(
      db,
      sql`
      select deliveries.entry_id, deliveries.target_id, deliveries.kind from ${chosen} inner join deliveries
        on deliveries.entry_id = chosen.entry_id and deliveries.target_id = chosen.target_id
        and deliveries.kind = chosen.kind
      where deliveries.status = 'pending' and deliveries.next_attempt_at <= ${now}`,
      until,
      newestMigration,
    ),
);

export async function findNextAttemptAt(db: Db, provider: Provider, except: Except): Promise<Date | null> {
  const ofOthers = () => nextAttempt(db, provider).where(others(db, except)).execute();
  const [row] = isNothing(except) ? await nextAttemptOfAll(db, provider) : await ofOthers();
  return row?.next_attempt_at ?? null;
}

const nextAttempt = (db: Db, provider: Provider) =>
  db
    .selectFrom('deliveries')
    .select('next_attempt_at')
    .where('provider', '=', provider)
    .where('status', '=', sql.lit('pending'))
    .orderBy('next_attempt_at')
    .limit(1);

const nextAttemptOfAll = prepared(nextAttempt);
