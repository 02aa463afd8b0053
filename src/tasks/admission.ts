/** Into which space a task may go, and how many of them one person or one access token may bring about. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Caller } from '../lib/caller.ts';
import { AppError } from '../lib/errors.ts';
import type { Relation } from '../spaces/visibility.ts';
import type { Task } from './task-state.ts';
import { countOpenOfToken, countPendingRequests, holdMembership } from './tasks.store.ts';

const MOST_PENDING = 20;

/** A task goes only into a space where the caller and whoever it concerns are members. */
export async function admitToSpace(
  trx: Kysely<Database>,
  caller: Caller,
  concernedId: string,
  spaceId: string | null,
): Promise<void> {
  if (spaceId === null) return;
  if (!(await holdMembership(trx, spaceId, caller.userId))) {
    throw new AppError('not_found', { sentence: 'There is no such space.' });
  }
  if (await holdMembership(trx, spaceId, concernedId)) return;
  throw new AppError('not_allowed', { sentence: 'That person is no member of the space.' });
}

/** An accepted task is its owner's to share; a request goes only where both are members. */
export async function admitMove(
  trx: Kysely<Database>,
  caller: Caller,
  task: Task,
  relation: Relation,
  spaceId: string | null,
): Promise<void> {
  if (relation !== 'owner' && task.accepted_by_owner) throw new AppError('not_allowed');
  await admitToSpace(trx, caller, task.owner_id, spaceId);
  if (!task.accepted_by_owner) await admitToSpace(trx, caller, task.assigner_id ?? task.owner_id, spaceId);
}

type Asked = Pick<Task, 'status' | 'accepted_by_owner' | 'assigner_id' | 'owner_id' | 'space_id'>;

/** A request to somebody with whom no space is shared for it. */
export const isRequestOutside = ({ status, accepted_by_owner, space_id, assigner_id }: Asked): boolean =>
  status === 'open' && !accepted_by_owner && space_id === null && assigner_id !== null;

/** Nobody is buried in requests: however one comes to be, there are only so many from one person to another. */
export async function refuseTooManyRequests(trx: Kysely<Database>, task: Asked): Promise<void> {
  if (!isRequestOutside(task) || task.assigner_id === null) return;
  if ((await countPendingRequests(trx, task.assigner_id, task.owner_id)) < MOST_PENDING) return;
  throw new AppError('too_many_pending', { retryAfterSeconds: 3_600 });
}

type Made = Pick<Task, 'created_by_token'>;

/** A token with a limit never has more of its own tasks open, whether it creates one or takes back the end of one. */
export async function refuseTooManyOpen(trx: Kysely<Database>, task: Made, caller: Caller): Promise<void> {
  if (caller.kind !== 'token' || caller.maxOpenTasks === null || task.created_by_token !== caller.tokenId) return;
  if ((await countOpenOfToken(trx, caller.tokenId)) < caller.maxOpenTasks) return;
  throw new AppError('too_many_open_tasks', { retryAfterSeconds: 3_600 });
}
