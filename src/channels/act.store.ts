import type { Insertable } from 'kysely';
import { preparedFirst } from '../db/prepared.ts';
import type { Database, Db } from '../db/schema.ts';
import { newestNudge } from '../deliveries/newest-nudge.sql.ts';

/** What tells whether the message went to the address that its channel has now (`linked-address.ts`). */
const ADDRESS_COLUMNS = [
  'channels.address',
  'channels.address_hash',
  'channels.verified_at',
  'users.email',
  'deliveries.next_attempt_at',
] as const;

export type LinkedNudge = NonNullable<Awaited<ReturnType<typeof findLinkedNudge>>>;

/** The nudge of a link, with its task and its channel. Undefined once the channel is removed. */
export async function findLinkedNudge(
  db: Db,
  { entryId, channelId }: { readonly entryId: string; readonly channelId: string },
) {
  return db
    .selectFrom('deliveries')
    .innerJoin('timeline', 'timeline.id', 'deliveries.entry_id')
    .innerJoin('tasks', 'tasks.id', 'deliveries.task_id')
    .innerJoin('channels', 'channels.id', 'deliveries.target_id')
    .innerJoin('users', 'users.id', 'deliveries.recipient_id')
    .select(['deliveries.entry_id', 'deliveries.target_id', 'deliveries.task_id', 'deliveries.provider'])
    .select('deliveries.recipient_id')
    .select(['deliveries.stage', 'deliveries.tier', 'deliveries.acked_at', 'deliveries.run', 'deliveries.nudge'])
    .select('timeline.at')
    .select([
      'timeline.occurrence_due_at',
      'tasks.owner_id',
      'tasks.title',
      'channels.private_title',
      'users.suspended_at',
    ])
    .select(ADDRESS_COLUMNS)
    .where('deliveries.entry_id', '=', entryId)
    .where('deliveries.target_id', '=', channelId)
    .where('deliveries.kind', '=', 'nudge')
    .executeTakeFirst();
}

export type LinkedMessage = NonNullable<Awaited<ReturnType<typeof findLinkedMessage>>>;

/** The message about a request of a link, with its channel. */
export async function findLinkedMessage(
  db: Db,
  { entryId, channelId }: { readonly entryId: string; readonly channelId: string },
) {
  return db
    .selectFrom('deliveries')
    .innerJoin('channels', 'channels.id', 'deliveries.target_id')
    .innerJoin('users', 'users.id', 'channels.user_id')
    .select(['deliveries.entry_id', 'deliveries.target_id', 'deliveries.provider', 'deliveries.created_at'])
    .select(['channels.user_id as owner_id', 'channels.private_title'])
    .select(ADDRESS_COLUMNS)
    .where('deliveries.entry_id', '=', entryId)
    .where('deliveries.target_id', '=', channelId)
    .where('deliveries.kind', '=', 'request')
    .executeTakeFirst();
}

/** Finds deliveries by the provider's id of the message, newest first. */
export async function findByRef(db: Db, provider: string, ref: string) {
  return deliveryOfRef(db, provider, ref);
}

const deliveryOfRef = preparedFirst((db, provider: string, ref: string) =>
  db
    .selectFrom('deliveries')
    .select([
      'entry_id',
      'target_id',
      'task_id',
      'recipient_id',
      'run',
      'nudge',
      'stage',
      'tier',
      'status',
      'confirmed_at',
    ])
    .where('ref', '=', ref)
    .where('provider', '=', provider)
    .where('kind', '=', 'nudge')
    .orderBy('entry_id', 'desc')
    .limit(1),
);

interface DeliveryKey {
  readonly entry_id: string;
  readonly target_id: string;
}

/** False if somebody acknowledged it before. */
export async function setAnswered(
  trx: Db,
  { entry_id, target_id }: DeliveryKey,
  column: 'acked_at' | 'confirmed_at',
  at: Date,
): Promise<boolean> {
  const updated = await trx
    .updateTable('deliveries')
    .set({ [column]: at, answered_nudge: newestNudge })
    .where('entry_id', '=', entry_id)
    .where('target_id', '=', target_id)
    .where('kind', '=', 'nudge')
    .where(column, 'is', null)
    .executeTakeFirst();
  return updated.numUpdatedRows > 0n;
}

/** For a message that the provider accepted first and then reported as not delivered. */
export async function setUndelivered(trx: Db, { entry_id, target_id }: DeliveryKey, reason: string): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ status: 'failed_permanent', reason })
    .where('entry_id', '=', entry_id)
    .where('target_id', '=', target_id)
    .where('kind', '=', 'nudge')
    .execute();
}

export async function findOutcome(db: Db, taskId: string, occurrenceDueAt: Date | null): Promise<string | undefined> {
  const outcomes = db.selectFrom('outcomes').select('outcome').where('task_id', '=', taskId);
  const of =
    occurrenceDueAt === null
      ? outcomes.where('occurrence_due_at', 'is', null)
      : outcomes.where('occurrence_due_at', '=', occurrenceDueAt);
  return (await of.orderBy('recorded_at', 'desc').limit(1).executeTakeFirst())?.outcome;
}

export async function insertEntry(trx: Db, entry: Insertable<Database['timeline']>): Promise<void> {
  await trx.insertInto('timeline').values(entry).execute();
}
