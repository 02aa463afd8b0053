/**
 * Tasks: who may do what with them is decided in `spaces/visibility.ts`, what happens then in
 * `task-state.ts`; here both are applied to the stored task, in one transaction with its row locked,
 * so that of two people pressing different buttons at once one wins and the other gets a clear answer.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { type Relation, relationTo } from '../spaces/visibility.ts';
import { admitMove, admitToSpace, isRequestOutside, refuseTooManyOpen, refuseTooManyRequests } from './admission.ts';
import { dueNext } from './due.ts';
import { newTask } from './new-task.ts';
import { addToCounts, deleteOutcome, insertOutcome } from './outcomes.store.ts';
import { derive } from './plan-task.ts';
import { recordLostSight } from './sync.store.ts';
import { applyEdit, isRefusedWhenClosed } from './task-edit.ts';
import { readEdit, readInstant, readStoredRule, type TaskCreation, type TaskUpdate } from './task-input.ts';
import { type Action, type Actor, act, type Refusal, type Task, type Verdict } from './task-state.ts';
import {
  findTask,
  insertTask,
  isMember,
  listTasks,
  lockAssigner,
  lockOpenTasks,
  lockOwner,
  lockTask,
  moveTasks,
  type Owner,
  type TaskQuery,
  updateTask,
} from './tasks.store.ts';
import { cancelDeliveries, endActivities, insertEntries } from './timeline.store.ts';
import { type Deed, deedsOf, keepsRun } from './timeline.ts';

const OWN_TASKS_ONLY = 'An access token acts on the tasks of its own user only.';

export interface ActionRequest {
  readonly name: Action['name'];
  readonly until?: string;
  /** Given, it binds the action to that occurrence. */
  readonly occurrenceDueAt?: string | null | undefined;
}

/** Told, once it is safely stored, when a task wants to be looked at next; without a moment: something is to be sent now. */
export type WakeUp = (at?: Date) => void;

export class TasksService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #wakeUp: WakeUp;

  constructor(db: Kysely<Database>, clock: Clock, wakeUp: WakeUp) {
    this.#db = db;
    this.#clock = clock;
    this.#wakeUp = wakeUp;
  }

  /** A token never sees what its user assigned to others. */
  async list(caller: Caller, query: Omit<TaskQuery, 'of' | 'now'> & { readonly assigned: boolean }): Promise<Task[]> {
    if (query.assigned && caller.kind === 'token') return [];
    const of = query.assigned ? { assignerId: caller.userId } : { ownerId: caller.userId };
    return listTasks(this.#db, { ...query, of, now: this.#clock.now() });
  }

  async get(caller: Caller, id: string): Promise<Task> {
    return (await this.see(caller, id)).task;
  }

  async create(caller: Caller, input: TaskCreation): Promise<Task> {
    const created = await transact(this.#db, async (trx) => {
      const ownerId = input.owner_id ?? caller.userId;
      const isAssigned = ownerId !== caller.userId;
      if (isAssigned && caller.kind === 'token') throw new AppError('not_allowed', { sentence: OWN_TASKS_ONLY });
      if (isAssigned) await lockAssigner(trx, caller.userId);
      const owner = await lockOwner(trx, ownerId);
      if (!owner) throw new AppError('not_found', { sentence: 'There is no such account.' });
      await admitToSpace(trx, caller, ownerId, input.space_id ?? null);
      const task = newTask(owner, caller, input, this.#clock.now());
      await refuseTooManyRequests(trx, task);
      await refuseTooManyOpen(trx, task, caller);
      await addToCounts(trx, ownerId, { open: 1 });
      const stored = await insertTask(trx, { ...task, ...derive(task, owner, this.#clock.now()) });
      const deed = { kind: 'created', until: null, occurrence_due_at: stored.due_at } as const;
      await this.#tell(trx, stored, caller, isAssigned ? 'assigner' : 'owner', [deed]);
      return stored;
    });
    return this.#announced(created);
  }

  async update(caller: Caller, id: string, input: TaskUpdate): Promise<Task> {
    return this.#change(caller, id, 'edit', async (trx, task, owner, relation) => {
      if (input.space_id !== undefined && input.space_id !== task.space_id) {
        await admitMove(trx, caller, task, relation, input.space_id);
      }
      const edit = readEdit(task, owner.timezone, input);
      if (isRefusedWhenClosed(task, input)) throw new AppError('task_closed');
      return { kind: 'changed', changes: applyEdit(task, edit, this.#clock.now()) };
    });
  }

  async act(caller: Caller, id: string, request: ActionRequest): Promise<Task> {
    return this.#change(caller, id, request.name, async (trx, task, owner, relation) => {
      const now = this.#clock.now();
      const outcomeId = newId();
      const rule = readStoredRule(task.recurrence);
      const next = () => (rule ? dueNext(task, rule, owner.timezone, now) : null);
      const verdict = act(task, toAction(request, owner.timezone), { actor: relation as Actor, now, outcomeId, next });
      if (verdict.kind === 'changed') await this.#record(trx, task, verdict, outcomeId, now);
      return verdict;
    });
  }

  async #record(
    trx: Kysely<Database>,
    task: Task,
    verdict: Extract<Verdict, { kind: 'changed' }>,
    outcomeId: string,
    now: Date,
  ): Promise<void> {
    if (verdict.outcome) {
      const seconds_taken = Math.max(0, Math.round((now.getTime() - task.occurrence_started_at.getTime()) / 1_000));
      const occurrence = {
        task_id: task.id,
        title: task.title,
        occurrence_due_at: task.due_at,
        outcome: verdict.outcome,
      };
      await insertOutcome(trx, {
        id: outcomeId,
        owner_id: task.owner_id,
        ...occurrence,
        seconds_taken,
        recorded_at: now,
      });
      await addToCounts(trx, task.owner_id, countsOf(verdict.outcome, seconds_taken, 1));
    }
    const withdrawn = verdict.withdraws && (await deleteOutcome(trx, verdict.withdraws));
    if (withdrawn) await addToCounts(trx, task.owner_id, countsOf(withdrawn.outcome, withdrawn.seconds_taken, -1));
  }

  /** Runs after a change of the owner's settings, inside its transaction: every moment that depends on them moves along. */
  async replanOwner(trx: Kysely<Database>, ownerId: string): Promise<void> {
    const owner = await lockOwner(trx, ownerId);
    if (!owner) return;
    const now = this.#clock.now();
    const open = await lockOpenTasks(trx, ownerId);
    const derived = open.map((task) => ({ task, id: task.id, ...derive(task, owner, now) }));
    const moved = derived.filter(({ task, ...now }) => !MOMENTS.every((name) => isSameInstant(now[name], task[name])));
    await moveTasks(trx, moved);
  }

  /** Sees, locks, decides, replans and writes: the way of every change. */
  async #change(
    caller: Caller,
    id: string,
    action: Action['name'] | 'edit',
    decide: (trx: Kysely<Database>, task: Task, owner: Owner, relation: Relation) => Promise<Verdict>,
  ): Promise<Task> {
    let hasCardToEnd = false;
    const stored = await transact(this.#db, async (trx) => {
      const { task, owner, relation } = await this.#lock(trx, caller, id);
      const verdict = await decide(trx, task, owner, relation);
      if (verdict.kind === 'refused') throw toError(verdict.refusal);
      if (verdict.kind === 'unchanged') return task;
      const now = this.#clock.now();
      const changed = { ...task, ...verdict.changes, updated_at: now };
      await this.#follow(trx, task, changed, caller);
      const entryId = await this.#tell(trx, task, caller, relation, deedsOf(task, verdict.changes, action));
      if (entryId !== undefined && !keepsRun(verdict.changes)) {
        await cancelDeliveries(trx, id);
        hasCardToEnd = await endActivities(trx, id, entryId, now);
      }
      return updateTask(trx, id, { ...verdict.changes, updated_at: now, ...derive(changed, owner, now) });
    });
    if (hasCardToEnd) this.#wakeUp();
    return this.#announced(stored);
  }

  async #lock(trx: Kysely<Database>, caller: Caller, id: string) {
    const { task: seen } = await this.see(caller, id, trx);
    const owner = await lockOwner(trx, seen.owner_id);
    const task = await lockTask(trx, id);
    const relation = task && relationTo(task, caller, await this.#isMemberOf(trx, task, caller));
    if (!owner || !task || !relation) throw notFound();
    if (relation === 'member') throw new AppError('not_allowed');
    return { task, owner, relation };
  }

  /** What a change brings with it elsewhere. */
  async #follow(trx: Kysely<Database>, task: Task, changed: Task, caller: Caller): Promise<void> {
    const opened = Number(changed.status === 'open') - Number(task.status === 'open');
    if (opened > 0) await refuseTooManyOpen(trx, changed, caller);
    if (opened !== 0) await addToCounts(trx, task.owner_id, { open: opened });
    await recordLostSight(trx, task, changed);
    if (!isRequestOutside(task)) await refuseTooManyRequests(trx, changed);
  }

  /** Resolves with the id of the last entry. */
  async #tell(
    trx: Kysely<Database>,
    { id, owner_id }: Pick<Task, 'id' | 'owner_id'>,
    caller: Caller,
    by: Actor,
    deeds: readonly Deed[],
  ): Promise<string | undefined> {
    const told = { task_id: id, owner_id, at: this.#clock.now(), by, ...NOT_A_NUDGE };
    const token_id = caller.kind === 'token' ? caller.tokenId : null;
    const entries = deeds.map((deed) => ({ id: newId(), ...told, token_id, ...deed }));
    await insertEntries(trx, entries);
    return entries.at(-1)?.id;
  }

  #announced(task: Task): Task {
    if (task.next_fire_at) this.#wakeUp(task.next_fire_at);
    return task;
  }

  /** The task and what the caller is to it; who may not see it is told that there is none. */
  async see(caller: Caller, id: string, db: Kysely<Database> = this.#db): Promise<{ task: Task; relation: Relation }> {
    const task = await findTask(db, id);
    const relation = task && relationTo(task, caller, await this.#isMemberOf(db, task, caller));
    if (!relation) throw notFound();
    return { task, relation };
  }

  async #isMemberOf(db: Kysely<Database>, task: Task, caller: Caller): Promise<boolean> {
    return (
      task.space_id !== null && task.owner_id !== caller.userId && (await isMember(db, task.space_id, caller.userId))
    );
  }
}

const NOT_A_NUDGE = { stage: null, holds: null, devices: null, devices_reached: null };

const MOMENTS = ['next_fire_at', 'wanted_at', 'overdue_at'] as const;

const isSameInstant = (a: Date | null, b: Date | null) => a?.getTime() === b?.getTime();

const notFound = () => new AppError('not_found', { sentence: 'There is no such task.' });

function toError(refusal: Refusal): Error {
  if (refusal !== 'until_in_past') return new AppError(refusal);
  return new InvalidInput({ type: 'value_error', loc: ['body', 'until'], msg: 'Input should be in the future' });
}

const countsOf = (outcome: string, seconds: number, sign: 1 | -1) =>
  outcome === 'done' ? { done: sign, seconds_to_done: sign * seconds } : { skipped: sign };

function toAction({ name, until, occurrenceDueAt: text }: ActionRequest, zone: string): Action {
  const occurrenceDueAt = typeof text === 'string' ? readInstant(text, zone) : text;
  switch (name) {
    case 'complete':
    case 'skip':
      return { name, occurrenceDueAt };
    case 'snooze':
      return { name, until: readInstant(until ?? '', zone), occurrenceDueAt };
    default:
      return { name };
  }
}
