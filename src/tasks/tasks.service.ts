/**
 * Creates, edits and closes tasks. `visibility.ts` decides who may see a task, `task-state.ts` what an action does to
 * it, and `task-changes.ts` stores it.
 */
import type { Db } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import type { Caller, TaskCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { currentPlans } from './current-plans.ts';
import { namedOccurrence, nextDueFields, passedOver } from './due.ts';
import { newTask } from './new-task.ts';
import { NewTaskOwners } from './new-task-owners.ts';
import { nextDates } from './next-dates.ts';
import { addToCounts, recordOutcome } from './outcomes.store.ts';
import { canRingAt, deriveFields, isStale } from './plan-task.ts';
import { isTold } from './requests/request-messages.ts';
import { tellOfNewTask } from './requests/tell-people.ts';
import { findShownTask, type ShownTask, type TaskQuery } from './shown-tasks.store.ts';
import { sharesSpace } from './space-tasks.store.ts';
import { type Change, notFound, recordEvents, TaskChanges, type WakeUp } from './task-changes.ts';
import {
  checkMayRing,
  checkQuietHours,
  checkRequestLimit,
  checkSpaceChange,
  checkSpaceMembers,
  checkStoredTasks,
  checkTokenLimit,
  losesAssigner,
  roomFor,
} from './task-checks.ts';
import {
  applyEdit,
  editTask,
  isAnyChanged,
  isRefusedWhenClosed,
  type Move,
  moveTask,
  type TaskEdit,
} from './task-edit.ts';
import {
  parseInstant,
  parseStoredRule,
  parseWritten,
  type TaskCreation,
  type TaskUpdate,
  toCreation,
} from './task-input.ts';
import { readTaskList, type TaskList } from './task-list.ts';
import { type Action, type Actor, act, newRun, type Task } from './task-state.ts';
import { findOwner, findTask, insertTask, lockAssigner } from './tasks.store.ts';
import { recordWriters } from './text-writers.store.ts';
import { findChange, RESTORABLE_MS } from './timeline/changes.store.ts';
import { changedFields, readReplaced, restore } from './timeline/changes.ts';
import { audienceOf, type Relation, relationTo } from './visibility.ts';

/** The state before the creation, for checks that compare a task with its next state. */
const NEW_TASK = { break_quiet_hours: false, accepted_by_owner: false };
const NOT_THE_NEXT_MOMENT = {
  type: 'value_error',
  loc: ['body', 'at'],
  msg:
    'Input should be the wanted_at of one of the next nudges, as the forecast lists them, and at most 15 minutes ago; ' +
    'for another moment, snooze the task until then first',
};
const OWN_TASKS_ONLY = 'An access token acts on the tasks of its own user only.';

export interface ActionRequest {
  readonly name: Action['name'];
  readonly until?: string;
  /** If given, the action is refused for any other occurrence. */
  readonly occurrenceDueAt?: string | null | undefined;
  /** The bulk change that the action belongs to, or takes back. */
  readonly batchId?: string | undefined;
}

export type Step = ActionRequest | { readonly edit: TaskEdit };
export type Steps = readonly [Step, ...Step[]];

/** Checks or stores something in the transaction of a change, with the locked task as it was before, or the new one. */
export type Alongside = (trx: Db, task: Task) => Promise<void>;

type PreviewedEdit = Pick<TaskUpdate, 'due_at' | 'has_time' | 'recurrence'>;
const PREVIEWED = 5;

export interface MoveRequest extends Move {
  readonly occurrenceDueAt?: string | null | undefined;
}

export class TasksService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #wakeUp: WakeUp;
  readonly #maxOpenTasks: number;
  readonly #newTaskOwners = new NewTaskOwners();
  readonly #changes: TaskChanges;

  constructor(db: Db, clock: Clock, wakeUp: WakeUp, maxOpenTasks: number) {
    this.#db = db;
    this.#clock = clock;
    this.#wakeUp = wakeUp;
    this.#maxOpenTasks = maxOpenTasks;
    this.#changes = new TaskChanges(db, clock, wakeUp, maxOpenTasks);
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
    if (!relationTo(shown, caller, await sharesSpace(this.#db, shown, caller))) throw notFound();
    return shown;
  }

  async create(caller: Caller, input: TaskCreation, alongside?: Alongside): Promise<Task> {
    // A rule can be refused because of the owner's zone, and that must be the present one.
    let mayExpect = input.recurrence == null;
    const created = await transact(this.#db, async (trx) => {
      const expects = mayExpect;
      mayExpect = false;
      const task = await this.#createIn(trx, caller, input, expects);
      await alongside?.(trx, task);
      return task;
    });
    if (isTold(created)) this.#wakeUp();
    return this.#wakeEngineFor(created);
  }

  async #createIn(trx: Db, caller: Caller, input: TaskCreation, mayExpect: boolean): Promise<Task> {
    const ownerId = input.owner_id ?? caller.userId;
    const isAssigned = ownerId !== caller.userId;
    const by = isAssigned ? 'assigner' : 'owner';
    const added = { open: 1, stored: isAssigned ? 0 : 1 };
    if (isAssigned && caller.kind === 'token') throw new AppError('not_allowed', { sentence: OWN_TASKS_ONLY });
    if (isAssigned) await lockAssigner(trx, caller.userId);
    const room = roomFor(added, this.#maxOpenTasks);
    const { owner, counts } = await this.#newTaskOwners.lock(trx, ownerId, room, mayExpect);
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
    await recordEvents(trx, task, caller, by, [event], this.#clock.now());
    await tellOfNewTask(trx, task, this.#clock.now());
    announce(trx, audienceOf(task));
    return task;
  }

  /**
   * The person who asked takes the request back, and gives the same task to another member of the space or does it
   * themselves. That is a new task, because a task has one owner for life.
   */
  async ask(caller: Caller, id: string, ownerId: string): Promise<Task> {
    let asked: Task | undefined;
    await this.#changes.change(caller, id, 'drop', async (trx, task, _owner, relation) => {
      if (relation !== 'assigner' || task.owner_id === ownerId) return { kind: 'refused', refusal: 'not_allowed' };
      if (task.status !== 'open') return { kind: 'refused', refusal: 'task_closed' };
      if (task.accepted_by_owner) return { kind: 'refused', refusal: 'task_not_pending' };
      asked = await this.#createIn(trx, caller, { ...toCreation(task), owner_id: ownerId }, false);
      const now = this.#clock.now();
      return act(task, { name: 'drop' }, { actor: relation, tokenId: null, now, outcomeId: newId(), next: () => null });
    });
    if (!asked) throw notFound();
    return this.#wakeEngineFor(asked);
  }

  async update(caller: Caller, id: string, input: TaskUpdate): Promise<Task> {
    return (await this.edit(caller, id, input)).task;
  }

  /** Returns the task, and what it replaced of it by the names of the fields. Changes all of it, or nothing. */
  async edit(
    caller: Caller,
    id: string,
    input: TaskEdit,
    alongside?: Alongside,
  ): Promise<{ task: Task; replaced: Partial<Task> }> {
    let replaced: Partial<Task> = {};
    const change = this.#editing(caller, input, alongside, (fields) => {
      replaced = fields;
    });
    return { task: await this.#changes.changeAll(caller, id, [change]), replaced };
  }

  #editing(
    caller: Caller,
    input: TaskEdit,
    alongside?: Alongside,
    onReplaced?: (fields: Partial<Task>) => void,
  ): Change {
    const decide: Change['decide'] = async (trx, task, owner, relation) => {
      await alongside?.(trx, task);
      const { space_id = task.space_id } = input;
      const isMoved = space_id !== task.space_id;
      if (isMoved) await checkSpaceChange(trx, caller, task, relation, space_id);
      const changes = applyEdit(task, input, owner.timezone, this.#clock.now());
      if (isMoved && (await losesAssigner(trx, task, space_id))) changes.assigner_id = null;
      if (isRefusedWhenClosed(task, input)) throw new AppError('task_closed');
      checkQuietHours(caller, relation, task, input.break_quiet_hours);
      onReplaced?.(Object.fromEntries(changedFields(task, changes).map((name) => [name, task[name]])));
      return isAnyChanged(task, changes) ? { kind: 'changed', changes } : { kind: 'unchanged' };
    };
    return { action: 'edit', decide };
  }

  /** The dates after the present one if the edit were made. Nothing is stored. */
  async preview(caller: Caller, id: string, edit: PreviewedEdit): Promise<Date[]> {
    const { task } = await this.getVisible(caller, id);
    const owner = await findOwner(this.#db, task.owner_id);
    if (!owner) throw notFound();
    const now = this.#clock.now();
    return nextDates({ ...task, ...editTask(task, edit, owner.timezone, now) }, owner.timezone, now, PREVIEWED);
  }

  /** Moves the current occurrence of a repeating task only. A task that does not repeat gets another due date. */
  async move(caller: Caller, id: string, { occurrenceDueAt, ...move }: MoveRequest): Promise<Task> {
    return this.#changes.change(caller, id, 'edit', async (_trx, task, owner) => {
      const zone = owner.timezone;
      const named = occurrenceDueAt == null ? task.due_at : namedOccurrence(task, parseWritten(occurrenceDueAt), zone);
      if (named?.getTime() !== task.due_at?.getTime()) return { kind: 'refused', refusal: 'occurrence_passed' };
      if (task.status !== 'open') return { kind: 'refused', refusal: 'task_closed' };
      const changes = moveTask(task, move, zone, this.#clock.now());
      return isAnyChanged(task, changes) ? { kind: 'changed', changes } : { kind: 'unchanged' };
    });
  }

  /**
   * Lets the nudge that is wanted at this moment pass quiet hours and pauses; null takes that back. Repeating it changes
   * nothing.
   */
  async ringAnyway(caller: Caller, id: string, at: string | null): Promise<Task> {
    return this.#changes.change(caller, id, 'edit', async (_trx, task, owner, relation) => {
      if (relation !== 'owner') return { kind: 'refused', refusal: 'not_allowed' };
      if (task.status !== 'open') return { kind: 'refused', refusal: 'task_closed' };
      if (!task.accepted_by_owner) return { kind: 'refused', refusal: 'task_not_accepted' };
      const moment = at === null ? null : parseInstant(at, owner.timezone);
      const changes = { rings_anyway_at: moment };
      if (!isAnyChanged(task, changes)) return { kind: 'unchanged' };
      checkMayRing(caller, moment);
      if (moment && !canRingAt(task, owner, moment, this.#clock.now())) throw new InvalidInput(NOT_THE_NEXT_MOMENT);
      return { kind: 'changed', changes };
    });
  }

  /** Ends a snooze that still lasts, so that the task rings as its due date says. Repeating it changes nothing. */
  async endSnooze(caller: Caller, id: string): Promise<Task> {
    return this.#changes.change(caller, id, 'edit', async (_trx, task) => {
      if (task.status !== 'open') return { kind: 'refused', refusal: 'task_closed' };
      if (!task.accepted_by_owner) return { kind: 'refused', refusal: 'task_not_accepted' };
      const now = this.#clock.now();
      const isSnoozed = task.deferred_until !== null && task.deferred_until > now;
      return isSnoozed
        ? { kind: 'changed', changes: { deferred_until: null, ...newRun(task, now) } }
        : { kind: 'unchanged' };
    });
  }

  /** The owner goes on without the person who assigned the task. Repeating it changes nothing. */
  async endAssignment(caller: Caller, id: string): Promise<Task> {
    return this.#changes.change(caller, id, 'edit', async (_trx, task, _owner, relation) => {
      if (relation !== 'owner') return { kind: 'refused', refusal: 'not_allowed' };
      return task.assigner_id === null ? { kind: 'unchanged' } : { kind: 'changed', changes: { assigner_id: null } };
    });
  }

  async act(caller: TaskCaller, id: string, request: ActionRequest, alongside?: Alongside): Promise<Task> {
    return this.#changes.changeAll(caller, id, [this.#acting(caller, request, alongside)]);
  }

  /** Takes one step after the other. All are stored, or none. */
  async take(caller: Caller, id: string, [first, ...more]: Steps, alongside?: Alongside): Promise<Task> {
    const changeFor = (step: Step, beside?: Alongside) =>
      'name' in step ? this.#acting(caller, step, beside) : this.#editing(caller, step.edit, beside);
    const changes = more.map((step) => changeFor(step));
    return this.#changes.changeAll(caller, id, [changeFor(first, alongside), ...changes]);
  }

  #acting(caller: TaskCaller, request: ActionRequest, alongside?: Alongside): Change {
    const decide: Change['decide'] = async (trx, task, owner, relation) => {
      await alongside?.(trx, task);
      const now = this.#clock.now();
      const outcomeId = newId();
      const rule = parseStoredRule(task.recurrence);
      const next = () => (rule ? nextDueFields(task, rule, owner.timezone, now) : null);
      const action = toAction(request, task, owner.timezone);
      const tokenId = caller.kind === 'token' ? caller.tokenId : null;
      const link = caller.kind === 'link' || caller.kind === 'stand_in' ? caller.link : undefined;
      const { batchId } = request;
      const result = act(task, action, { actor: relation as Actor, tokenId, link, batchId, now, outcomeId, next });
      if (result.kind !== 'changed') return result;
      const until = result.changes.status === undefined ? result.changes.due_at : now;
      const missed = result.outcome && rule && until ? passedOver(task, rule, owner.timezone, until) : undefined;
      const counts = await recordOutcome(trx, task, result, outcomeId, now, missed);
      return { ...result, counts, missed, batchId: request.name === 'reopen' ? undefined : batchId };
    };
    return { action: request.name, decide };
  }

  /** Puts back what the edit of this timeline entry replaced. Only the owner may, for as long as it is kept. */
  async restore(caller: Caller, id: string, entryId: string): Promise<Task> {
    return this.#changes.change(caller, id, 'edit', async (trx, task, owner, relation) => {
      if (relation !== 'owner') return { kind: 'refused', refusal: 'not_allowed' };
      const now = this.#clock.now();
      const change = await findChange(trx, id, entryId, new Date(now.getTime() - RESTORABLE_MS));
      if (!change) throw new AppError('nothing_to_restore');
      const replaced = readReplaced(change.before);
      if (isRefusedWhenClosed(task, replaced)) throw new AppError('task_closed');
      checkQuietHours(caller, relation, task, replaced.break_quiet_hours);
      const changes = restore(task, replaced, change.changed_at, owner.timezone, now);
      if (!isAnyChanged(task, changes)) return { kind: 'unchanged' };
      return { kind: 'changed', changes, isRestored: true, isLadderChosen: 'ladder' in replaced };
    });
  }

  #wakeEngineFor(task: Task): Task {
    if (task.next_fire_at) this.#wakeUp(task.next_fire_at);
    return task;
  }

  /** Returns the task and the caller's relation to it. A caller who may not see it gets `not_found`. */
  async getVisible(caller: Caller, id: string, db: Db = this.#db): Promise<{ task: Task; relation: Relation }> {
    const stored = await findTask(db, id);
    const relation = stored && relationTo(stored, caller, await sharesSpace(db, stored, caller));
    if (!relation) throw notFound();
    const [task = stored] = await currentPlans(db, [stored], this.#clock.now());
    return { task, relation };
  }
}

function toAction({ name, until, batchId, occurrenceDueAt: text }: ActionRequest, task: Task, zone: string): Action {
  const occurrenceDueAt = typeof text === 'string' ? namedOccurrence(task, parseWritten(text), zone) : text;
  switch (name) {
    case 'complete':
    case 'skip':
      return { name, occurrenceDueAt };
    case 'reopen':
      return { name, occurrenceDueAt, batchId };
    case 'snooze':
      return { name, until: parseInstant(until ?? '', zone), occurrenceDueAt };
    default:
      return { name };
  }
}
