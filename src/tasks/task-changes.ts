/**
 * Changes one task in one transaction, with its row locked: of two conflicting changes at the same time, one succeeds
 * and the other is refused. What a change is, its caller decides; its consequences are all here.
 */
import type { Db } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import type { TaskCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { withAscendingIds } from '../lib/ids.ts';
import type { PassedOver } from './due.ts';
import { ladderLabelAfter } from './ladder-label.ts';
import { addToCounts } from './outcomes.store.ts';
import { deriveFields, isOtherLadder, withCurrentPlan } from './plan-task.ts';
import { tellOfChange } from './requests/tell-people.ts';
import { areMembers, sharesSpace } from './space-tasks.store.ts';
import { settleReached } from './stand-ins/settle-reached.ts';
import { recordRemovalsAfterChange } from './sync/sync.store.ts';
import { checkRequestLimit, checkStoredTasks, checkTokenLimit, requestPlaceOf } from './task-checks.ts';
import type { Counts } from './task-counts.sql.ts';
import type { Action, ActionResult, Actor, Refusal, Task } from './task-state.ts';
import { lockVisibleTask, type Owner, updateTask } from './tasks.store.ts';
import { recordWriters } from './text-writers.store.ts';
import { insertChange } from './timeline/changes.store.ts';
import { replacedBy } from './timeline/changes.ts';
import { cancelDeliveries, endActivities, insertEntries, retractMessages } from './timeline/timeline.store.ts';
import { eventsOf, keepsRun, type TimelineEvent } from './timeline/timeline.ts';
import { limitsAfter } from './token-limits.ts';
import { audienceOf, type Relation, relationTo } from './visibility.ts';

type Changed = Extract<ActionResult, { kind: 'changed' }> & {
  readonly counts?: Partial<Counts>;
  readonly missed?: PassedOver | undefined;
  readonly batchId?: string | undefined;
  readonly isRestored?: boolean;
  readonly isLadderChosen?: boolean;
};
type Decision = Exclude<ActionResult, { kind: 'changed' }> | Changed;

export interface Change {
  readonly action: Action['name'] | 'edit';
  readonly decide: (trx: Db, task: Task, owner: Owner, relation: Relation) => Promise<Decision>;
}

interface Stored {
  readonly task: Task;
  /** A delivery is ready to be sent. */
  readonly isAnyoneTold: boolean;
  /** The last entry of the timeline. */
  readonly entryId: string | undefined;
}

/** Called after commit with the task's next fire time, or without one if a delivery is ready to be sent. */
export type WakeUp = (at?: Date) => void;

export class TaskChanges {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #wakeUp: WakeUp;
  readonly #maxOpenTasks: number;

  constructor(db: Db, clock: Clock, wakeUp: WakeUp, maxOpenTasks: number) {
    this.#db = db;
    this.#clock = clock;
    this.#wakeUp = wakeUp;
    this.#maxOpenTasks = maxOpenTasks;
  }

  /** Every change of a task runs through here: checks access, locks, decides, plans again and stores. */
  async change(caller: TaskCaller, id: string, action: Change['action'], decide: Change['decide']): Promise<Task> {
    return this.changeAll(caller, id, [{ action, decide }]);
  }

  /** One change after the other. All are stored, or none. */
  async changeAll(caller: TaskCaller, id: string, changes: readonly [Change, ...Change[]]): Promise<Task> {
    const [first, ...more] = changes;
    const { task, isAnyoneTold } = await transact(this.#db, async (trx) => {
      let stored = await this.#changeIn(trx, caller, id, first);
      for (const change of more) {
        const next = await this.#changeIn(trx, caller, id, change, stored.entryId);
        stored = { ...next, isAnyoneTold: stored.isAnyoneTold || next.isAnyoneTold };
      }
      return stored;
    });
    if (isAnyoneTold) this.#wakeUp();
    if (task.next_fire_at) this.#wakeUp(task.next_fire_at);
    return task;
  }

  async #changeIn(
    trx: Db,
    caller: TaskCaller,
    id: string,
    { action, decide }: Change,
    after?: string,
  ): Promise<Stored> {
    let [hasSomethingToEnd, isAnyoneTold] = [false, false];
    const { task, owner, relation, activities, messages, reached } = await this.#getLocked(trx, caller, id);
    const result = await decide(trx, task, owner, relation);
    if (result.kind === 'refused') throw toError(result.refusal);
    if (result.kind === 'unchanged') return { task, isAnyoneTold, entryId: after };
    const now = this.#clock.now();
    const wanted = { ...task, ...result.changes };
    const ladder_label = ladderLabelAfter(task, wanted, caller);
    const isNew = isOtherLadder(task, { ...wanted, ladder_label }, owner);
    const limits = limitsAfter(task, wanted, caller, action, { isNew, isChosen: result.isLadderChosen ?? false });
    const changes = { ...result.changes, ...limits, ladder_label };
    const changed = { ...task, ...changes, updated_at: now };
    await this.#applySideEffects(trx, task, changed, caller, result.counts);
    const events = eventsOf(task, changes, action, result.missed);
    const { batchId } = result;
    const entryId = await recordEvents(trx, changed, caller, relation, events, now, { batchId, after });
    const before = replacedBy(task, events.at(-1)?.fields?.split(',') ?? []);
    if (entryId !== undefined && before !== undefined)
      await insertChange(trx, { entry_id: entryId, task_id: id, before, changed_at: now });
    if (entryId !== undefined && !keepsRun(changes)) {
      await cancelDeliveries(trx, id);
      const hasActivity = await endActivities(trx, task, activities, entryId, now);
      hasSomethingToEnd = (await retractMessages(trx, task, messages, entryId, now)) || hasActivity;
      isAnyoneTold = await settleReached(trx, task, reached, { action, by: caller.userId, now });
    }
    const derived = deriveFields(changed, owner, now);
    await updateTask(trx, id, { ...changes, updated_at: now, ...derived });
    await recordWriters(trx, task, changed, caller, result.isRestored);
    isAnyoneTold = (await tellOfChange(trx, task, changed, { action, by: relation }, now)) || isAnyoneTold;
    announce(trx, [...audienceOf(task), ...audienceOf(changed), ...reached.map(({ person_id }) => person_id)]);
    return {
      task: { ...changed, ...derived },
      isAnyoneTold: isAnyoneTold || hasSomethingToEnd,
      entryId: entryId ?? after,
    };
  }

  async #getLocked(trx: Db, caller: TaskCaller, id: string) {
    const { owner, task, activities, messages, reached } = await lockVisibleTask(trx, caller, id);
    const isStandIn = task !== undefined && caller.kind === 'stand_in';
    const relation = isStandIn ? 'stand_in' : task && relationTo(task, caller, await sharesSpace(trx, task, caller));
    if (!owner || !task || !relation) throw notFound();
    if (relation === 'member') throw new AppError('not_allowed');
    await this.#refuseLeftRequest(trx, task);
    return { task: withCurrentPlan(task, owner, this.#clock.now()), owner, relation, activities, messages, reached };
  }

  /** Drops a request in a space that its owner or its assigner has left, even if its slice has not run yet. */
  async #refuseLeftRequest(trx: Db, task: Task): Promise<void> {
    const { space_id, owner_id, assigner_id, accepted_by_owner, status } = task;
    if (space_id === null || assigner_id === null || accepted_by_owner || status !== 'open') return;
    if (!(await areMembers(trx, space_id, [owner_id, assigner_id]))) throw new AppError('task_closed');
  }

  /** Checks the limits, and updates counts and removals. */
  async #applySideEffects(trx: Db, task: Task, changed: Task, caller: TaskCaller, counts: Partial<Counts> = {}) {
    const opened = Number(changed.status === 'open') - Number(task.status === 'open');
    if (opened > 0) {
      await checkTokenLimit(trx, caller);
      await checkStoredTasks(trx, task.owner_id, { open: opened }, this.#maxOpenTasks);
    }
    if (opened !== 0 || Object.keys(counts).length > 0)
      await addToCounts(trx, task.owner_id, { ...counts, open: opened });
    await recordRemovalsAfterChange(trx, task, changed);
    if (requestPlaceOf(task) !== requestPlaceOf(changed)) await checkRequestLimit(trx, changed);
  }
}

/** The entries follow the one with the id `after`. Returns the id of the last entry. */
export async function recordEvents(
  trx: Db,
  { id, owner_id, run }: Pick<Task, 'id' | 'owner_id' | 'run'>,
  caller: TaskCaller,
  by: Actor,
  events: readonly TimelineEvent[],
  at: Date,
  { batchId, after }: { readonly batchId?: string | undefined; readonly after?: string | undefined } = {},
): Promise<string | undefined> {
  const token_id = caller.kind === 'token' ? caller.tokenId : null;
  const via = caller.kind !== 'session' && caller.via !== undefined ? { via: caller.via } : {};
  const person = caller.kind === 'stand_in' ? { person_id: caller.userId } : {};
  const batch = batchId === undefined ? {} : { batch_id: batchId };
  const about = { task_id: id, owner_id, run, at, token_id, ...via, ...person, ...batch };
  const entries = withAscendingIds(events, after).map(([entryId, event]) => ({
    id: entryId,
    ...about,
    by: event.kind === 'missed' ? null : by,
    ...event,
  }));
  await insertEntries(trx, entries);
  return entries.at(-1)?.id;
}

export const notFound = () => new AppError('not_found', { sentence: 'There is no such task.' });

function toError(refusal: Refusal): Error {
  if (refusal !== 'until_in_past') return new AppError(refusal);
  return new InvalidInput({ type: 'value_error', loc: ['body', 'until'], msg: 'Input should be in the future' });
}
