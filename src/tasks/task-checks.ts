/** Checks before a task is stored: may it go into its space, and are the limits on requests and open tasks kept? */
import type { Db } from '../db/schema.ts';
import { lockUntilCommit } from '../db/transact.ts';
import type { Caller, TaskCaller } from '../lib/caller.ts';
import { AppError } from '../lib/errors.ts';
import { getCounts } from './outcomes.store.ts';
import { lockMembership } from './space-tasks.store.ts';
import type { Counts } from './task-counts.sql.ts';
import type { Task } from './task-state.ts';
import { countOpenTasksOfToken, countPendingRequests, type Room } from './tasks.store.ts';
import { mayBreakQuietHours } from './token-limits.ts';
import type { Relation } from './visibility.ts';

/**
 * Far more than a household has in its spaces, and so few that a member cannot use up another's limit of open tasks.
 */
const MAX_PENDING = { 'outside spaces': 20, 'in spaces': 500 };
const RETRY_AFTER_SECONDS = 3_600;

/** Both the caller and the other person must be members of the space. */
export async function checkSpaceMembers(
  trx: Db,
  caller: Caller,
  otherId: string,
  spaceId: string | null,
): Promise<void> {
  if (spaceId === null) return;
  if (!(await lockMembership(trx, spaceId, caller.userId))) {
    throw new AppError('not_found', { sentence: 'There is no such space.' });
  }
  if (await lockMembership(trx, spaceId, otherId)) return;
  throw new AppError('not_allowed', { sentence: 'That person is not a member of the space.' });
}

/**
 * Only its owner moves an accepted task to another space, or a request out of all spaces. In a space, a request needs
 * owner and assigner as members.
 */
export async function checkSpaceChange(
  trx: Db,
  caller: Caller,
  task: Task,
  relation: Relation,
  spaceId: string | null,
): Promise<void> {
  if (relation !== 'owner' && (task.accepted_by_owner || spaceId === null)) throw new AppError('not_allowed');
  await checkSpaceMembers(trx, caller, task.owner_id, spaceId);
  if (!task.accepted_by_owner) await checkSpaceMembers(trx, caller, task.assigner_id ?? task.owner_id, spaceId);
}

/** The assigner of an accepted task keeps their say in another space only as a member there, and outside of it never. */
export async function losesAssigner(trx: Db, task: Task, spaceId: string | null): Promise<boolean> {
  if (task.assigner_id === null || !task.accepted_by_owner) return false;
  return spaceId === null || !(await lockMembership(trx, spaceId, task.assigner_id));
}

type RequestFields = Pick<Task, 'status' | 'accepted_by_owner' | 'assigner_id' | 'owner_id' | 'space_id'>;

/** Whether a pending request counts in spaces or outside of them; undefined for every other task. */
export function requestPlaceOf({ status, accepted_by_owner, space_id, assigner_id }: RequestFields) {
  if (status !== 'open' || accepted_by_owner || assigner_id === null) return undefined;
  return space_id === null ? 'outside spaces' : 'in spaces';
}

/** Limits the pending requests from one person to another, so that one cannot flood the other. */
export async function checkRequestLimit(trx: Db, task: RequestFields): Promise<void> {
  const place = requestPlaceOf(task);
  if (place === undefined || task.assigner_id === null) return;
  if ((await countPendingRequests(trx, task.assigner_id, task.owner_id, place)) < MAX_PENDING[place]) return;
  throw new AppError('too_many_pending', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

/** Limits the open tasks of a token. Applies when the token creates a task or reopens one, whoever created it. */
export async function checkTokenLimit(trx: Db, caller: TaskCaller): Promise<void> {
  if (caller.kind !== 'token' || caller.maxOpenTasks === null) return;
  if ((await countOpenTasksOfToken(trx, caller.tokenId)) < caller.maxOpenTasks) return;
  throw new AppError('too_many_open_tasks', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

type QuietHours = Pick<Task, 'break_quiet_hours' | 'accepted_by_owner'>;

/** A task that breaks quiet hours already may go on doing so. Only its owner decides what may wake them. */
export function checkQuietHours(
  caller: Caller,
  relation: Relation,
  before: QuietHours,
  after: boolean | undefined,
): void {
  if (before.break_quiet_hours || !after) return;
  if (relation !== 'owner' && before.accepted_by_owner) throw new AppError('not_allowed');
  if (mayBreakQuietHours(caller)) return;
  throw new AppError('not_allowed', { sentence: QUIET_TOKEN });
}

/** Taking it back is open to every token. */
export function checkMayRing(caller: Caller, at: Date | null): void {
  if (at !== null && !mayBreakQuietHours(caller)) throw new AppError('not_allowed', { sentence: QUIET_TOKEN });
}

const QUIET_TOKEN = 'An access token with a max_stage below 2 makes no task break quiet hours.';

/** More than the requests of one account that run at the same time can add. */
const NEAR_LIMIT = 1_000;
/** More than a person makes in twenty years, so that closed tasks, which are kept for ever, have a bound too. */
const STORED_PER_OPEN = 5;
const OUTCOMES_PER_OPEN = 20;

/**
 * Checks the limits before tasks are stored or reopened. Far from a limit, the writes of an account do not wait for
 * each other; near it, each waits for the one before, so that the limit is exact.
 */
export async function checkStoredTasks(
  trx: Db,
  ownerId: string,
  added: Partial<Counts>,
  maxOpen: number,
  counts?: Counts,
): Promise<void> {
  const roughly = counts ?? (await getCounts(trx, ownerId));
  if (!findExceeded(roughly, added, maxOpen - NEAR_LIMIT)) return;
  await lockUntilCommit(trx, `tasks of ${ownerId}`);
  const exceeded = findExceeded(await getCounts(trx, ownerId), added, maxOpen);
  if (!exceeded) return;
  if (exceeded === 'too_many_tasks') throw new AppError(exceeded);
  throw new AppError(exceeded, {
    sentence: `An account can have ${maxOpen} open tasks. Close some of them first.`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** The highest counts with which an account stays far from every limit after adding this. */
export function roomFor({ open = 0, stored = 0 }: Partial<Counts>, maxOpen: number): Room {
  const far = maxOpen - NEAR_LIMIT;
  return { open: far - open, stored: far * STORED_PER_OPEN - stored, outcomes: far * OUTCOMES_PER_OPEN };
}

/** A reached limit refuses only changes that add to it. */
function findExceeded(counts: Counts, added: Partial<Counts>, maxOpen: number) {
  const { open = 0, stored = 0, done = 0, skipped = 0 } = added;
  if (open > 0 && counts.open + open > maxOpen) return 'too_many_open_tasks';
  const outcomes = counts.done + counts.skipped + done + skipped;
  const isFull = counts.stored + stored > maxOpen * STORED_PER_OPEN || outcomes > maxOpen * OUTCOMES_PER_OPEN;
  return stored > 0 && isFull ? 'too_many_tasks' : undefined;
}
