/** Shows the tasks of a space to its members, and takes a leaving member's tasks out of it. */
import type { Db } from '../db/schema.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { Pages } from '../lib/pages.ts';
import { relationTo } from '../spaces/visibility.ts';
import { addToCounts } from './outcomes.store.ts';
import { deriveFields } from './plan-task.ts';
import { recordRemovalsAfterChange, recordRemovalsForLeaver } from './sync/sync.store.ts';
import { readTaskList } from './task-list.ts';
import type { Task } from './task-state.ts';
import { findTask, isMember, listSpaceTasksOf, lockOwner, lockTask, type Owner, updateTask } from './tasks.store.ts';
import { insertEntries } from './timeline/timeline.store.ts';

export class SpaceTasksService {
  readonly #db: Db;
  readonly #clock: Clock;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async list(caller: SessionCaller, spaceId: string): Promise<Pages<Task>> {
    await this.#checkMember(caller, spaceId);
    const of = { spaceId, viewer: caller };
    const query = { of, status: undefined, after: undefined, limit: undefined, now: this.#clock.now() };
    return (await readTaskList(this.#db, caller, query)).tasks;
  }

  async get(caller: SessionCaller, spaceId: string, taskId: string): Promise<Task> {
    await this.#checkMember(caller, spaceId);
    const task = await findTask(this.#db, taskId);
    if (task?.space_id === spaceId && relationTo(task, caller, true)) return task;
    throw new AppError('not_found', { sentence: 'There is no such task in this space.' });
  }

  async #checkMember({ userId }: SessionCaller, spaceId: string): Promise<void> {
    if (!(await isMember(this.#db, spaceId, userId)))
      throw new AppError('not_found', { sentence: 'There is no such space.' });
  }

  /**
   * Takes the leaver's tasks out of the space, drops the requests to and from them, and records for both
   * sides which tasks they no longer see.
   */
  async memberLeaving(trx: Db, spaceId: string, userId: string): Promise<void> {
    await recordRemovalsForLeaver(trx, spaceId, userId);
    for (const { id, owner_id } of await listSpaceTasksOf(trx, spaceId, userId)) {
      const owner = await lockOwner(trx, owner_id);
      const task = await lockTask(trx, id);
      if (owner && task) await this.#detach(trx, task, owner, userId);
    }
  }

  async #detach(trx: Db, task: Task, owner: Owner, leaverId: string): Promise<void> {
    const now = this.#clock.now();
    const isOwn = task.owner_id === leaverId;
    const wasAccepted = task.accepted_by_owner;
    const isRequest = task.status === 'open' && !wasAccepted;
    if (!isOwn && wasAccepted) return;
    const changes: Partial<Task> = {
      ...(isRequest && { status: 'dropped', closed_at: now }),
      ...(isOwn && { space_id: null }),
      // A person who has left cannot reopen a request of this space.
      ...(!wasAccepted && { undo: null }),
      updated_at: now,
    };
    const changed = { ...task, ...changes };
    if (isRequest) {
      await addToCounts(trx, task.owner_id, { open: -1 });
      const { id: task_id, owner_id, due_at: occurrence_due_at } = task;
      const by = isOwn ? 'owner' : 'assigner';
      await insertEntries(trx, [{ id: newId(), task_id, owner_id, at: now, kind: 'dropped', by, occurrence_due_at }]);
    }
    await recordRemovalsAfterChange(trx, task, changed);
    await updateTask(trx, task.id, { ...changes, ...deriveFields(changed, owner, now) });
  }
}
