/** Shows the tasks of a space to its members, and takes a leaving member's tasks out of it. */

import type { Db } from '../db/schema.ts';
import { announce } from '../db/transact.ts';
import { ROWS_AT_ONCE, type RunSlice, type Slice, startFollowUp } from '../follow-ups/follow-ups.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { Pages } from '../lib/pages.ts';
import { currentPlans } from './current-plans.ts';
import { addToCounts } from './outcomes.store.ts';
import { deriveFields } from './plan-task.ts';
import { settleQuestions } from './requests/request-messages.store.ts';
import type { ShownTask } from './shown-tasks.store.ts';
import {
  areMembers,
  endAssignments,
  listRequestsOfLeaver,
  lockTasksOfLeaver,
  takeOutOfSpace,
} from './space-tasks.store.ts';
import {
  listViewersOfSpace,
  recordRemovals,
  recordRemovalsAfterChange,
  recordRemovalsForLeaver,
} from './sync/sync.store.ts';
import { readTaskList } from './task-list.ts';
import type { Task } from './task-state.ts';
import { findTask, lockOwner, lockTask, type Owner, updateTask } from './tasks.store.ts';
import { insertEntries } from './timeline/timeline.store.ts';
import { audienceOf, relationTo } from './visibility.ts';

/** A request is dropped by itself, with its timeline and counts, which takes as long as this many other rows. */
const COST_OF_REQUEST = 10;

export class SpaceTasksService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #rowsAtOnce: number;

  constructor(db: Db, clock: Clock, rowsAtOnce = ROWS_AT_ONCE) {
    this.#db = db;
    this.#clock = clock;
    this.#rowsAtOnce = rowsAtOnce;
  }

  async list(caller: SessionCaller, spaceId: string): Promise<Pages<ShownTask>> {
    await this.#checkMember(caller, spaceId);
    const of = { spaceId, viewer: caller };
    const query = { of, status: undefined, after: undefined, limit: undefined, now: this.#clock.now() };
    return (await readTaskList(this.#db, caller, query)).tasks;
  }

  async get(caller: SessionCaller, spaceId: string, taskId: string): Promise<Task> {
    await this.#checkMember(caller, spaceId);
    const stored = await findTask(this.#db, taskId);
    const [task] = stored ? await currentPlans(this.#db, [stored], this.#clock.now()) : [];
    if (task?.space_id === spaceId) {
      const isOwnerMember = await areMembers(this.#db, spaceId, [task.owner_id]);
      if (relationTo(task, caller, isOwnerMember)) return task;
    }
    throw new AppError('not_found', { sentence: 'There is no such task in this space.' });
  }

  async #checkMember({ userId }: SessionCaller, spaceId: string): Promise<void> {
    if (!(await areMembers(this.#db, spaceId, [userId])))
      throw new AppError('not_found', { sentence: 'There is no such space.' });
  }

  /**
   * Takes the leaver's tasks out of the space, drops the requests to and from them, ends the leaver's say over what they
   * assigned there, and records for both sides which tasks they no longer see. In a large account the rest follows in
   * slices. Nobody sees these tasks any more by then (`visibility.ts`), but sync has not reported all removals yet.
   */
  async memberLeaving(trx: Db, spaceId: string, userId: string): Promise<void> {
    const followUp = { kind: 'leave_space', user_id: userId, space_id: spaceId, cursor: null } as const;
    await startFollowUp(trx, followUp, (...slice) => this.leaveSlice(...slice), this.#rowsAtOnce);
  }

  /** First the leaver's own tasks, then what they assigned to others, then the removals that the leaver's sync reports. */
  async leaveSlice(trx: Db, { space_id, user_id, cursor }: Parameters<RunSlice>[1], limit: number): Promise<Slice> {
    if (space_id === null) return { rows: 0, isDone: true };
    announce(trx, [user_id, space_id]);
    const own = await this.#detachOwn(trx, space_id, user_id, limit);
    if (!own.isDone) return own;
    const requests = await listRequestsOfLeaver(trx, space_id, user_id, Math.ceil(limit / COST_OF_REQUEST));
    for (const { id, owner_id } of requests) {
      const owner = await lockOwner(trx, owner_id);
      const task = owner && (await lockTask(trx, id));
      if (task) await this.#detach(trx, task, owner, user_id);
    }
    let rows = own.rows + requests.length * COST_OF_REQUEST;
    if (rows >= limit) return { rows, isDone: false };
    const ended = await endAssignments(trx, space_id, user_id, limit - rows);
    await recordRemovals(
      trx,
      ended.map((task_id) => ({ viewer_id: user_id, task_id })),
    );
    rows += ended.length;
    if (rows >= limit) return { rows, isDone: false };
    const seen = await recordRemovalsForLeaver(trx, space_id, user_id, cursor, limit - rows);
    return { rows: rows + seen.rows, isDone: seen.cursor === null, cursor: seen.cursor };
  }

  /** One removal per task and member: in a large space, a slice takes fewer tasks. */
  async #detachOwn(trx: Db, spaceId: string, leaverId: string, limit: number): Promise<Slice> {
    const owner = await lockOwner(trx, leaverId);
    if (!owner) return { rows: 0, isDone: true };
    const viewers = (await listViewersOfSpace(trx, spaceId)).filter((id) => id !== leaverId);
    const most = Math.ceil(limit / (1 + viewers.length));
    const tasks = await lockTasksOfLeaver(trx, spaceId, leaverId, most);
    const [requests, others] = [tasks.filter(isRequest), tasks.filter((task) => !isRequest(task))];
    for (const request of requests) await this.#detach(trx, request, owner, leaverId);
    const removals = others.flatMap(({ id, assigner_id, accepted_by_owner }) => {
      const seeing = new Set([...(accepted_by_owner ? viewers : []), ...(assigner_id === null ? [] : [assigner_id])]);
      return [...seeing].map((viewer_id) => ({ viewer_id, task_id: id }));
    });
    await recordRemovals(trx, removals);
    const ids = others.map(({ id }) => id);
    await takeOutOfSpace(trx, ids, this.#clock.now());
    const rows = others.length + removals.length + requests.length * COST_OF_REQUEST;
    return { rows, isDone: tasks.length < most };
  }

  async #detach(trx: Db, task: Task, owner: Owner, leaverId: string): Promise<void> {
    const now = this.#clock.now();
    const isOwn = task.owner_id === leaverId;
    const wasAccepted = task.accepted_by_owner;
    const isDropped = isRequest(task);
    if (!isOwn && wasAccepted) return;
    const changes: Partial<Task> = {
      ...(isDropped && { status: 'dropped', closed_at: now }),
      ...(isOwn && { space_id: null }),
      assigner_id: null,
      // A person who has left cannot reopen a request of this space.
      ...(!wasAccepted && { undo: null }),
      updated_at: now,
    };
    const changed = { ...task, ...changes };
    if (isDropped) {
      await settleQuestions(trx, task.id, now);
      await addToCounts(trx, task.owner_id, { open: -1 });
      const { id: task_id, owner_id, run, due_at: occurrence_due_at } = task;
      const by = isOwn ? 'owner' : 'assigner';
      await insertEntries(trx, [
        { id: newId(), task_id, owner_id, run, at: now, kind: 'dropped', by, occurrence_due_at },
      ]);
    }
    await recordRemovalsAfterChange(trx, task, changed);
    announce(trx, audienceOf(task));
    await updateTask(trx, task.id, { ...changes, ...deriveFields(changed, owner, now) });
  }
}

const isRequest = ({ status, accepted_by_owner }: Task): boolean => status === 'open' && !accepted_by_owner;
