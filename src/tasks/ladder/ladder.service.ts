/**
 * The ladder and the heads-ups of a task. Only its owner chooses them: how hard a task insists is theirs to say. A
 * change is an edit like any other, with an entry in the timeline that can be put back.
 */
import type { Db } from '../../db/schema.ts';
import { type LadderChoice, readBook } from '../../escalation/choose-ladder.ts';
import type { HeadsUp } from '../../escalation/plan-nudge.ts';
import { type GivenChoice, readChoice, requireFit } from '../../escalation/read-choice.ts';
import type { Caller } from '../../lib/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import { isOtherLadder } from '../plan-task.ts';
import type { TaskChanges } from '../task-changes.ts';
import { editTask, isAnyChanged, type LadderEdit } from '../task-edit.ts';
import type { Task } from '../task-state.ts';
import type { TasksService } from '../tasks.service.ts';
import { findOwner, type Owner } from '../tasks.store.ts';
import type { ForecastNudge, TimelineService } from '../timeline/timeline.service.ts';
import { checkShortestWait, limitsAfter } from '../token-limits.ts';
import { type ShownLadder, showLadder } from './fit-ladder.ts';
import { headsUpsOf, readHeadsUps } from './heads-ups.ts';

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  readonly changes: TaskChanges;
  readonly tasks: Pick<TasksService, 'getVisible'>;
  readonly timeline: Pick<TimelineService, 'forecast'>;
}

export class TaskLadderService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async get(caller: Caller, id: string): Promise<ShownLadder> {
    const { task, owner, relation } = await this.#read(caller, id);
    return showLadder(task, owner.ladders, relation === 'owner');
  }

  async choose(caller: Caller, id: string, given: GivenChoice): Promise<ShownLadder> {
    const choice = readChoice(given);
    const { task, ladders } = await this.#edit(caller, id, (task, owner) => {
      requireChoice(caller, task, owner, choice);
      return { ladder: JSON.stringify(choice) };
    });
    return showLadder(task, ladders, true);
  }

  /** Back to the ladder of its label or of the account. */
  async unchoose(caller: Caller, id: string): Promise<ShownLadder> {
    const { task, ladders } = await this.#edit(caller, id, () => ({ ladder: null }));
    return showLadder(task, ladders, true);
  }

  /** The nudges as they would be with the ladder. Nothing is stored. */
  async preview(
    caller: Caller,
    id: string,
    given: GivenChoice,
    limit: number,
  ): Promise<{ nudges: ForecastNudge[]; fitted: ShownLadder['fitted'] }> {
    const choice = readChoice(given);
    const { task, owner, relation } = await this.#read(caller, id);
    if (relation !== 'owner') throw new AppError('not_allowed');
    requireChoice(caller, task, owner, choice);
    const wanted = { ...task, ladder: JSON.stringify(choice) };
    const changed = { ...wanted, ...limitsOf(caller, task, wanted, owner, true) };
    const nudges = await this.#parts.timeline.forecast(caller, id, limit, changed);
    return { nudges, fitted: showLadder(changed, owner.ladders, true).fitted };
  }

  async getHeadsUps(caller: Caller, id: string): Promise<HeadsUp[]> {
    return headsUpsOf((await this.#parts.tasks.getVisible(caller, id)).task);
  }

  async setHeadsUps(caller: Caller, id: string, given: readonly HeadsUp[]): Promise<HeadsUp[]> {
    const headsUps = readHeadsUps(given);
    return headsUpsOf((await this.#edit(caller, id, () => headsUps)).task);
  }

  async #edit(caller: Caller, id: string, decide: (task: Task, owner: Owner) => LadderEdit) {
    let ladders: string | null = null;
    const task = await this.#parts.changes.change(caller, id, 'edit', async (_trx, task, owner, relation) => {
      if (relation !== 'owner') return { kind: 'refused', refusal: 'not_allowed' };
      if (task.status !== 'open') return { kind: 'refused', refusal: 'task_closed' };
      ladders = owner.ladders;
      const edit = decide(task, owner);
      const isLadderChosen = 'ladder' in edit;
      const changes = editTask(task, edit, owner.timezone, this.#parts.clock.now());
      // The owner can choose the same ladder again to end the limits of a token.
      const limits = limitsOf(caller, task, { ...task, ...changes }, owner, isLadderChosen);
      if (!isAnyChanged(task, { ...changes, ...limits })) return { kind: 'unchanged' };
      return { kind: 'changed', changes, isLadderChosen };
    });
    return { task, ladders };
  }

  async #read(caller: Caller, id: string) {
    const { task, relation } = await this.#parts.tasks.getVisible(caller, id);
    const owner = await findOwner(this.#parts.db, task.owner_id);
    if (!owner) throw new AppError('not_found', { sentence: 'There is no such task.' });
    return { task, owner, relation };
  }
}

const limitsOf = (caller: Caller, task: Task, wanted: Task, owner: Owner, isChosen: boolean) =>
  limitsAfter(task, wanted, caller, 'edit', { isNew: isOtherLadder(task, wanted, owner), isChosen });

function requireChoice(caller: Caller, task: Task, { ladders }: Owner, choice: LadderChoice): void {
  const ladder = requireFit(choice, readBook(ladders), task.break_quiet_hours);
  checkShortestWait(caller, ladder);
}
