/** Tasks as the members of a space see them, and what becomes of them when one leaves. */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { relationTo } from '../spaces/visibility.ts';
import { addToCounts } from './outcomes.store.ts';
import { derive } from './plan-task.ts';
import { recordLostSight, recordRemovalsForLeaver } from './sync.store.ts';
import type { Task } from './task-state.ts';
import {
  findTask,
  isMember,
  listSpaceTasksOf,
  listTasks,
  lockOwner,
  lockTask,
  type Owner,
  updateTask,
} from './tasks.store.ts';
import { insertEntries } from './timeline.store.ts';

export class SpaceTasksService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;

  constructor(db: Kysely<Database>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  async list(caller: SessionCaller, spaceId: string): Promise<Task[]> {
    await this.#admit(caller, spaceId);
    const of = { spaceId, viewer: caller };
    return listTasks(this.#db, { of, status: undefined, after: undefined, limit: undefined, now: this.#clock.now() });
  }

  async get(caller: SessionCaller, spaceId: string, taskId: string): Promise<Task> {
    await this.#admit(caller, spaceId);
    const task = await findTask(this.#db, taskId);
    if (task?.space_id === spaceId && relationTo(task, caller, true)) return task;
    throw new AppError('not_found', { sentence: 'There is no such task in this space.' });
  }

  async #admit({ userId }: SessionCaller, spaceId: string): Promise<void> {
    if (!(await isMember(this.#db, spaceId, userId)))
      throw new AppError('not_found', { sentence: 'There is no such space.' });
  }

  /** The leaver's tasks leave with them, requests to or from them are dropped, and each side is told what it no longer sees. */
  async memberLeaving(trx: Kysely<Database>, spaceId: string, userId: string): Promise<void> {
    await recordRemovalsForLeaver(trx, spaceId, userId);
    for (const { id, owner_id } of await listSpaceTasksOf(trx, spaceId, userId)) {
      const owner = await lockOwner(trx, owner_id);
      const task = await lockTask(trx, id);
      if (owner && task) await this.#part(trx, task, owner, userId);
    }
  }

  async #part(trx: Kysely<Database>, task: Task, owner: Owner, userId: string): Promise<void> {
    const now = this.#clock.now();
    const isOwn = task.owner_id === userId;
    const wasAccepted = task.accepted_by_owner;
    const isRequest = task.status === 'open' && !wasAccepted;
    if (!isOwn && wasAccepted) return;
    const changes: Partial<Task> = {
      ...(isRequest && { status: 'dropped', closed_at: now }),
      ...(isOwn && { space_id: null }),
      // A request that ended here is not brought back by someone who has left.
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
    await recordLostSight(trx, task, changed);
    await updateTask(trx, task.id, { ...changes, ...derive(changed, owner, now) });
  }
}
