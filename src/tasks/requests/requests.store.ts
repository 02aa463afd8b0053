/** The SQL of the list of requests, and of the switch for messages about them. */
import { sql } from 'kysely';
import type { Db } from '../../db/schema.ts';
import { isVisibleTo } from '../visibility.sql.ts';

export type ListedRequest = Awaited<ReturnType<typeof listRequests>>[number];

/** Pending requests to the person, or from them, newest first, with the name of the other and what was told of them. */
export async function listRequests(db: Db, userId: string, direction: 'to_me' | 'from_me', limit: number) {
  const [me, other] =
    direction === 'to_me'
      ? (['tasks.owner_id', 'tasks.assigner_id'] as const)
      : (['tasks.assigner_id', 'tasks.owner_id'] as const);
  return db
    .selectFrom('tasks')
    .innerJoin('users', 'users.id', other)
    .leftJoin('spaces', 'spaces.id', 'tasks.space_id')
    .select(['tasks.id as task_id', 'tasks.space_id', 'tasks.created_at as asked_at', 'spaces.name as space_name'])
    .select(['users.id as person_id', 'users.display_name as person_name'])
    .select(({ selectFrom }) => [
      selectFrom('request_messages')
        .select(({ fn }) => fn.count<number>('sent_at').as('sent'))
        .whereRef('task_id', '=', 'tasks.id')
        .where('kind', '=', 'asked')
        .as('messages_sent'),
      selectFrom('request_messages')
        .select('due_at')
        .whereRef('task_id', '=', 'tasks.id')
        .where('kind', '=', 'asked')
        .where('due_at', 'is not', null)
        .limit(1)
        .as('next_message_at'),
      selectFrom('request_messages')
        .select(({ fn }) => fn.countAll<number>().as('told'))
        .whereRef('task_id', '=', 'tasks.id')
        .where('kind', '=', 'unanswered')
        .where('due_at', 'is', null)
        .where('settled_at', 'is', null)
        .as('unanswered'),
    ])
    .where(me, '=', userId)
    .where('tasks.status', '=', sql.lit('open'))
    .where('tasks.accepted_by_owner', '=', false)
    .where('tasks.assigner_id', 'is not', null)
    .where('users.deleted_at', 'is', null)
    .where((eb) => isVisibleTo(eb as never, { kind: 'session', userId }))
    .orderBy('tasks.created_at', 'desc')
    .orderBy('tasks.id', 'desc')
    .limit(limit)
    .execute();
}

export async function hearsRequests(db: Db, userId: string): Promise<boolean> {
  const user = db.selectFrom('users').select('hears_requests').where('id', '=', userId);
  return (await user.executeTakeFirstOrThrow()).hears_requests;
}

export async function setHearsRequests(db: Db, userId: string, isOn: boolean): Promise<void> {
  await db.updateTable('users').set({ hears_requests: isOn }).where('id', '=', userId).execute();
}
