/**
 * The SQL of wishes: what a provider should hold, or take back. A wish that its provider does not have yet has a higher
 * `version` than `stored_version`.
 */
import { sql } from 'kysely';
import { prepared } from '../db/prepared.ts';
import { type Db, isPostgres } from '../db/schema.ts';
import type { Understudy } from '../db/tables/understudies.ts';

/** Of these references, those of other messages than this one. */
export async function listKnownRefs(
  db: Db,
  { id, provider }: Pick<Understudy, 'id' | 'provider'>,
  refs: readonly string[],
): Promise<string[]> {
  if (refs.length === 0) return [];
  const known = db
    .selectFrom('understudies')
    .select('ref')
    .where('provider', '=', provider)
    .where('server', 'is', null)
    .where('id', '!=', id);
  return (await known.where('ref', 'in', refs).execute()).map(({ ref }) => ref);
}

export async function insertUnderstudies(trx: Db, rows: readonly Understudy[]): Promise<void> {
  for (const row of rows) await trx.insertInto('understudies').values(row).execute();
}

export type Wish = Pick<Understudy, 'id' | 'sounds_at' | 'content' | 'stage'>;

/**
 * A new wish is sent at once if the one before has failed. One that is on its way is answered first, so that the two
 * cannot overtake each other. That an attempt was made is not forgotten: its answer may be lost.
 */
export async function updateWish(trx: Db, { id, sounds_at, content, stage }: Wish, wallNow: Date): Promise<void> {
  await wishUpdated(trx, id, sounds_at, content, stage, wallNow);
}

const wishUpdated = prepared((db, id: string, sounds_at: Date | null, content: string, stage: number, wallNow: Date) =>
  db
    .updateTable('understudies')
    .set((eb) => ({
      sounds_at,
      content,
      stage,
      version: eb('version', '+', 1),
      attempts: eb.case().when('attempts', '>', 0).then(1).else(0).end(),
      next_attempt_at: eb
        .case()
        .when(eb.and([eb('attempts', '>', 0), eb('error', 'is', null)]))
        .then(eb.ref('next_attempt_at'))
        .else(wallNow)
        .end(),
    }))
    .where('id', '=', id),
);

/** Lets the provider take it back. `held_until` is the latest moment at which it may still be sounded. */
export async function wishRelease(
  trx: Db,
  { id, sounds_at, held_until }: Understudy,
  wallNow: Date,
  slot: string,
): Promise<void> {
  const until = [sounds_at, held_until].filter((at) => at !== null).sort((a, b) => a.getTime() - b.getTime());
  await updateWish(trx, { id, sounds_at: null, content: '{}', stage: 0 }, wallNow);
  await trx
    .updateTable('understudies')
    .set({ held_until: until.at(-1) ?? null, slot })
    .where('id', '=', id)
    .execute();
}

/** One wish at a time is brought to each server. */
export const laneOf = ({ provider, server }: Pick<Understudy, 'provider' | 'server'>): string =>
  `${provider} ${server ?? ''}`;

/** Wishes that their provider does not have yet, of other servers than the busy ones. */
const waitingWishes = (db: Db, busyLanes: readonly string[]) =>
  db
    .selectFrom('understudies')
    .whereRef('version', '>', 'stored_version')
    .$if(busyLanes.length > 0, (query) =>
      query.where(sql`provider || ' ' || coalesce(server, '')`, 'not in', busyLanes),
    )
    .orderBy('next_attempt_at')
    .orderBy('id');

interface Lease {
  readonly now: Date;
  /** A wish that waits for a later moment is due as well. */
  readonly latest: Date;
  readonly until: Date;
}

/** Leases waiting wishes. Without an error, an attempt is under way. */
export async function leaseWishes(
  db: Db,
  { now, latest, until }: Lease,
  limit: number,
  busyLanes: readonly string[] = [],
): Promise<Understudy[]> {
  const due = waitingWishes(db, busyLanes)
    .select('id')
    .where((eb) => eb.or([eb('next_attempt_at', '<=', now), eb('next_attempt_at', '>', latest)]))
    .limit(limit)
    .$if(isPostgres(db), (query) => query.forUpdate().skipLocked());
  // Not a subquery of the update: PostgreSQL may run that once per row, and lease more than the limit.
  const { rows } = await sql<Understudy>`
    with due as materialized ${due}
    update understudies set next_attempt_at = ${until}, attempts = attempts + 1, error = null
    where id in (select id from due) returning *`.execute(db);
  return rows;
}

export async function findNextWishAt(db: Db, busyLanes: readonly string[]): Promise<Date | null> {
  const next = await waitingWishes(db, busyLanes).select('next_attempt_at').limit(1).executeTakeFirst();
  return next?.next_attempt_at ?? null;
}

/** The provider took the wish, and sounds it at `heldUntil`. A newer one stays due. */
export async function recordHeld(
  db: Db,
  { id, version }: Understudy,
  { ref, heldUntil, wallNow }: { readonly ref: string; readonly heldUntil: Date; readonly wallNow: Date },
): Promise<void> {
  await heldRecorded(db, id, version, heldUntil, ref, wallNow, wallNow);
}

const heldRecorded = prepared(
  (db, id: string, stored_version: number, held_until: Date, ref: string, moved_at: Date, next_attempt_at: Date) =>
    db
      .updateTable('understudies')
      .set({ stored_version, held_until, ref, moved_at, error: null, attempts: 0, next_attempt_at })
      .where('id', '=', id),
);

/** What was taken back is forgotten, unless it is wanted again by now: then it is placed anew. */
export async function recordReleased(db: Db, { id, version }: Understudy, wallNow: Date): Promise<void> {
  await db.deleteFrom('understudies').where('id', '=', id).where('version', '=', version).execute();
  await db
    .updateTable('understudies')
    .set({ held_until: null, attempts: 0, next_attempt_at: wallNow })
    .where('id', '=', id)
    .execute();
}

/** A newer wish is due at once. */
export async function recordFailure(
  db: Db,
  { id, version }: Understudy,
  error: string,
  nextAt: Date,
  wallNow: Date,
): Promise<void> {
  const failed = (next_attempt_at: Date) =>
    db.updateTable('understudies').set({ error, next_attempt_at }).where('id', '=', id);
  await failed(nextAt).where('version', '=', version).execute();
  await failed(wallNow).where('version', '>', version).execute();
}

export async function forgetUnderstudy(db: Db, { id, version }: Understudy): Promise<void> {
  await db.deleteFrom('understudies').where('id', '=', id).where('version', '=', version).execute();
}
