/** Reads what messages about requests depend on: the message, its task, and the two people. */
import { sql } from 'kysely';
import { prepared } from '../db/prepared.ts';
import { amongParameter, idsParameter } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';
import { PLAN_SETTINGS } from '../escalation/plan-settings.ts';
import { isTrue, type RequestToTell } from '../tasks/requests/request-messages.ts';
import { standInCounts } from '../tasks/visibility.sql.ts';

type Row = Awaited<ReturnType<typeof readRows>>[number];

export async function listTaskRequests(db: Db, ids: readonly string[]): Promise<RequestToTell[]> {
  return (await readRows(db, idsParameter(db, ids))).map(toRequest);
}

const readRows = prepared((db, ids: unknown) =>
  db
    .selectFrom('request_messages as message')
    .innerJoin('tasks', 'tasks.id', 'message.task_id')
    .innerJoin('users', 'users.id', 'message.recipient_id')
    .innerJoin('users as other', 'other.id', 'message.other_id')
    .leftJoin('spaces', 'spaces.id', 'tasks.space_id')
    .select(['message.id', 'tasks.id as task_id', 'message.recipient_id', 'message.other_id', 'message.settled_at'])
    .select('message.created_at as message_created_at')
    .select(['message.kind as message_kind', 'message.repeat'])
    .select(['tasks.status', 'tasks.accepted_by_owner', 'tasks.assigner_id', 'tasks.owner_id', 'tasks.space_id'])
    .select(['tasks.run', 'tasks.nudge_count', 'tasks.title', 'tasks.has_time', 'tasks.due_at', 'tasks.due_written'])
    .select(PLAN_SETTINGS.map((name) => `users.${name}` as const))
    .select(['users.hears_requests', 'users.deleted_at'])
    .select(['other.display_name', 'other.suspended_at as other_suspended_at', 'other.deleted_at as other_deleted_at'])
    .select('spaces.name as space_name')
    .select(
      sql<number>`(select count(*) from space_members where space_members.space_id = tasks.space_id
        and space_members.user_id in (message.recipient_id, message.other_id))`.as('members'),
    )
    .select(
      sql<number>`(select count(*) from stand_in_tasks
        inner join stand_ins as agreement on agreement.id = stand_in_tasks.stand_in_id
        where stand_in_tasks.task_id = tasks.id and stand_in_tasks.person_id = message.recipient_id
          and ${standInCounts('agreement')})`.as('reached'),
    )
    .where('message.id', ...amongParameter(db, ids)),
);

function toRequest(row: Row): RequestToTell {
  const { id, task_id, recipient_id, other_id, settled_at, message_kind: kind, repeat } = row;
  const facts = {
    message: { id, task_id, recipient_id, other_id, settled_at, kind, repeat, created_at: row.message_created_at },
    task: row,
    recipient: row,
    other: { display_name: row.display_name, suspended_at: row.other_suspended_at, deleted_at: row.other_deleted_at },
    areMembers: Number(row.members) === 2,
    isReached: row.owner_id === recipient_id || Number(row.reached) > 0,
  };
  return { id, recipientId: recipient_id, ...facts, spaceName: row.space_name, isTrue: isTrue(facts) };
}
