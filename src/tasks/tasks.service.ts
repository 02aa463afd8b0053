/**
 * Tasks: who may do what with them is decided in `spaces/visibility.ts`, what happens then in
 * `task-state.ts`; here both are applied to the stored task, in one transaction with its row locked,
 * so that of two people pressing different buttons at once one wins and the other gets a clear answer.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { PlannedNudge } from '../escalation/plan-nudge.ts';
import type { Caller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { type Relation, relationTo } from '../spaces/visibility.ts';
import { admitMove, admitToSpace, isRequestOutside, refuseTooManyRequests } from './admission.ts';
import { dueNext } from './due.ts';
import { newTask } from './new-task.ts';
import { addToCounts, deleteOutcome, insertOutcome } from './outcomes.store.ts';
import { derive, forecastOf } from './plan-task.ts';
import { recordLostSight } from './sync.store.ts';
import { applyEdit, isRefusedWhenClosed } from './task-edit.ts';
import { readEdit, readInstant, readStoredRule, type TaskCreation, type TaskUpdate } from './task-input.ts';
import { type Action, type Actor, act, type Refusal, type Task, type Verdict } from './task-state.ts';
import {
  findOwner,
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

const OWN_TASKS_ONLY = 'An access token acts on the tasks of its own user only.';

export interface ActionRequest {
  readonly name: Action['name'];
  readonly until?: string;
  /** Given, it binds the action to that occurrence. */
  readonly occurrenceDueAt?: string | null | undefined;
}

export class TasksService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;

  constructor(db: Kysely<Database>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** A token never sees what its user assigned to others. */
  async list(caller: Caller, query: Omit<TaskQuery, 'of' | 'now'> & { readonly assigned: boolean }): Promise<Task[]> {
    if (query.assigned && caller.kind === 'token') return [];
    const of = query.assigned ? { assignerId: caller.userId } : { ownerId: caller.userId };
    return listTasks(this.#db, { ...query, of, now: this.#clock.now() });
  }

  async get(caller: Caller, id: string): Promise<Task> {
    return (await this.#see(this.#db, caller, id)).task;
  }

  /** For those whom the nudges concern: the owner who gets them, and the assigner who counts on them. */
  async forecast(caller: Caller, id: string, most: number): Promise<PlannedNudge[]> {
    const { task, relation } = await this.#see(this.#db, caller, id);
    if (relation === 'member') throw new AppError('not_allowed');
    const owner = await findOwner(this.#db, task.owner_id);
    return owner ? forecastOf(task, owner, this.#clock.now(), most) : [];
  }

  async create(caller: Caller, input: TaskCreation): Promise<Task> {
    return transact(this.#db, async (trx) => {
      const ownerId = input.owner_id ?? caller.userId;
      const isAssigned = ownerId !== caller.userId;
      if (isAssigned && caller.kind === 'token') throw new AppError('not_allowed', { sentence: OWN_TASKS_ONLY });
      if (isAssigned) await lockAssigner(trx, caller.userId);
      const owner = await lockOwner(trx, ownerId);
      if (!owner) throw new AppError('not_found', { sentence: 'There is no such account.' });
      await admitToSpace(trx, caller, ownerId, input.space_id ?? null);
      const task = newTask(owner, isAssigned ? caller.userId : null, input, this.#clock.now());
      await refuseTooManyRequests(trx, task);
      await addToCounts(trx, ownerId, { open: 1 });
      return insertTask(trx, { ...task, ...derive(task, owner, this.#clock.now()) });
    });
  }

  async update(caller: Caller, id: string, input: TaskUpdate): Promise<Task> {
    return this.#change(caller, id, async (trx, task, owner, relation) => {
      if (input.space_id !== undefined && input.space_id !== task.space_id) {
        await admitMove(trx, caller, task, relation, input.space_id);
      }
      const edit = readEdit(task, owner.timezone, input);
      if (isRefusedWhenClosed(task, input)) throw new AppError('task_closed');
      return { kind: 'changed', changes: applyEdit(task, edit, this.#clock.now()) };
    });
  }

  async act(caller: Caller, id: string, request: ActionRequest): Promise<Task> {
    return this.#change(caller, id, async (trx, task, owner, relation) => {
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
    const moved = derived.filter(
      ({ task, next_fire_at, overdue_at }) =>
        !isSameInstant(next_fire_at, task.next_fire_at) || !isSameInstant(overdue_at, task.overdue_at),
    );
    await moveTasks(trx, moved);
  }

  /** Sees, locks, decides, replans and writes: the way of every change. */
  async #change(
    caller: Caller,
    id: string,
    decide: (trx: Kysely<Database>, task: Task, owner: Owner, relation: Relation) => Promise<Verdict>,
  ): Promise<Task> {
    return transact(this.#db, async (trx) => {
      const { task: seen } = await this.#see(trx, caller, id);
      const owner = await lockOwner(trx, seen.owner_id);
      const task = await lockTask(trx, id);
      const relation = task && relationTo(task, caller, await this.#isMemberOf(trx, task, caller));
      if (!owner || !task || !relation) throw notFound();
      if (relation === 'member') throw new AppError('not_allowed');
      const verdict = await decide(trx, task, owner, relation);
      if (verdict.kind === 'refused') throw toError(verdict.refusal);
      if (verdict.kind === 'unchanged') return task;
      const now = this.#clock.now();
      const changed = { ...task, ...verdict.changes, updated_at: now };
      const opened = Number(changed.status === 'open') - Number(task.status === 'open');
      if (opened !== 0) await addToCounts(trx, task.owner_id, { open: opened });
      await recordLostSight(trx, task, changed);
      if (!isRequestOutside(task)) await refuseTooManyRequests(trx, changed);
      return updateTask(trx, id, { ...verdict.changes, updated_at: now, ...derive(changed, owner, now) });
    });
  }

  async #see(db: Kysely<Database>, caller: Caller, id: string): Promise<{ task: Task; relation: Relation }> {
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
