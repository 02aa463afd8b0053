import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { expectRow, sendLater, sendTogether } from '../db/batch.ts';
import { prepared, preparedFirst, preparedInsert, preparedQuery, preparedUpdate } from '../db/prepared.ts';
import { countRows } from '../db/results.ts';
import type { Database, Db } from '../db/schema.ts';
import { PLAN_SETTINGS, type PlanSettings } from '../escalation/plan-settings.ts';
import { ownerPlanVersion, type WithOwnerVersion } from './plan-version.sql.ts';
import { type Counts, countsOf, selectCounts } from './task-counts.sql.ts';
import { hasReached, isVisibleTo } from './visibility.sql.ts';
import type { Viewer } from './visibility.ts';

type Task = Selectable<Database['tasks']>;
type Activity = Selectable<Database['live_activities']>;
type Delivery = Selectable<Database['deliveries']>;
export type Owner = PlanSettings & { readonly id: string; readonly plan_version: number };

/** The database's own clock stamps changes, so that sync misses no change that commits later. */
const changedNow = sql<Date>`crescendo_now()`;

const ownerColumns = ['id', 'plan_version', ...PLAN_SETTINGS] as const;

/** An account that is being deleted is hidden from every caller. */
const owners = (db: Db) => db.selectFrom('users').select(ownerColumns).where('deleted_at', 'is', null);

export async function findOwner(db: Db, id: string): Promise<Owner | undefined> {
  return ownerById(db, id);
}

const ownerById = preparedFirst((db, id: string) => owners(db).where('id', '=', id));

export async function listOwners(db: Db, ids: readonly string[]): Promise<Owner[]> {
  return owners(db).where('id', 'in', ids).execute();
}

/**
 * Reads the settings that decide when a task is nudged, and locks them until the transaction ends: a
 * task planned with settings that change at the same time would keep a wrong `next_fire_at`. Always
 * lock the owner before the task.
 */
export async function lockOwner(trx: Db, id: string): Promise<Owner | undefined> {
  const { rows } = await trx.executeQuery(ownerShared(trx, id));
  return rows[0];
}

/** Also reads the owner's counts. Transactions that run at the same time may each add to them. */
export async function lockOwnerOfNewTask(
  trx: Db,
  id: string,
): Promise<{ readonly owner: Owner | undefined; readonly counts: Counts | undefined }> {
  const [[owner], [counts]] = await sendTogether(trx, ownerShared(trx, id), countsOf(trx, id));
  return { owner, counts };
}

const ownerShared = preparedQuery((db, id: string) => owners(db).where('id', '=', id).forShare());

/** The highest counts with which an account needs no exact check of its limits. */
export type Room = Readonly<Record<'open' | 'stored' | 'outcomes', number>>;

/** For PostgreSQL: locks the owner without reading. The transaction fails unless owner and counts are as expected. */
export async function expectOwner(trx: Db, owner: Owner, { open, stored, outcomes }: Room): Promise<void> {
  const settings = ownerColumns.map((name) => owner[name]);
  await sendLater(trx, ownerExpected(trx, owner.id, open, stored, outcomes, ...settings));
}

const ownerExpected = preparedQuery(
  (db, id: string, open: number, stored: number, outcomes: number, ...settings: unknown[]) =>
    expectRow(
      db,
      sql`select from users where id = ${id} and deleted_at is null
        and (${sql.join(ownerColumns.map((name) => sql.ref(name)))}) is not distinct from (${sql.join(settings)})
        and exists (select from ${selectCounts(db, id).as('counts')}
          where counts.open <= ${open} and counts.stored <= ${stored} and counts.done + counts.skipped <= ${outcomes})
        for share`,
    ),
);

const tasksById = prepared((db, id: string) =>
  db.selectFrom('tasks').selectAll().select(ownerPlanVersion).where('id', '=', id),
);

export async function findTask(db: Db, id: string): Promise<(Task & WithOwnerVersion) | undefined> {
  const [task] = await tasksById(db, id);
  return task;
}

export async function lockTask(trx: Db, id: string): Promise<Task | undefined> {
  return trx.selectFrom('tasks').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/**
 * Locks the task and, before it, its owner, if the viewer sees the task. A caller who does not see it locks nothing:
 * the engine skips locked tasks, so a stranger could delay nudges. The id stays, so rows that refer to the task can be
 * added meanwhile: the engine adds messages about a request while its owner answers it.
 */
export async function lockVisibleTask(trx: Db, viewer: Viewer, id: string): Promise<LockedTask> {
  const { ownerLocked, taskLocked } = LOCKS[viewer.kind === 'link' ? 'session' : viewer.kind];
  const [owner, task, activities, messages, reached] = await sendTogether(
    trx,
    ownerLocked(trx, id, viewer.userId),
    taskLocked(trx, id, viewer.userId),
    runningActivities(trx, id),
    shownMessages(trx, id),
    reachedPeople(trx, id),
  );
  return { owner: owner[0], task: task[0], activities, messages, reached };
}

const LOCKS = { session: locksFor('session'), token: locksFor('token'), stand_in: locksFor('stand_in') };

function locksFor(kind: Viewer['kind']) {
  const visible = (db: Db, id: string, userId: string) =>
    db
      .selectFrom('tasks')
      .where('id', '=', id)
      .where((eb) => (kind === 'stand_in' ? hasReached(userId) : isVisibleTo(eb, { kind, userId })));
  return {
    ownerLocked: preparedQuery((db, id: string, userId: string) =>
      owners(db)
        .where('id', '=', visible(db, id, userId).select('owner_id'))
        .forShare(),
    ),
    taskLocked: preparedQuery((db, id: string, userId: string) => visible(db, id, userId).selectAll().forNoKeyUpdate()),
  };
}

/** The Live Activities that show the task. They do not change while the task is locked. */
const runningActivities = preparedQuery((db, taskId: string) =>
  db
    .selectFrom('live_activities')
    .select(['id', 'token', 'push_env'])
    .where('task_id', '=', taskId)
    .where('ended_at', 'is', null),
);

/** The channels that show a message about the task which can be taken back. */
const shownMessages = preparedQuery((db, taskId: string) =>
  db
    .selectFrom('deliveries')
    .select(['target_id', 'recipient_id', 'provider'])
    .select(({ fn }) => fn.max('server').as('server'))
    .where('task_id', '=', taskId)
    .where('kind', '=', sql.lit('nudge'))
    .where('ref', 'is not', null)
    .groupBy(['target_id', 'recipient_id', 'provider']),
);

/** The stand-ins whom the task has reached. */
const reachedPeople = preparedQuery((db, taskId: string) =>
  db.selectFrom('stand_in_tasks').select(['person_id', 'run', 'settled_at']).where('task_id', '=', taskId),
);

export interface LockedTask {
  readonly owner: Owner | undefined;
  readonly task: Task | undefined;
  readonly activities: readonly Pick<Activity, 'id' | 'token' | 'push_env'>[];
  readonly messages: readonly Pick<Delivery, 'target_id' | 'recipient_id' | 'provider' | 'server'>[];
  readonly reached: readonly Pick<Selectable<Database['stand_in_tasks']>, 'person_id' | 'run' | 'settled_at'>[];
}

const taskInserted = preparedInsert('tasks', { changed_at: changedNow });

export async function insertTask(trx: Db, task: Omit<Insertable<Database['tasks']>, 'changed_at'>): Promise<void> {
  await sendLater(trx, taskInserted(trx, task));
}

const taskUpdated = preparedUpdate((db, id, changes: Updateable<Database['tasks']>) =>
  db
    .updateTable('tasks')
    .set({ ...changes, changed_at: changedNow })
    .where('id', '=', id),
);

export async function updateTask(trx: Db, id: string, changes: Updateable<Database['tasks']>): Promise<void> {
  await sendLater(trx, taskUpdated(trx, id, changes));
}

/** Serialises the requests of one assigner, so that each of them is counted before the next. */
export async function lockAssigner(trx: Db, id: string): Promise<void> {
  // `for no key update` still lets others insert rows that refer to the assigner. With `for update`, this
  // transaction would deadlock with the deletion of the owner's account, which records removals for the assigner.
  await trx.selectFrom('users').select('id').where('id', '=', id).forNoKeyUpdate().execute();
}

export async function countPendingRequests(
  db: Db,
  assignerId: string,
  ownerId: string,
  where: 'in spaces' | 'outside spaces',
): Promise<number> {
  return countRows(
    db
      .selectFrom('tasks')
      .where('assigner_id', '=', assignerId)
      .where('owner_id', '=', ownerId)
      .where('status', '=', sql.lit('open'))
      .where('accepted_by_owner', '=', false)
      .where('space_id', where === 'in spaces' ? 'is not' : 'is', null),
  );
}

/** Counts the open tasks created with the token. Locks the token, so that concurrent counts run one after another. */
export async function countOpenTasksOfToken(trx: Db, tokenId: string): Promise<number> {
  await trx.selectFrom('access_tokens').select('id').where('id', '=', tokenId).forUpdate().execute();
  return countRows(
    trx.selectFrom('tasks').where('created_by_token', '=', tokenId).where('status', '=', sql.lit('open')),
  );
}
