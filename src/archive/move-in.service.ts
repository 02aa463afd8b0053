/**
 * Imports a file that was previewed, in slices of its own that go on after the person has left, and takes all of it back
 * for a day.
 *
 *   preview ──start──▶ importing ──last slice──▶ done ──undo──▶ undoing ──last slice──▶ undone
 *                        │ │                                      ▲
 *                        │ └── limit of the account ──▶ stopped ──┤
 *                        └──────────────── undo ──────────────────┘
 *
 * A slice and where it stopped are stored in one transaction, so no task is imported twice or left out, whatever ends.
 */
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import { readBook } from '../escalation/choose-ladder.ts';
import { readNamedChoice, requireFit } from '../escalation/read-choice.ts';
import { cancelFollowUp, ROWS_AT_ONCE, type Slice, startFollowUp } from '../follow-ups/follow-ups.ts';
import type { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { removeImportedSlice } from '../tasks/remove-imported.ts';
import type { ImportRecord, TaskImportService } from '../tasks/task-import.service.ts';
import type { Owner } from '../tasks/tasks.store.ts';
import {
  deletePage,
  deleteSomePages,
  deleteSomePagesOf,
  findMoveIn,
  findPage,
  isUnderWay,
  listMoveIns,
  lockInState,
  lockMoveIn,
  type StoredMoveIn,
  updateMoveIn,
} from './move-in.store.ts';
import { applyChoices, type MoveInChoices } from './move-in-choices.ts';
import { readEntry } from './read-document.ts';
import type { MoveInContents, WaitingTask } from './read-move-in.ts';
import { isDueAlready, withoutNudges } from './read-task.ts';

export const UNDO_MS = 86_400_000;
/** What an import brought is listed for this long. */
const LISTED_MS = 30 * 86_400_000;

type Imports = Pick<TaskImportService, 'checkRoom' | 'lockOwner' | 'storePage'>;
type GivenChoices = Omit<MoveInChoices, 'ladder'> & { readonly ladder: Parameters<typeof readNamedChoice>[0] | null };
type Person = Pick<SessionCaller, 'userId'>;

interface MoveInParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly wallClock: Clock;
  readonly audit: Audit;
  readonly imports: Imports;
  /** Wakes the follow-ups. */
  readonly wakeUp: () => void;
  readonly rowsAtOnce?: number | undefined;
}

export class MoveInService {
  readonly #parts: MoveInParts;
  readonly #rowsAtOnce: number;

  constructor(parts: MoveInParts) {
    this.#parts = parts;
    this.#rowsAtOnce = parts.rowsAtOnce ?? ROWS_AT_ONCE;
  }

  async list({ userId }: Person): Promise<StoredMoveIn[]> {
    return listMoveIns(this.#parts.db, userId, this.#parts.wallClock.now());
  }

  async get({ userId }: Person, id: string): Promise<StoredMoveIn> {
    return orNotFound(await findMoveIn(this.#parts.db, userId, id, this.#parts.wallClock.now()));
  }

  canUndo({ state, started_at }: StoredMoveIn): boolean {
    const age = started_at && this.#parts.clock.now().getTime() - started_at.getTime();
    return age !== null && age < UNDO_MS && ['importing', 'stopped', 'done'].includes(state);
  }

  /** Does the first slice; the engine does the others. */
  async start({ userId }: Person, id: string, given: GivenChoices, address: string): Promise<StoredMoveIn> {
    const { db, wallClock, clock, imports, wakeUp, audit } = this.#parts;
    await transact(db, async (trx) => {
      const owner = await this.#lockOwner(trx, userId);
      const moveIn = orNotFound(await lockMoveIn(trx, userId, id, wallClock.now()));
      if (moveIn.state !== 'preview') throw new AppError('request_in_progress', { sentence: STARTED });
      if (await isUnderWay(trx, userId)) throw new AppError('request_in_progress', { sentence: ONE_AT_A_TIME });
      const choices = { ...given, ladder: given.ladder && readLadderChoice(given.ladder, owner) };
      const contents = contentsOf(moveIn);
      requireLists(choices, contents);
      // Which of the tasks are there already is not known, so this refuses only what cannot fit. Slices check exactly.
      const [open, stored] = [contents.open, choices.which === 'open' ? contents.open : contents.tasks];
      const missing = (count: number) => Math.max(0, count - contents.already_there);
      await imports.checkRoom(trx, userId, { open: missing(open), stored: missing(stored) });
      const expires_at = new Date(wallClock.now().getTime() + LISTED_MS);
      await updateMoveIn(trx, id, {
        state: 'importing',
        choices: JSON.stringify(choices),
        started_at: clock.now(),
        expires_at,
      });
      await startFollowUp(
        trx,
        followUpOf('move_in', userId),
        (...slice) => this.importSlice(...slice),
        this.#rowsAtOnce,
      );
    });
    wakeUp();
    const moveIn = await this.get({ userId }, id);
    const { source, tasks } = contentsOf(moveIn);
    audit.record('tasks_imported', { result: 'started', address, user_id: userId, source, tasks });
    return moveIn;
  }

  async importSlice(trx: Db, { user_id }: { readonly user_id: string }, limit: number): Promise<Slice> {
    const { imports } = this.#parts;
    const owner = await imports.lockOwner(trx, user_id);
    const moveIn = owner && (await lockInState(trx, user_id, 'importing'));
    if (!moveIn) return DONE;
    const page = await findPage(trx, moveIn.id, moveIn.page);
    const all: readonly WaitingTask[] = page === undefined ? [] : JSON.parse(page);
    const some = all.slice(moveIn.offset_in_page, moveIn.offset_in_page + limit);
    const { records, refused, unwanted } = this.#toRecords(some, moveIn, owner);
    const stored = await this.#store(trx, moveIn, owner, records);
    if ('problem' in stored) {
      await updateMoveIn(trx, moveIn.id, { state: 'stopped', problem: stored.problem });
      return { rows: some.length, isDone: true };
    }
    const end = moveIn.offset_in_page + some.length;
    const isPageOver = end >= all.length;
    const isDone = isPageOver && moveIn.page + 1 >= moveIn.pages;
    if (isPageOver) await deletePage(trx, moveIn.id, moveIn.page);
    await updateMoveIn(trx, moveIn.id, {
      state: isDone ? 'done' : 'importing',
      page: isPageOver ? moveIn.page + 1 : moveIn.page,
      offset_in_page: isPageOver ? 0 : end,
      processed: moveIn.processed + some.length,
      imported: moveIn.imported + stored.imported,
      already_there: moveIn.already_there + records.length - stored.imported,
      refused: moveIn.refused + refused,
      overdue: moveIn.overdue + stored.overdue,
    });
    return { rows: Math.max(1, some.length - unwanted), isDone };
  }

  /** Validated when they were read. Settings may have changed since, so a task can still be refused. */
  #toRecords(waiting: readonly WaitingTask[], { choices }: StoredMoveIn, owner: Owner) {
    const chosen: MoveInChoices = JSON.parse(choices ?? '{}');
    const context = { owner, canAdoptZone: false, now: this.#parts.clock.now() };
    const wanted = waiting.map((one) => applyChoices(one, chosen)).filter((task) => task !== undefined);
    const items = wanted.map((task) => readEntry({ title: undefined, task, isForeign: false }, context));
    const records = items.flatMap((item): ImportRecord[] => {
      if (!('record' in item)) return [];
      const { record } = item;
      if (!isDueAlready(record.task, context.now)) return [record];
      return [{ ...withoutNudges(record, context), undecidedMode: record.task.mode }];
    });
    return { records, refused: items.length - records.length, unwanted: waiting.length - wanted.length };
  }

  async #store(trx: Db, { id, user_id }: StoredMoveIn, owner: Owner, records: readonly ImportRecord[]) {
    try {
      const stored =
        records.length === 0 ? undefined : await this.#parts.imports.storePage(trx, user_id, owner, records, id);
      const isNew = (_: unknown, index: number) => stored?.imported[index]?.isNew ?? false;
      const fresh = records.filter(isNew);
      return { imported: fresh.length, overdue: fresh.filter((one) => one.undecidedMode !== undefined).length };
    } catch (error) {
      // Nothing of the slice was written: the limits are checked first.
      if (error instanceof AppError && (error.code === 'too_many_open_tasks' || error.code === 'too_many_tasks'))
        return { problem: error.message };
      throw error;
    }
  }

  async #lockOwner(trx: Db, userId: string): Promise<Owner> {
    const owner = await this.#parts.imports.lockOwner(trx, userId);
    // The account was deleted a moment ago.
    if (!owner) throw new AppError('unauthenticated');
    return owner;
  }

  /** Takes back what nobody has changed since. Also ends an import that is under way. */
  async undo({ userId }: Person, id: string, address: string): Promise<StoredMoveIn> {
    const { db, wallClock, wakeUp, audit } = this.#parts;
    await transact(db, async (trx) => {
      await this.#lockOwner(trx, userId);
      const moveIn = orNotFound(await lockMoveIn(trx, userId, id, wallClock.now()));
      if (moveIn.state === 'undoing' || moveIn.state === 'undone') return;
      if (!this.canUndo(moveIn)) throw new AppError('nothing_to_reopen');
      if (moveIn.state !== 'importing' && (await isUnderWay(trx, userId)))
        throw new AppError('request_in_progress', { sentence: ONE_AT_A_TIME });
      // The follow-up of an import that was under way ends by itself: it finds nothing to import.
      await updateMoveIn(trx, id, { state: 'undoing', problem: null });
      await startFollowUp(
        trx,
        followUpOf('undo_move_in', userId),
        (...slice) => this.undoSlice(...slice),
        this.#rowsAtOnce,
      );
    });
    wakeUp();
    audit.record('tasks_imported', { result: 'taken back', address, user_id: userId });
    return this.get({ userId }, id);
  }

  async undoSlice(trx: Db, { user_id }: { readonly user_id: string }, limit: number): Promise<Slice> {
    const moveIn = await lockInState(trx, user_id, 'undoing');
    if (!moveIn) return DONE;
    const { removed, kept, ...slice } = await removeImportedSlice(trx, user_id, moveIn.id, limit);
    if (slice.isDone) {
      // What an interrupted import had not reached.
      const pages = await deleteSomePages(trx, moveIn.id, limit);
      if (pages === limit) return { rows: pages, isDone: false };
    }
    await updateMoveIn(trx, moveIn.id, {
      state: slice.isDone ? 'undone' : 'undoing',
      removed: moveIn.removed + removed,
      kept: moveIn.kept + kept,
    });
    return slice;
  }

  /** For a command, which does not wait for an engine. Safe beside one: each slice locks the account's move. */
  async finish({ userId }: Person, id: string, progress: (moveIn: StoredMoveIn) => void): Promise<StoredMoveIn> {
    for (;;) {
      const moveIn = await this.get({ userId }, id);
      if (moveIn.state !== 'importing') return moveIn;
      progress(moveIn);
      await transact(this.#parts.db, async (trx) => {
        const { isDone } = await this.importSlice(trx, { user_id: userId }, this.#rowsAtOnce);
        if (isDone) await cancelFollowUp(trx, followUpOf('move_in', userId));
      });
    }
  }
}

/** The waiting files of an account that is being deleted. */
export async function deletePagesSlice(trx: Db, userId: string, limit: number): Promise<Slice> {
  const rows = await deleteSomePagesOf(trx, userId, limit);
  return { rows, isDone: rows < limit };
}

const DONE: Slice = { rows: 0, isDone: true };
const STARTED = 'This import was started already.';
const ONE_AT_A_TIME = 'Another import of yours is still under way.';

const followUpOf = (kind: 'move_in' | 'undo_move_in', userId: string) =>
  ({ kind, user_id: userId, space_id: null, cursor: null }) as const;

/** With the number of tasks that the account had when the file was read. */
type StoredContents = MoveInContents & { readonly already_there: number };

export const contentsOf = ({ contents }: Pick<StoredMoveIn, 'contents'>): StoredContents =>
  JSON.parse(contents ?? '{}');

function orNotFound(moveIn: StoredMoveIn | undefined): StoredMoveIn {
  if (!moveIn) throw new AppError('not_found', { sentence: 'There is no such import, or its preview has expired.' });
  return moveIn;
}

function readLadderChoice(given: Parameters<typeof readNamedChoice>[0], { ladders }: Owner): MoveInChoices['ladder'] {
  try {
    const choice = readNamedChoice(given);
    requireFit(choice, readBook(ladders), false);
    return choice;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(...error.problems.map((one) => ({ ...one, loc: ['body', 'ladder', ...one.loc.slice(1)] })));
  }
}

function requireLists({ labels }: Pick<MoveInChoices, 'labels'>, { lists }: MoveInContents): void {
  const index = labels.findIndex(({ list }) => list >= lists.length);
  if (index < 0) return;
  throw new InvalidInput({
    type: 'value_error',
    loc: ['body', 'labels', index, 'list'],
    msg: 'Input should be the index of a list in the preview',
  });
}
