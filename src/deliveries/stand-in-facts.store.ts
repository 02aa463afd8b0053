/**
 * Reads messages that ask a person to stand in, or say that they agreed. They are sent like messages about requests; in
 * place of a task they name what was asked for. The title of a task is named only if the person reads it in its space.
 */
import { sql } from 'kysely';
import { prepared } from '../db/prepared.ts';
import { amongParameter, idsParameter } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';
import { PLAN_SETTINGS } from '../escalation/plan-settings.ts';
import { words } from '../lib/words.ts';
import type { RequestToTell } from '../tasks/requests/request-messages.ts';

export async function listStandInsToTell(db: Db, ids: readonly string[]): Promise<RequestToTell[]> {
  return (await readRows(db, idsParameter(db, ids))).map(toRequest);
}

type Row = Awaited<ReturnType<typeof readRows>>[number];

/** Without a stand-in, the message is not true any more, and can still be taken back. */
const readRows = prepared((db, ids: unknown) =>
  db
    .selectFrom('request_messages as message')
    .innerJoin('users', 'users.id', 'message.recipient_id')
    .innerJoin('users as other', 'other.id', 'message.other_id')
    .leftJoin('stand_ins', 'stand_ins.id', 'message.stand_in_id')
    .leftJoin('spaces', 'spaces.id', 'stand_ins.space_id')
    .leftJoin('tasks', 'tasks.id', 'stand_ins.task_id')
    .select(['message.id', 'message.stand_in_id', 'message.recipient_id', 'message.other_id', 'message.settled_at'])
    .select('message.created_at')
    .select(['message.kind', 'message.repeat', 'stand_ins.owner_id', 'stand_ins.person_id', 'stand_ins.agreed_at'])
    .select(['stand_ins.label', 'stand_ins.task_id', 'stand_ins.from_rung', 'stand_ins.space_id', 'tasks.title'])
    .select(['tasks.space_id as task_space_id', 'tasks.accepted_by_owner'])
    .select(PLAN_SETTINGS.map((name) => `users.${name}` as const))
    .select(['users.hears_requests', 'users.deleted_at'])
    .select(['other.display_name', 'other.suspended_at as other_suspended_at', 'other.deleted_at as other_deleted_at'])
    .select('spaces.name as space_name')
    .select(
      sql<number>`(select count(*) from space_members where space_members.space_id = stand_ins.space_id
        and space_members.user_id in (message.recipient_id, message.other_id))`.as('members'),
    )
    .where('message.id', ...amongParameter(db, ids))
    .where('message.task_id', 'is', null),
);

function toRequest(row: Row): RequestToTell {
  const { id, recipient_id: recipientId, other_id, settled_at, kind, repeat } = row;
  const message = {
    id,
    task_id: row.stand_in_id ?? id,
    recipient_id: recipientId,
    other_id,
    settled_at,
    kind,
    repeat,
    created_at: row.created_at,
  };
  const areMembers = Number(row.members) === 2;
  const isGone = [row.deleted_at, row.other_deleted_at, settled_at].some((at) => at !== null);
  const isAnswered =
    kind === 'stand_in_asked' ? row.agreed_at === null && row.from_rung !== null : row.agreed_at !== null;
  return {
    id,
    recipientId,
    message,
    task: {
      ...NO_TASK,
      owner_id: row.owner_id ?? other_id,
      title: whatFor(row),
    },
    recipient: row,
    other: { display_name: row.display_name, suspended_at: row.other_suspended_at, deleted_at: row.other_deleted_at },
    spaceName: row.space_name,
    areMembers,
    isReached: false,
    isTrue: !isGone && areMembers && row.stand_in_id !== null && isAnswered,
  };
}

const NO_TASK = {
  status: 'open',
  accepted_by_owner: false,
  assigner_id: null,
  space_id: null,
  run: 0,
  nudge_count: 0,
  has_time: false,
  due_at: null,
  due_written: null,
};

function whatFor({ label, task_id, title, task_space_id, space_id, accepted_by_owner, recipient_id, owner_id }: Row) {
  const { standIn } = words;
  if (label !== null) return standIn.label(label);
  if (task_id === null) return standIn.everything;
  const isReadable = recipient_id === owner_id || (accepted_by_owner === true && task_space_id === space_id);
  return isReadable && title !== null ? title : standIn.task;
}
