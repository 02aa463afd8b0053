import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Gives runs and nudges a number, and deliveries their recipient and what they wait for. Before, runs were told apart
 * by comparing dates. The present run of each task becomes number 1, and the deliveries of earlier runs get number 0.
 */
export const runs: Migration = {
  async up(db: Kysely<unknown>) {
    const { schema } = db;
    await schema
      .alterTable('tasks')
      .addColumn('run', 'integer', (column) => column.notNull().defaultTo(1))
      .execute();
    for (const name of ['run', 'nudge']) await schema.alterTable('timeline').addColumn(name, 'integer').execute();
    await schema.alterTable('channels').addColumn('last_mail_entry_id', 'uuid').execute();
    await sql`update channels set last_mail_entry_id = (
        select entry_id from deliveries where deliveries.target_id = channels.id and deliveries.kind = 'nudge'
          and deliveries.created_at = channels.last_mail_at limit 1)
      where last_mail_at is not null`.execute(db);
    await createDeliveries(db);
    await copyDeliveries(db);
    await schema.dropTable('deliveries').execute();
    await schema.alterTable('new_deliveries').renameTo('deliveries').execute();
    await createIndexes(db);
  },
};

/** As a new table, because SQLite cannot forbid null in a column that exists. */
async function createDeliveries({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('new_deliveries')
    .addColumn('entry_id', 'uuid', (column) => column.notNull())
    .addColumn('target_id', 'uuid', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('task_id', 'uuid', (column) => column.notNull())
    .addColumn('recipient_id', 'uuid', (column) => column.notNull())
    .addColumn('run', 'integer', (column) => column.notNull())
    .addColumn('nudge', 'integer', (column) => column.notNull())
    .addColumn('provider', 'text', (column) => column.notNull())
    .addColumn('stage', 'integer', (column) => column.notNull())
    .addColumn('tier', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('waits_for', 'text')
    .addColumn('fell_because', 'text')
    .addColumn('reason', 'text')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_attempt_at', 'timestamptz', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull())
    .addColumn('sent_at', 'timestamptz')
    .addColumn('acked_at', 'timestamptz')
    .addColumn('confirmed_at', 'timestamptz')
    .addColumn('answered_nudge', 'integer')
    .addColumn('ref', 'text')
    .addPrimaryKeyConstraint('deliveries_by_entry', ['entry_id', 'target_id', 'kind'])
    .execute();
}

/** Counted back from the number of nudges that the task has had. */
const nudgeNumber = (later: ReturnType<typeof sql>) => sql`tasks.nudge_count - (
  select count(*) from timeline where timeline.task_id = tasks.id and timeline.kind = 'nudge' and ${later})`;

/** Pushes that end a run belong to the ended run, although they have the date of the next one. */
const isOfPresentRun = sql`old.created_at >= tasks.run_started_at and old.kind not in ('retract', 'activity_end')`;

const answeredAt = sql`case when old.confirmed_at is null or old.acked_at > old.confirmed_at
  then old.acked_at else old.confirmed_at end`;

async function copyDeliveries(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into new_deliveries (entry_id, target_id, kind, task_id, recipient_id, run, nudge, provider, stage, tier,
      status, waits_for, fell_because, reason, attempts, next_attempt_at, created_at, sent_at, acked_at, confirmed_at,
      answered_nudge, ref)
    select old.entry_id, old.target_id, old.kind, old.task_id, coalesce(old.owner_id, tasks.owner_id),
      case when ${isOfPresentRun} then 1 else 0 end,
      case when ${isOfPresentRun} then ${nudgeNumber(sql`timeline.id > old.entry_id`)} else 0 end,
      old.provider, old.stage, old.tier, old.status,
      case when old.status <> 'pending' then null
        when old.reason = 'held' then 'hold'
        when old.reason = 'suspended' then 'suspension'
        when old.reason = 'unanswered' then 'tier'
        when old.reason = 'failed_before' then 'capacity'
        when old.reason is not null or old.attempts > 0 then 'retry'
        else 'capacity' end,
      case old.reason when 'unanswered' then 'unanswered' when 'failed_before' then 'failed' end,
      old.reason, old.attempts, old.next_attempt_at, old.created_at, old.sent_at, old.acked_at, old.confirmed_at,
      case when ${isOfPresentRun} and ${answeredAt} is not null
        then ${nudgeNumber(sql`timeline.at > ${answeredAt}`)} end,
      old.ref
    from deliveries as old inner join tasks on tasks.id = old.task_id where true`.execute(db);
}

async function createIndexes(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.createIndex('deliveries_task').on('deliveries').columns(['task_id', 'stage', 'entry_id']).execute();
  await sql`create index deliveries_due on deliveries (provider, next_attempt_at, recipient_id)
    where status = 'pending'`.execute(db);
  await sql`create index deliveries_open on deliveries (task_id) where status = 'pending'`.execute(db);
  await sql`create index deliveries_acked on deliveries (task_id, stage) where acked_at is not null`.execute(db);
  // Only channels have a reference, so the indexes cost a push to a device nothing.
  await sql`create index deliveries_ref on deliveries (ref) where ref is not null`.execute(db);
  await sql`create index deliveries_shown on deliveries (task_id) where ref is not null`.execute(db);
}
