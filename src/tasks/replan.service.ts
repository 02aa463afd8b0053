/**
 * Plans the tasks of an account again after its settings have changed. In a large account, the change itself plans only
 * a first slice. The other tasks are stale: they are planned whenever they are read or due, until a later slice stores
 * their plan.
 */

import type { Db } from '../db/schema.ts';
import { announce } from '../db/transact.ts';
import { ROWS_AT_ONCE, type Slice, startFollowUp } from '../follow-ups/follow-ups.ts';
import type { Clock } from '../lib/clock.ts';
import { deriveFields } from './plan-task.ts';
import { lockStaleTasks, raisePlanVersion, updatePlannedTimes, updatePlanVersion } from './replan.store.ts';
import { isAnyChanged } from './task-edit.ts';
import { lockOwner } from './tasks.store.ts';
import { audienceOf } from './visibility.ts';

export class ReplanService {
  readonly #clock: Clock;
  readonly #rowsAtOnce: number;

  constructor(clock: Clock, rowsAtOnce = ROWS_AT_ONCE) {
    this.#clock = clock;
    this.#rowsAtOnce = rowsAtOnce;
  }

  /** Runs in the transaction that changes the owner's settings. */
  async replanOwner(trx: Db, ownerId: string): Promise<void> {
    await raisePlanVersion(trx, ownerId);
    const followUp = { kind: 'replan', user_id: ownerId, space_id: null, cursor: null } as const;
    await startFollowUp(trx, followUp, (...slice) => this.replanSlice(...slice), this.#rowsAtOnce);
  }

  /** Plans stale tasks again. `updated_at` moves only where the plan did. */
  async replanSlice(trx: Db, { user_id }: { readonly user_id: string }, limit: number): Promise<Slice> {
    const owner = await lockOwner(trx, user_id);
    const stale = owner ? await lockStaleTasks(trx, owner, limit) : [];
    if (!owner || stale.length === 0) return { rows: 0, isDone: true };
    const now = this.#clock.now();
    const planned = stale.map((task) => ({ task, id: task.id, ...deriveFields(task, owner, now) }));
    const { moved = [], unmoved = [] } = Object.groupBy(planned, ({ task, plan_version, ...fields }) =>
      isAnyChanged(task, fields) ? 'moved' : 'unmoved',
    );
    await updatePlannedTimes(trx, moved, now);
    const audience = moved.flatMap(({ task }) => audienceOf(task));
    announce(trx, audience);
    // A reader may have seen a task planned by a version that was never stored, so sync reports the task once more.
    const isSeen = ({ task }: (typeof planned)[number]) => owner.plan_version - task.plan_version > 1;
    await updatePlanVersion(trx, idsOf(unmoved.filter(isSeen)), owner, true);
    await updatePlanVersion(trx, idsOf(unmoved.filter((one) => !isSeen(one))), owner, false);
    return { rows: stale.length, isDone: stale.length < limit };
  }
}

const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
