/**
 * What stand-ins see and do: the tasks that have reached them, Done, Seen, and a snooze that silences only themselves.
 * Each is bound to the occurrence that reached them. What its owner sees of it is here too.
 */
import type { Static } from 'typebox';
import type { Db } from '../../db/schema.ts';
import { announce, transact } from '../../db/transact.ts';
import { releaseFrom } from '../../escalation/holds.ts';
import { HEADS_UP_STAGE } from '../../escalation/ladder.ts';
import type { PlannedNudge } from '../../escalation/plan-nudge.ts';
import type { PlanSettings } from '../../escalation/plan-settings.ts';
import type { Caller, StandInCaller } from '../../lib/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, InvalidInput } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { forecastTask } from '../plan-task.ts';
import { notFound } from '../task-changes.ts';
import type { Task } from '../task-state.ts';
import type { TasksService } from '../tasks.service.ts';
import { findOwner } from '../tasks.store.ts';
import { insertEntries } from '../timeline/timeline.store.ts';
import { findReached, listReached, type ReachedTask, setSeen, setSnoozed } from './reached-tasks.store.ts';
import type { StandInTaskOut, TaskStandInOut } from './stand-ins.schemas.ts';
import { answerDeliveries, listCounting, listOfTask, listPeople, silenceTask } from './stand-ins.store.ts';
import { isExcluded, type StandIn, standInsFor, stateOf } from './stand-ins.ts';

const MOST_LISTED = 200;
/** How long a stand-in is shown who settled a task, and can take back their own Done. */
const SHOWN_SETTLED_MS = 86_400_000;
/** A ladder of the service repeats within its first rungs; nobody is told of a rung beyond these. */
const FORECAST_NUDGES = 130;

export const standInCaller = (userId: string, via: string | null = null): StandInCaller => ({
  kind: 'stand_in',
  userId,
  via,
  link: `stand-in ${userId}`,
});

export class ReachedTasksService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #tasks: Pick<TasksService, 'act' | 'getVisible'>;

  constructor(db: Db, clock: Clock, tasks: Pick<TasksService, 'act' | 'getVisible'>) {
    this.#db = db;
    this.#clock = clock;
    this.#tasks = tasks;
  }

  async list(userId: string): Promise<Static<typeof StandInTaskOut>[]> {
    return (await listReached(this.#db, userId, this.#settledSince(), MOST_LISTED)).map((row) => toOut(row, userId));
  }

  async get(userId: string, taskId: string): Promise<Static<typeof StandInTaskOut>> {
    return toOut(await this.#find(userId, taskId), userId);
  }

  async isShown(userId: string, taskId: string): Promise<boolean> {
    return (await findReached(this.#db, userId, taskId, this.#settledSince())) !== undefined;
  }

  /** An outcome of the owner. If somebody was faster, nothing more happens. `about` is the occurrence that was shown. */
  async complete(caller: StandInCaller, taskId: string, about?: string | null): Promise<Static<typeof StandInTaskOut>> {
    const reached = await this.#find(caller.userId, taskId);
    checkOccurrence(reached, about);
    const { occurrence_due_at, settled_at } = reached;
    const occurrenceDueAt = occurrence_due_at?.toISOString() ?? null;
    if (settled_at === null)
      await this.#tasks.act(caller, taskId, { name: 'complete', occurrenceDueAt }).catch(async (error: unknown) => {
        // Whoever waited for a faster Done finds that the run has gone on without them.
        if (!(error instanceof AppError) || (error.status !== 409 && error.code !== 'not_found')) throw error;
        if ((await this.#find(caller.userId, taskId)).settled_how !== 'done') throw error;
      });
    return this.get(caller.userId, taskId);
  }

  /** Takes back the stand-in's own Done. */
  async reopen(caller: StandInCaller, taskId: string, about?: string | null): Promise<void> {
    const reached = await this.#find(caller.userId, taskId);
    checkOccurrence(reached, about);
    const occurrenceDueAt = reached.occurrence_due_at?.toISOString() ?? null;
    await this.#tasks.act(caller, taskId, { name: 'reopen', occurrenceDueAt });
  }

  async seen(caller: StandInCaller, taskId: string, about?: string | null): Promise<void> {
    await transact(this.#db, async (trx) => {
      const reached = await this.#find(caller.userId, taskId, trx);
      checkOccurrence(reached, about);
      const at = this.#clock.now();
      if (!(await setSeen(trx, taskId, caller.userId, at))) return;
      await answerDeliveries(trx, taskId, caller.userId, at);
      const { owner_id, run, occurrence_due_at, escalation_stage: stage } = reached;
      const entry = { task_id: taskId, owner_id, run, at, stage, occurrence_due_at, person_id: caller.userId };
      await insertEntries(trx, [{ id: newId(), ...entry, kind: 'acknowledged', by: 'stand_in', via: caller.via }]);
      announce(trx, [owner_id, caller.userId]);
    });
  }

  /** Silences the stand-in alone: the owner is nudged as before. */
  async snooze(caller: StandInCaller, taskId: string, until: Date, about?: string | null): Promise<void> {
    const now = this.#clock.now();
    if (until <= now)
      throw new InvalidInput({ type: 'value_error', loc: ['body', 'until'], msg: 'Input should be in the future' });
    await transact(this.#db, async (trx) => {
      const reached = await this.#find(caller.userId, taskId, trx);
      checkOccurrence(reached, about);
      if (reached.settled_at !== null) throw new AppError('task_closed');
      await silenceTask(trx, taskId, caller.userId);
      await setSnoozed(trx, taskId, caller.userId, until);
      announce(trx, [reached.owner_id, caller.userId]);
    });
  }

  /** Who is told of the task, from when on, and how far that has come. For its owner, and their tokens. */
  async ofTask(caller: Caller, taskId: string): Promise<Static<typeof TaskStandInOut>[]> {
    const { task, relation } = await this.#tasks.getVisible(caller, taskId);
    if (relation !== 'owner') throw notFound();
    const owner = await findOwner(this.#db, task.owner_id);
    const counting = await listCounting(this.#db, [task.owner_id]);
    const told = standInsFor(task, counting);
    const own = (await listOfTask(this.#db, taskId)).filter((row) => isExcluded(row) || row.agreed_at === null);
    const shown = [...told, ...own.filter((row) => !told.some(({ id }) => id === row.id))];
    if (shown.length === 0) return [];
    const people = await listPeople(
      this.#db,
      taskId,
      shown.map(({ person_id }) => person_id),
    );
    const now = this.#clock.now();
    const nudges = owner ? forecastTask(task, owner, now, FORECAST_NUDGES) : [];
    const due = nudges.filter(({ stage }) => stage !== HEADS_UP_STAGE);
    return shown.map((row) => toTaskOut(row, people.get(row.person_id), task, due, now));
  }

  #settledSince(): Date {
    return new Date(this.#clock.now().getTime() - SHOWN_SETTLED_MS);
  }

  async #find(userId: string, taskId: string, db: Db = this.#db): Promise<ReachedTask> {
    const reached = await findReached(db, userId, taskId, this.#settledSince());
    if (!reached) throw notFound();
    return reached;
  }
}

/** A message of an earlier occurrence may still be on a screen. */
function checkOccurrence({ occurrence_due_at }: ReachedTask, about: string | null | undefined): void {
  const instant = typeof about === 'string' ? Date.parse(about) : about;
  if (instant !== undefined && instant !== (occurrence_due_at?.getTime() ?? null))
    throw new AppError('occurrence_passed');
}

function toOut(row: ReachedTask, viewerId: string): Static<typeof StandInTaskOut> {
  const { settled_at: at, settled_by, settled_by_name: by, settled_how: how } = row;
  return {
    task_id: row.task_id,
    title: row.title,
    notes: row.notes,
    owner: { id: row.owner_id, display_name: row.owner_name },
    due_at: row.occurrence_due_at,
    has_time: row.has_time,
    must_not_miss: row.break_quiet_hours,
    stage: row.escalation_stage,
    stand_in_id: row.stand_in_id,
    is_either: row.from_rung === 0,
    told_at: row.told_at,
    last_told_at: row.last_told_at,
    seen_at: row.seen_at,
    snoozed_until: row.snoozed_until,
    settled: at && how !== null ? { at, by, is_own: settled_by === viewerId, how } : null,
  };
}

type Person = ReturnType<Awaited<ReturnType<typeof listPeople>>['get']>;

function toTaskOut(
  row: StandIn,
  person: Person,
  task: Task,
  due: readonly PlannedNudge[],
  now: Date,
): Static<typeof TaskStandInOut> {
  const reached = person?.run === task.run && person.settled_at === null ? person : undefined;
  return {
    id: row.id,
    space_id: row.space_id,
    person: { id: row.person_id, display_name: person?.display_name ?? null },
    from_rung: row.from_rung,
    for: row.task_id !== null ? 'task' : row.label !== null ? 'label' : 'everything',
    state: stateOf(row),
    starts_at: reached ? null : startOf(row, task, due),
    told_at: reached?.told_at ?? null,
    held_until: reached ? heldUntil(row, reached, task, now) : null,
    seen_at: reached?.seen_at ?? null,
  };
}

/** The nudge of their rung; the next one if the run has passed it. */
function startOf({ agreed_at, from_rung }: StandIn, { step }: Task, due: readonly PlannedNudge[]): Date | null {
  if (agreed_at === null || from_rung === null) return null;
  return due[Math.max(0, from_rung - step)]?.at ?? null;
}

function heldUntil(row: StandIn, settings: PlanSettings, task: Task, now: Date): Date | null {
  const { at } = releaseFrom(now, task.break_quiet_hours && row.passes_quiet_hours, settings);
  return at > now ? at : null;
}
