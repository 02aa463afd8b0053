/**
 * Creates, edits and closes tasks. `visibility.ts` decides who may see a task, and
 * `task-state.ts` what an action does to it. This service applies both in one transaction with the
 * task's row locked: of two conflicting actions at the same time, one succeeds and the other is refused.
 */
import type { Db } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import type { Caller, TaskCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { newId, withAscendingIds } from '../lib/ids.ts';
import { currentPlans } from './current-plans.ts';
import { namedOccurrence, nextDueFields, type PassedOver, passedOver } from './due.ts';
import { newTask } from './new-task.ts';
import { NewTaskOwners } from './new-task-owners.ts';
import { addToCounts, recordOutcome } from './outcomes.store.ts';
import { deriveFields, isStale, withCurrentPlan } from './plan-task.ts';
import { findShownTask, type ShownTask, type TaskQuery } from './shown-tasks.store.ts';
import { areMembers } from './space-tasks.store.ts';
import { recordRemovalsAfterChange } from './sync/sync.store.ts';
import {
  checkQuietHours,
  checkRequestLimit,
  checkSpaceChange,
  checkSpaceMembers,
  checkStoredTasks,
  checkTokenLimit,
  losesAssigner,
  requestPlaceOf,
  roomFor,
} from './task-checks.ts';
import type { Counts } from './task-counts.sql.ts';
import { editTask, isAnyChanged, isRefusedWhenClosed, type Move, moveTask } from './task-edit.ts';
import { parseInstant, parseStoredRule, parseWritten, type TaskCreation, type TaskUpdate } from './task-input.ts';
import { readTaskList, type TaskList } from './task-list.ts';
import { type Action, type ActionResult, type Actor, act, type Refusal, type Task } from './task-state.ts';
import { findTask, insertTask, lockAssigner, lockVisibleTask, type Owner, updateTask } from './tasks.store.ts';
import { recordWriters } from './text-writers.store.ts';
import { findChange, insertChange, RESTORABLE_MS } from './timeline/changes.store.ts';
import { readReplaced, replacedBy, restore } from './timeline/changes.ts';
import { cancelDeliveries, endActivities, insertEntries, retractMessages } from './timeline/timeline.store.ts';
import { eventsOf, keepsRun, type TimelineEvent } from './timeline/timeline.ts';
import { limitsAfter } from './token-limits.ts';
import { audienceOf, type Relation, relationTo, type SeenTask } from './visibility.ts';

/** The state before the creation, for checks that compare a task with its next state. */
const NEW_TASK = { break_quiet_hours: false, accepted_by_owner: false };
const OWN_TASKS_ONLY = 'An access token acts on the tasks of its own user only.';

export interface ActionRequest {
  readonly name: Action['name'];
  readonly until?: string;
  /** If given, the action is refused for any other occurrence. */
  readonly occurrenceDueAt?: string | null | undefined;
}

export interface MoveRequest extends Move {
  readonly occurrenceDueAt?: string | null | undefined;
}

type Changed = Extract<ActionResult, { kind: 'changed' }> & {
  readonly counts?: Partial<Counts>;
  readonly missed?: PassedOver | undefined;
};
type Decision = Exclude<ActionResult, { kind: 'changed' }> | Changed;

/** Called after commit with the task's next fire time, or without one if a delivery is ready to be sent. */
export type WakeUp = (at?: Date) => void;

export class TasksService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #wakeUp: WakeUp;
  readonly #maxOpenTasks: number;
  readonly #newTaskOwners = new NewTaskOwners();

  constructor(db: Db, clock: Clock, wakeUp: WakeUp, maxOpenTasks: number) {
    this.#db = db;
    this.#clock = clock;
    this.#wakeUp = wakeUp;
    this.#maxOpenTasks = maxOpenTasks;
  }

  /** A token does not see the tasks that its user assigned to others. */
  async list(caller: Caller, query: Omit<TaskQuery, 'of' | 'now'> & { readonly assigned: boolean }): Promise<TaskList> {
    if (query.assigned && caller.kind === 'token') return { tasks: { first: [] }, next: undefined };
    const of = query.assigned ? { assignerId: caller.userId } : { ownerId: caller.userId };
    return readTaskList(this.#db, caller, { ...query, of, now: this.#clock.now() });
  }

  async get(caller: Caller, id: string): Promise<ShownTask> {
    const shown = await findShownTask(this.#db, id);
    // To plan a stale task, all of its columns are needed.
    if (!shown || isStale(shown, shown.owner_plan_version)) return (await this.getVisible(caller, id)).task;
    if (!relationTo(shown, caller, await this.#areMembers(this.#db, shown, caller))) throw notFound();
    return shown;
  }

  async create(caller: Caller, input: TaskCreation): Promise<Task> {
    // A rule can be refused because of the owner's zone, and that must be the present one.
    let mayExpect = input.recurrence == null;
    const created = await transact(this.#db, async (trx) => {
      const ownerId = input.owner_id ?? caller.userId;
      const isAssigned = ownerId !== caller.userId;
      const by = isAssigned ? 'assigner' : 'owner';
      const added = { open: 1, stored: isAssigned ? 0 : 1 };
      if (isAssigned && caller.kind === 'token') throw new AppError('not_allowed', { sentence: OWN_TASKS_ONLY });
      if (isAssigned) await lockAssigner(trx, caller.userId);
      const room = roomFor(added, this.#maxOpenTasks);
      const { owner, counts } = await this.#newTaskOwners.lock(trx, ownerId, room, mayExpect);
      mayExpect = false;
      if (!owner) throw new AppError('not_found', { sentence: 'There is no such account.' });
      await checkSpaceMembers(trx, caller, ownerId, input.space_id ?? null);
      const unplanned = newTask(owner, caller, input, this.#clock.now());
      await checkRequestLimit(trx, unplanned);
      checkQuietHours(caller, by, NEW_TASK, input.break_quiet_hours);
      await checkTokenLimit(trx, caller);
      if (counts) await checkStoredTasks(trx, ownerId, added, this.#maxOpenTasks, counts);
      const task = { ...unplanned, ...deriveFields(unplanned, owner, this.#clock.now()) };
      await insertTask(trx, task);
      await recordWriters(trx, undefined, task, caller);
      await addToCounts(trx, ownerId, added);
      const event = { kind: 'created', until: null, occurrence_due_at: task.due_at } as const;
      await this.#recordEvents(trx, task, caller, by, [event]);
      announce(trx, audienceOf(task));
      return task;
    });
    return this.#wakeEngineFor(created);
  }

  async update(caller: Caller, id: string, input: TaskUpdate): Promise<Task> {
    return this.#change(caller, id, 'edit', async (trx, task, owner, relation) => {
      const { space_id = task.space_id } = input;
      const isMoved = space_id !== task.space_id;
      if (isMoved) await checkSpaceChange(trx, caller, task, relation, space_id);
      const changes = editTask(task, input, owner.timezone, this.#clock.now());
      if (isMoved && (await losesAssigner(trx, task, space_id))) changes.assigner_id = null;
      if (isRefusedWhenClosed(task, input)) throw new AppError('task_closed');
      checkQuietHours(caller, relation, task, input.break_quiet_hours);
      return isAnyChanged(task, changes) ? { kind: 'changed', changes } : { kind: 'unchanged' };
    });
  }

  /** Moves the current occurrence of a repeating task only. A task that does not repeat gets another due date. */
  async move(caller: Caller, id: string, { occurrenceDueAt, ...move }: MoveRequest): Promise<Task> {
    return this.#change(caller, id, 'edit', async (_trx, task, owner) => {
      const zone = owner.timezone;
      const named = occurrenceDueAt == null ? task.due_at : namedOccurrence(task, parseWritten(occurrenceDueAt), zone);
      if (named?.getTime() !== task.due_at?.getTime()) return { kind: 'refused', refusal: 'occurrence_passed' };
      if (task.status !== 'open') return { kind: 'refused', refusal: 'task_closed' };
      const changes = moveTask(task, move, zone, this.#clock.now());
      return isAnyChanged(task, changes) ? { kind: 'changed', changes } : { kind: 'unchanged' };
    });
  }

  /** The owner goes on without the person who assigned the task. Repeating it changes nothing. */
  async endAssignment(caller: Caller, id: string): Promise<Task> {
    return this.#change(caller, id, 'edit', async (_trx, task, _owner, relation) => {
      if (relation !== 'owner') return { kind: 'refused', refusal: 'not_allowed' };
      return task.assigner_id === null ? { kind: 'unchanged' } : { kind: 'changed', changes: { assigner_id: null } };
    });
  }

  async act(caller: TaskCaller, id: string, request: ActionRequest): Promise<Task> {
    return this.#change(caller, id, request.name, async (trx, task, owner, relation) => {
      const now = this.#clock.now();
      const outcomeId = newId();
      const rule = parseStoredRule(task.recurrence);
      const next = () => (rule ? nextDueFields(task, rule, owner.timezone, now) : null);
      const action = toAction(request, task, owner.timezone);
      const tokenId = caller.kind === 'token' ? caller.tokenId : null;
      const link = caller.kind === 'link' ? caller.link : undefined;
      const result = act(task, action, { actor: relation as Actor, tokenId, link, now, outcomeId, next });
      if (result.kind !== 'changed') return result;
      const until = result.changes.status === undefined ? result.changes.due_at : now;
      const missed = result.outcome && rule && until ? passedOver(task, rule, owner.timezone, until) : undefined;
      const counts = await recordOutcome(trx, task, result, outcomeId, now, missed);
      return { ...result, counts, missed };
    });
  }

  /** Puts back what the edit of this timeline entry replaced. Only the owner may, for as long as it is kept. */
  async restore(caller: Caller, id: string, entryId: string): Promise<Task> {
    return this.#change(caller, id, 'edit', async (trx, task, owner, relation) => {
      if (relation !== 'owner') return { kind: 'refused', refusal: 'not_allowed' };
      const now = this.#clock.now();
      const change = await findChange(trx, id, entryId, new Date(now.getTime() - RESTORABLE_MS));
      if (!change) throw new AppError('nothing_to_restore');
      const replaced = readReplaced(change.before);
      if (isRefusedWhenClosed(task, replaced)) throw new AppError('task_closed');
      checkQuietHours(caller, relation, task, replaced.break_quiet_hours);
      const changes = restore(task, replaced, change.changed_at, owner.timezone, now);
      return isAnyChanged(task, changes) ? { kind: 'changed', changes } : { kind: 'unchanged' };
    });
  }

  /** Every change of a task runs through here: checks access, locks, decides, plans again and stores. */
  async #change(
    caller: TaskCaller,
    id: string,
    action: Action['name'] | 'edit',
    decide: (trx: Db, task: Task, owner: Owner, relation: Relation) => Promise<Decision>,
  ): Promise<Task> {
    let hasSomethingToEnd = false;
    const stored = await transact(this.#db, async (trx) => {
      const { task, owner, relation, activities, messages } = await this.#getLocked(trx, caller, id);
      const result = await decide(trx, task, owner, relation);
      if (result.kind === 'refused') throw toError(result.refusal);
      if (result.kind === 'unchanged') return task;
      const now = this.#clock.now();
      const changes = { ...result.changes, ...limitsAfter(task, { ...task, ...result.changes }, caller, action) };
      const changed = { ...task, ...changes, updated_at: now };
      await this.#applySideEffects(trx, task, changed, caller, result.counts);
      const events = eventsOf(task, changes, action, result.missed);
      const entryId = await this.#recordEvents(trx, changed, caller, relation, events);
      const before = replacedBy(task, events.at(-1)?.fields?.split(',') ?? []);
      if (entryId !== undefined && before !== undefined)
        await insertChange(trx, { entry_id: entryId, task_id: id, before, changed_at: now });
      if (entryId !== undefined && !keepsRun(changes)) {
        await cancelDeliveries(trx, id);
        const hasActivity = await endActivities(trx, task, activities, entryId, now);
        hasSomethingToEnd = (await retractMessages(trx, task, messages, entryId, now)) || hasActivity;
      }
      const derived = deriveFields(changed, owner, now);
      await updateTask(trx, id, { ...changes, updated_at: now, ...derived });
      await recordWriters(trx, task, changed, caller);
      announce(trx, [...audienceOf(task), ...audienceOf(changed)]);
      return { ...changed, ...derived };
    });
    if (hasSomethingToEnd) this.#wakeUp();
    return this.#wakeEngineFor(stored);
  }

  async #getLocked(trx: Db, caller: TaskCaller, id: string) {
    const { owner, task, activities, messages } = await lockVisibleTask(trx, caller, id);
    const relation = task && relationTo(task, caller, await this.#areMembers(trx, task, caller));
    if (!owner || !task || !relation) throw notFound();
    if (relation === 'member') throw new AppError('not_allowed');
    await this.#refuseLeftRequest(trx, task);
    return { task: withCurrentPlan(task, owner, this.#clock.now()), owner, relation, activities, messages };
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

  /** Returns the id of the last entry. */
  async #recordEvents(
    trx: Db,
    { id, owner_id, run }: Pick<Task, 'id' | 'owner_id' | 'run'>,
    caller: TaskCaller,
    by: Actor,
    events: readonly TimelineEvent[],
  ): Promise<string | undefined> {
    const at = this.#clock.now();
    const token_id = caller.kind === 'token' ? caller.tokenId : null;
    const via = caller.kind === 'link' ? { via: caller.via } : {};
    const about = { task_id: id, owner_id, run, at, token_id, ...via };
    const entries = withAscendingIds(events).map(([entryId, event]) => ({
      id: entryId,
      ...about,
      by: event.kind === 'missed' ? null : by,
      ...event,
    }));
    await insertEntries(trx, entries);
    return entries.at(-1)?.id;
  }

  #wakeEngineFor(task: Task): Task {
    if (task.next_fire_at) this.#wakeUp(task.next_fire_at);
    return task;
  }

  /** Returns the task and the caller's relation to it. A caller who may not see it gets `not_found`. */
  async getVisible(caller: Caller, id: string, db: Db = this.#db): Promise<{ task: Task; relation: Relation }> {
    const stored = await findTask(db, id);
    const relation = stored && relationTo(stored, caller, await this.#areMembers(db, stored, caller));
    if (!relation) throw notFound();
    const [task = stored] = await currentPlans(db, [stored], this.#clock.now());
    return { task, relation };
  }

  async #areMembers(db: Db, task: SeenTask, caller: TaskCaller): Promise<boolean> {
    if (task.space_id === null || task.owner_id === caller.userId) return false;
    return areMembers(db, task.space_id, [caller.userId, task.owner_id]);
  }
}

const notFound = () => new AppError('not_found', { sentence: 'There is no such task.' });

function toError(refusal: Refusal): Error {
  if (refusal !== 'until_in_past') return new AppError(refusal);
  return new InvalidInput({ type: 'value_error', loc: ['body', 'until'], msg: 'Input should be in the future' });
}

function toAction({ name, until, occurrenceDueAt: text }: ActionRequest, task: Task, zone: string): Action {
  const occurrenceDueAt = typeof text === 'string' ? namedOccurrence(task, parseWritten(text), zone) : text;
  switch (name) {
    case 'complete':
    case 'skip':
    case 'reopen':
      return { name, occurrenceDueAt };
    case 'snooze':
      return { name, until: parseInstant(until ?? '', zone), occurrenceDueAt };
    default:
      return { name };
  }
}
