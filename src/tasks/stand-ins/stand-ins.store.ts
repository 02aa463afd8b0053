/** The SQL of stand-ins: who was asked, who agreed, and how an agreement ends. */
import { type Insertable, sql } from 'kysely';
import { prepared } from '../../db/prepared.ts';
import { among, amongParameter, idsParameter } from '../../db/rows.ts';
import type { Database, Db } from '../../db/schema.ts';
import { PLAN_SETTINGS } from '../../escalation/plan-settings.ts';
import { DUE_NOW } from '../../lib/clock.ts';
import { standInCounts } from '../visibility.sql.ts';
import type { StandIn } from './stand-ins.ts';

export async function insertStandIn(trx: Db, standIn: Insertable<Database['stand_ins']>): Promise<void> {
  await trx.insertInto('stand_ins').values(standIn).execute();
}

export async function updateStandIn(trx: Db, id: string, changes: Partial<StandIn>): Promise<void> {
  await trx.updateTable('stand_ins').set(changes).where('id', '=', id).execute();
}

export const listStandInsOf = (db: Db, ownerId: string): Promise<StandIn[]> =>
  db.selectFrom('stand_ins').selectAll().where('owner_id', '=', ownerId).execute();

/** Whoever is suspended or deleted at this moment waits, and ends what is stored until then. */
export async function lockAccounts(trx: Db, ids: readonly string[]): Promise<void> {
  await trx
    .selectFrom('users')
    .select('id')
    .where('id', ...among(trx, ids))
    .orderBy('id')
    .forShare()
    .execute();
}

export async function findOwnerOf(db: Db, id: string): Promise<string | undefined> {
  return (await db.selectFrom('stand_ins').select('owner_id').where('id', '=', id).executeTakeFirst())?.owner_id;
}

/** What decides to which label the tasks of these stand-ins belong, by their ids. */
export async function listLabels(db: Db, standIns: readonly StandIn[]) {
  const ids = standIns.flatMap(({ task_id }) => task_id ?? []);
  const rows = await db
    .selectFrom('tasks')
    .select(['id', 'kind', 'ladder_label'])
    .where('id', ...among(db, ids))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** For one of the two people, locked until the transaction ends. */
export const lockStandIn = (trx: Db, id: string, userId: string): Promise<StandIn | undefined> =>
  trx
    .selectFrom('stand_ins')
    .selectAll()
    .where('id', '=', id)
    .where(({ eb, or }) => or([eb('owner_id', '=', userId), eb('person_id', '=', userId)]))
    .forNoKeyUpdate()
    .executeTakeFirst();

export type ListedStandIn = Awaited<ReturnType<typeof listStandIns>>[number];

/** Those that the person asked for, and those that they were asked to be. Who is left out of a task is not told so. */
export const listStandIns = (db: Db, userId: string) =>
  db
    .selectFrom('stand_ins')
    .innerJoin('users as owner', 'owner.id', 'stand_ins.owner_id')
    .innerJoin('users as person', 'person.id', 'stand_ins.person_id')
    .leftJoin('spaces', 'spaces.id', 'stand_ins.space_id')
    .leftJoin('tasks', 'tasks.id', 'stand_ins.task_id')
    .selectAll('stand_ins')
    .select(['owner.display_name as owner_name', 'person.display_name as person_name', 'spaces.name as space_name'])
    .select([
      'tasks.title as task_title',
      'tasks.space_id as task_space_id',
      'tasks.accepted_by_owner as task_accepted',
    ])
    .where(({ eb, or, and }) =>
      or([
        eb('stand_ins.owner_id', '=', userId),
        and([eb('stand_ins.person_id', '=', userId), eb('stand_ins.from_rung', 'is not', null)]),
      ]),
    )
    .where(sql<boolean>`(stand_ins.agreed_at is null or ${standInCounts('stand_ins')})`)
    .orderBy('stand_ins.asked_at')
    .orderBy('stand_ins.id')
    .execute();

/** A stand-in whose agreement counts, or a person whom the owner leaves out of a task. */
export type CountingStandIn = Awaited<ReturnType<typeof listCounting>>[number];

export const listCounting = (db: Db, ownerIds: readonly string[]) => counting(db, idsParameter(db, ownerIds));

const counting = prepared((db, ownerIds: unknown) =>
  db
    .selectFrom('stand_ins')
    .selectAll()
    .where('owner_id', ...amongParameter(db, ownerIds))
    .where(sql<boolean>`(stand_ins.from_rung is null or ${standInCounts('stand_ins')})`),
);

/** Which of these people are in which of these spaces, as "space person". */
export async function listMemberships(db: Db, spaceIds: readonly string[], userIds: readonly string[]) {
  if (spaceIds.length === 0 || userIds.length === 0) return new Set<string>();
  const rows = await db
    .selectFrom('space_members')
    .select(['space_id', 'user_id'])
    .where('space_id', ...among(db, spaceIds))
    .where('user_id', ...among(db, userIds))
    .execute();
  return new Set(rows.map(({ space_id, user_id }) => `${space_id} ${user_id}`));
}

/** The stand-ins of a person in either role, in one space or in all. */
export async function listEnding(trx: Db, userId: string, spaceId?: string): Promise<StandIn[]> {
  const own = trx
    .selectFrom('stand_ins')
    .selectAll()
    .where(({ eb, or }) => or([eb('owner_id', '=', userId), eb('person_id', '=', userId)]));
  return (spaceId === undefined ? own : own.where('space_id', '=', spaceId)).orderBy('id').forNoKeyUpdate().execute();
}

/** Ends agreements: what waits is not sent, what was shown is taken back, and nothing of them is left. */
export async function endStandIns(trx: Db, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  await silence(trx, sql`stand_in_id in (${sql.join(ids)})`);
  await settleAsks(trx, ids, now);
  await trx
    .deleteFrom('stand_ins')
    .where('id', ...among(trx, ids))
    .execute();
}

/** The person is left out of the task: what they were told of it is taken back, and they do not see it any more. */
export async function forgetReached(trx: Db, taskId: string, personId: string): Promise<void> {
  await silenceTask(trx, taskId, personId);
  await trx.deleteFrom('stand_in_tasks').where('task_id', '=', taskId).where('person_id', '=', personId).execute();
}

/** Takes back what one person was told about one task. */
export async function silenceTask(trx: Db, taskId: string, personId: string): Promise<void> {
  await silence(trx, sql`task_id = ${taskId} and person_id = ${personId}`);
}

async function silence(trx: Db, which: ReturnType<typeof sql>): Promise<void> {
  const toPerson = sql`(task_id, recipient_id) in (select task_id, person_id from stand_in_tasks where ${which})`;
  await sql`
    update deliveries set status = 'cancelled', waits_for = null
    where status = 'pending' and kind = 'nudge' and ${toPerson}`.execute(trx);
  await sql`
    insert into deliveries (entry_id, target_id, kind, task_id, recipient_id, run, nudge, provider, server, stage, tier,
      status, waits_for, attempts, next_attempt_at, created_at)
    select entry_id, target_id, 'retract', task_id, recipient_id, run, nudge, provider, server, stage, tier,
      'pending', 'capacity', 0, ${DUE_NOW}, created_at
    from deliveries where kind = 'nudge' and ref is not null and ${toPerson}
    on conflict (entry_id, target_id, kind) do nothing`.execute(trx);
}

/** The question was answered or taken back. */
export async function settleAsks(trx: Db, ids: readonly string[], now: Date): Promise<void> {
  const messages = sql`select id from request_messages where stand_in_id in (${sql.join(ids)})`;
  await sql`
    update deliveries set status = 'cancelled', waits_for = null
    where status = 'pending' and kind = 'request' and entry_id in (${messages})`.execute(trx);
  await sql`
    insert into deliveries (entry_id, target_id, kind, task_id, recipient_id, run, nudge, provider, server, stage, tier,
      status, waits_for, attempts, next_attempt_at, created_at)
    select entry_id, target_id, 'request_retract', task_id, recipient_id, run, nudge, provider, server, stage, tier,
      'pending', 'capacity', 0, ${DUE_NOW}, created_at
    from deliveries where kind = 'request' and ref is not null and entry_id in (${messages})
    on conflict (entry_id, target_id, kind) do nothing`.execute(trx);
  await sql`
    update request_messages set due_at = null, settled_at = ${now}
    where stand_in_id in (${sql.join(ids)}) and kind = 'stand_in_asked' and settled_at is null`.execute(trx);
}

export const listOfTask = (db: Db, taskId: string): Promise<StandIn[]> =>
  db.selectFrom('stand_ins').selectAll().where('task_id', '=', taskId).orderBy('id').execute();

/** The names of these people, what decides when they can be told, and how far the task has reached them. */
export async function listPeople(db: Db, taskId: string, ids: readonly string[]) {
  const rows = await db
    .selectFrom('users')
    .leftJoin('stand_in_tasks as reached', (join) =>
      join.onRef('reached.person_id', '=', 'users.id').on('reached.task_id', '=', taskId),
    )
    .select(['users.id', 'users.display_name', ...PLAN_SETTINGS])
    .select(['reached.run', 'reached.told_at', 'reached.seen_at', 'reached.settled_at'])
    .where('users.id', ...among(db, ids))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** The stand-in has reacted: what they were told falls to no further tier. */
export async function answerDeliveries(trx: Db, taskId: string, personId: string, at: Date): Promise<void> {
  await sql`
    update deliveries set acked_at = ${at}, answered_nudge = (select nudge_count from tasks where id = ${taskId})
    where task_id = ${taskId} and recipient_id = ${personId} and kind = 'nudge' and acked_at is null
      and run = (select run from tasks where id = ${taskId}) and status <> 'pending'`.execute(trx);
  await sql`
    update deliveries set status = 'cancelled', waits_for = null
    where task_id = ${taskId} and recipient_id = ${personId} and kind = 'nudge' and status = 'pending'
      and waits_for = 'tier'`.execute(trx);
}

/** Questions between these two since then. One about the same stand-in that still waits counts as many. */
export async function countAsks(
  trx: Db,
  { id, recipient_id, other_id }: { readonly id: string; readonly recipient_id: string; readonly other_id: string },
  since: Date,
): Promise<number> {
  const asks = await trx
    .selectFrom('request_messages')
    .select(['stand_in_id', 'settled_at'])
    .where('recipient_id', '=', recipient_id)
    .where('other_id', '=', other_id)
    .where('kind', '=', 'stand_in_asked')
    .where('created_at', '>', since)
    .limit(100)
    .execute();
  const isWaiting = asks.some(({ stand_in_id, settled_at }) => stand_in_id === id && settled_at === null);
  return isWaiting ? Number.POSITIVE_INFINITY : asks.length;
}
