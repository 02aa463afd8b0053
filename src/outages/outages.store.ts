/** The SQL of signs of life and of outages. */
import { type Selectable, sql } from 'kysely';
import { changesAny, returnsAny } from '../db/results.ts';
import { among } from '../db/rows.ts';
import type { Database, Db } from '../db/schema.ts';

export type Outage = Selectable<Database['outages']>;

const SIGN = 'sign_of_life';

/** When an engine was alive: by the service's clock, and in real time. */
export interface Sign {
  readonly at: Date;
  readonly realAt: Date;
}

/** False if the last sign is older than `oldest`, or if there is none. A later one, of a clock that was set back, is replaced. */
export async function renewSign(db: Db, { at, realAt }: Sign, oldest: Date): Promise<boolean> {
  return changesAny(
    db
      .updateTable('installation')
      .set({ value: at.toISOString(), changed_at: realAt })
      .where('name', '=', SIGN)
      .where('changed_at', '>=', oldest),
  );
}

/** The last sign. Other engines wait for the end of the transaction before they read it. Without one, this is the first. */
export async function lockSign(trx: Db, { at, realAt }: Sign): Promise<Sign> {
  await trx
    .insertInto('installation')
    .values({ name: SIGN, value: at.toISOString(), changed_at: realAt })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const { value, changed_at } = await trx
    .selectFrom('installation')
    .select(['value', 'changed_at'])
    .where('name', '=', SIGN)
    .forUpdate()
    .executeTakeFirstOrThrow();
  return { at: new Date(value), realAt: changed_at };
}

export async function insertOutage(trx: Db, outage: Outage): Promise<void> {
  await trx.insertInto('outages').values(outage).execute();
}

export async function storeSums(trx: Db, id: string, sums: Pick<Outage, 'people' | 'nudges'>): Promise<void> {
  await trx.updateTable('outages').set(sums).where('id', '=', id).execute();
}

/** Stores the next people, in the order of their ids, who have nudges that were planned before that moment. */
export async function insertPeople(trx: Db, outageId: string, plannedBefore: Date, after: string, limit: number) {
  const { rows } = await sql<{ user_id: string; nudges: number }>`
    insert into outage_people (user_id, outage_id, nudges)
    select owner_id, ${outageId}, count(*) from tasks
    where next_fire_at < ${plannedBefore} and owner_id > ${after}
      and exists (select 1 from users where id = owner_id and suspended_at is null and deleted_at is null)
    group by owner_id order by owner_id limit ${limit}
    returning user_id, nudges`.execute(trx);
  return rows;
}

/** More late nudges of a person are only counted. */
export const NUDGES_PER_PERSON = 20;

/** Stores the first late nudges of each of these people. */
export async function insertLateNudges(
  trx: Db,
  outageId: string,
  plannedBefore: Date,
  people: readonly string[],
): Promise<void> {
  const [operator, list] = among(trx, people);
  await sql`
    insert into outage_nudges (user_id, outage_id, task_id, planned_at)
    select owner_id, ${outageId}, id, next_fire_at from (
      select owner_id, id, next_fire_at, row_number() over (partition by owner_id order by next_fire_at, id) as place
      from tasks where next_fire_at < ${plannedBefore} and owner_id ${sql.raw(operator)} ${list}) as late
    where place <= ${NUDGES_PER_PERSON}`.execute(trx);
}

export async function isAnyUnread(db: Db, userId: string, since: Date): Promise<boolean> {
  return returnsAny(unread(db, userId, since).select('outages.id').limit(1));
}

/** The newest first. */
export async function listUnread(db: Db, userId: string, since: Date, limit: number) {
  return unread(db, userId, since)
    .select(['outages.id', 'started_at', 'ended_at', 'outage_people.nudges'])
    .orderBy('ended_at', 'desc')
    .orderBy('outages.id')
    .limit(limit)
    .execute();
}

const unread = (db: Db, userId: string, since: Date) =>
  db
    .selectFrom('outage_people')
    .innerJoin('outages', 'outages.id', 'outage_people.outage_id')
    .where('user_id', '=', userId)
    .where('dismissed_at', 'is', null)
    .where('ended_at', '>', since);

/** The late tasks that are still the person's, and what a provider has probably announced in that time. */
export async function listLateTasks(db: Db, userId: string, outageIds: readonly string[]) {
  return db
    .selectFrom('outage_nudges')
    .innerJoin('outages', 'outages.id', 'outage_nudges.outage_id')
    .innerJoin('tasks', 'tasks.id', 'outage_nudges.task_id')
    .select(['outage_id', 'tasks.id', 'tasks.title', 'planned_at'])
    .select((eb) =>
      eb
        .selectFrom('timeline')
        .select('via')
        .whereRef('timeline.task_id', '=', 'tasks.id')
        .where('timeline.kind', '=', 'understudy')
        .whereRef('timeline.at', '>=', 'outages.started_at')
        .whereRef('timeline.at', '<=', 'outages.ended_at')
        .orderBy('timeline.at')
        .limit(1)
        .as('announced_via'),
    )
    .where('outage_nudges.user_id', '=', userId)
    .where('tasks.owner_id', '=', userId)
    .where('outage_nudges.outage_id', ...among(db, outageIds))
    .orderBy('planned_at')
    .orderBy('tasks.id')
    .execute();
}

/** False if the outage did not concern the person. */
export async function dismissOutage(db: Db, userId: string, id: string, now: Date): Promise<boolean> {
  return changesAny(
    db
      .updateTable('outage_people')
      .set((eb) => ({ dismissed_at: eb.fn.coalesce('dismissed_at', eb.val(now)) }))
      .where('user_id', '=', userId)
      .where('outage_id', '=', id),
  );
}

export async function findLastOutage(db: Db): Promise<Outage | undefined> {
  return db.selectFrom('outages').selectAll().orderBy('real_ended_at', 'desc').limit(1).executeTakeFirst();
}
