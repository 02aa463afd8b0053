/**
 * What apps store and delete. Every change of a task goes through the services of `tasks/`, with the limits of the access
 * token. What an app sent is stored in the transaction of the first change, which checks that the task is as it was read.
 */
import type { Db } from '../db/schema.ts';
import { lockUntilCommit, transact } from '../db/transact.ts';
import type { TokenCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError, InvalidInput } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { TaskEdit } from '../tasks/task-edit.ts';
import type { TaskImportService } from '../tasks/task-import.service.ts';
import type { Task } from '../tasks/task-state.ts';
import type { Alongside, Step, TasksService } from '../tasks/tasks.service.ts';
import { mayBreakQuietHours } from '../tasks/token-limits.ts';
import {
  countInBatch,
  countOpen,
  type EntryRow,
  findBatch,
  findEntry,
  findEntryByUid,
  findSettings,
  listClosedOccurrences,
  listHolders,
  moveAside,
  type StoredEntry,
  storeEntry,
} from './caldav.store.ts';
import { type CaldavReadingService, keptOf } from './caldav-reading.service.ts';
import { changedMeanwhile, nameTaken, nothingHere, notOneTask, otherUid, tooLong, uidTaken } from './dav-refusal.ts';
import { storeFinished } from './finished-task.ts';
import { hashOfKept } from './kept.ts';
import { idInName, listOfSpace, ownName, spaceOfList, taskPath } from './paths.ts';
import { keyOfOccurrence, type PlannedChange, planChange } from './planned-change.ts';
import { dueKeyOf } from './todo-fields.ts';
import { type ReadEntry, readEntry } from './todo-reader.ts';
import { type EntryView, keysOfTask, tagOf } from './todo-writer.ts';

/** The longest text of a task that is taken and kept. */
export const LONGEST_BYTES = 65_536;
/** Deletions with less than this between them are one bulk change. */
const BATCH_MS = 60_000;
/** Fewer may well be meant. */
const MANY = 3;
const MOST_ATTEMPTS = 3;
const MOST_SKIPPED = 20;
export const VIA = 'caldav';

export interface Preconditions {
  /** If-None-Match: *. */
  readonly mustBeNew: boolean;
  /** The tags of If-Match; undefined without it. `*` means any. */
  readonly tags: readonly string[] | undefined;
}

export interface EntryAddress {
  readonly list: string;
  readonly name: string;
}

interface Parts {
  readonly db: Db;
  readonly clock: Clock;
  readonly tasks: TasksService;
  readonly imports: TaskImportService;
  readonly reading: CaldavReadingService;
  readonly lockTask: (trx: Db, id: string) => Promise<Task | undefined>;
  /** Tells the owner that an app deleted everything in a list. */
  readonly tellEmptied: (userId: string, count: number) => void;
}

/** Somebody changed the task after it was read. */
class OtherState extends Error {
  override readonly name = 'OtherState';
}

export class CaldavWritingService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Stores what an app sent. Returns whether the task is new. */
  async put(caller: TokenCaller, at: EntryAddress, text: string, expects: Preconditions): Promise<boolean> {
    if (Buffer.byteLength(text) > LONGEST_BYTES) throw tooLong(LONGEST_BYTES);
    const { reading, clock } = this.#parts;
    await reading.getList(caller.userId, at.list);
    const view = await reading.view(caller.userId);
    const read = readEntry(text, { zone: view.zone, now: clock.now() });
    return this.#again(async () => {
      const row = await reading.findByName(caller.userId, at.name);
      const isHere = row !== undefined && listOfSpace(row.space_id) === at.list && reading.isShown(row);
      if (!isHere) return this.#create(caller, at, read, expects, row);
      this.#check(row, view, expects);
      if (read.uid !== (row.uid ?? row.id)) throw otherUid();
      await this.#replace(caller, at, read, expects, row, view);
      return false;
    });
  }

  async #again<T>(run: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        const isOther =
          error instanceof OtherState || (error instanceof AppError && error.code === 'occurrence_passed');
        if (!isOther || attempt === MOST_ATTEMPTS) throw isOther ? changedMeanwhile() : toRefusal(error);
      }
    }
  }

  #check(row: EntryRow, view: EntryView, { mustBeNew, tags }: Preconditions): void {
    const isExpected = tags === undefined || tags.includes('*') || tags.includes(tagOfRow(row, view));
    if (mustBeNew || !isExpected) throw changedMeanwhile();
  }

  async #create(
    caller: TokenCaller,
    at: EntryAddress,
    read: ReadEntry,
    { tags }: Preconditions,
    hidden: EntryRow | undefined,
  ): Promise<boolean> {
    const { db, reading, tasks, clock } = this.#parts;
    const { userId } = caller;
    if (tags !== undefined) throw changedMeanwhile();
    if (hidden && reading.isShown(hidden)) {
      throw (hidden.uid ?? hidden.id) === read.uid ? uidTaken(addressOf(userId, hidden)) : nameTaken();
    }
    await this.#refuseKnownUid(userId, read.uid);
    if (read.fields.status === 'dropped') throw notOneTask('A cancelled task cannot be new');
    // A done task does not repeat, whatever its text says.
    const isDone = read.fields.status === 'done';
    const sent = isDone ? withRule(read, null) : read;
    const store = async (trx: Db, task: Pick<Task, 'id'>) => {
      await lockUntilCommit(trx, `caldav of ${userId}`);
      const holders = await listHolders(trx, userId, task.id, at.name, read.uid);
      if (holders.some((holder) => reading.isShown(holder))) throw new OtherState();
      const entry = newEntry(userId, task.id, at.name, sent);
      await moveAside(trx, entry, false);
      await storeEntry(trx, entry);
    };
    const input = await this.#newFields(caller, at, read);
    if (isDone) {
      await storeFinished(db, this.#parts.imports, caller, input, read, clock.now(), store);
      return true;
    }
    await tasks.create(caller, input, store);
    return true;
  }

  /** A UID is at one address: in another list, or under another name, it would be the same task twice. */
  async #refuseKnownUid(userId: string, uid: string): Promise<void> {
    const { db, reading } = this.#parts;
    const entry = await findEntryByUid(db, userId, uid);
    const id = entry?.task_id ?? idInName(ownName(uid));
    const row = id === undefined ? undefined : await reading.findById(userId, id);
    if (row && reading.isShown(row) && (row.uid ?? row.id) === uid) throw uidTaken(addressOf(userId, row));
  }

  async #newFields(caller: TokenCaller, at: EntryAddress, { fields }: ReadEntry) {
    const settings = await findSettings(this.#parts.db, caller.userId);
    const { title, notes, due, recurrence, kind, isHigh } = fields;
    return {
      title,
      notes,
      kind,
      due_at: due?.text ?? null,
      has_time: due?.hasTime ?? false,
      recurrence,
      mode: 'escalate',
      break_quiet_hours: isHigh && settings.high_is_must_not_miss && mayBreakQuietHours(caller),
      space_id: spaceOfList(at.list),
    };
  }

  async #replace(
    caller: TokenCaller,
    at: EntryAddress,
    read: ReadEntry,
    expects: Preconditions,
    row: EntryRow,
    view: EntryView,
  ): Promise<void> {
    const plan = await this.#plan(read, expects, row, view);
    const steps = stepsOf(plan, { ...plan.edit, ...(await this.#mustNotMiss(caller, read, row)) });
    const store = this.#storing(caller.userId, at, read, row, view);
    const task = await this.#take(caller, row, steps, store).catch((error: unknown) => {
      if (plan.action !== 'reopen' || !(error instanceof AppError) || error.code !== 'nothing_to_reopen') throw error;
      return this.#startAnew(caller, at, read);
    });
    await this.#skipUpTo(caller, task, plan.goOnTo);
  }

  /** What was sent is stored with the steps, also if there are none. */
  async #take(
    caller: TokenCaller,
    { id }: EntryRow,
    [first, ...more]: readonly Step[],
    store: Alongside,
  ): Promise<Task> {
    const { db, tasks, lockTask } = this.#parts;
    if (first) return tasks.take(caller, id, [first, ...more], store);
    return transact(db, async (trx) => {
      const task = await lockTask(trx, id);
      if (!task) throw nothingHere();
      await store(trx, task);
      return task;
    });
  }

  async #plan(read: ReadEntry, { tags }: Preconditions, row: EntryRow, view: EntryView): Promise<PlannedChange> {
    const kept = keptOf(row);
    const uid = row.uid ?? row.id;
    const keys = keysOfTask({ task: row, uid, kept }, view.zone);
    const needsClosed = row.recurrence !== null && read.keys.due !== keys.due;
    const closed = needsClosed ? await listClosedOccurrences(this.#parts.db, row.id) : [];
    const isVerified = tags !== undefined && !tags.includes('*');
    return planChange(
      {
        task: row,
        zone: view.zone,
        keys,
        kept,
        isVerified,
        closed: new Set(closed.map((due_at) => keyOfOccurrence(due_at, row.has_time, view.zone))),
      },
      read,
    );
  }

  /** For people who have chosen it: a priority that becomes high or ends being high. */
  async #mustNotMiss(caller: TokenCaller, { fields }: ReadEntry, row: EntryRow): Promise<TaskEdit> {
    const wasHigh = keptOf(row)?.isHigh ?? false;
    if (fields.isHigh === wasHigh || row.status !== 'open') return {};
    const { high_is_must_not_miss } = await findSettings(this.#parts.db, caller.userId);
    if (!high_is_must_not_miss || (fields.isHigh && !mayBreakQuietHours(caller))) return {};
    return { break_quiet_hours: fields.isHigh };
  }

  /** Checks under the lock that the task is as it was read, and stores what was sent beside it. */
  #storing(userId: string, at: EntryAddress, read: ReadEntry, row: EntryRow, view: EntryView): Alongside {
    const shown = keysOfTask({ task: row, uid: row.uid ?? row.id, kept: keptOf(row) }, view.zone);
    return async (trx, task) => {
      const known = await this.#lockAsRead(trx, userId, task, row, view);
      // A rule that this task has lost comes from an old copy. Apps that were given it back would take it for a series.
      const isRuleOld = read.keys.rule !== shown.rule;
      const sent = task.status === 'open' || isRuleOld ? read : withRule(read, task.recurrence);
      await storeEntry(trx, newEntry(userId, task.id, known?.name ?? at.name, sent));
    };
  }

  /** What is stored beside the task, if both are still as they were read. */
  async #lockAsRead(trx: Db, userId: string, task: Task, row: EntryRow, view: EntryView) {
    await lockUntilCommit(trx, `caldav of ${userId}`);
    const known = await findEntry(trx, task.id);
    const tag = tagOf(task, known?.uid ?? task.id, known?.kept_hash ?? null, view);
    if (tag !== tagOfRow(row, view) || (known?.is_deleted ?? false) !== (row.is_deleted ?? false))
      throw new OtherState();
    return known;
  }

  /** A task that was done too long ago to be opened again goes on as a new one at the same address. */
  async #startAnew(caller: TokenCaller, at: EntryAddress, read: ReadEntry): Promise<Task> {
    return this.#parts.tasks.create(caller, await this.#newFields(caller, at, read), async (trx, task) => {
      await lockUntilCommit(trx, `caldav of ${caller.userId}`);
      const entry = newEntry(caller.userId, task.id, at.name, read);
      // The old one stays done here, and apps see the new one alone.
      await moveAside(trx, entry, true);
      await storeEntry(trx, entry);
    });
  }

  /** Each is a change of its own. The app sends the rest again if it gets no answer. */
  async #skipUpTo(caller: TokenCaller, task: Task, goOnTo: string | null): Promise<void> {
    let present = task;
    for (let skipped = 0; goOnTo !== null && skipped < MOST_SKIPPED && isBefore(present, goOnTo); skipped += 1) {
      const occurrenceDueAt = present.due_at?.toISOString() ?? null;
      present = await this.#parts.tasks.act(caller, present.id, { name: 'skip', occurrenceDueAt });
    }
  }

  /** Drops an open task, which can be taken back here. A done one is not shown to apps any more. */
  async delete(caller: TokenCaller, at: EntryAddress, expects: Preconditions): Promise<void> {
    const { reading, tasks } = this.#parts;
    const { userId } = caller;
    const view = await reading.view(userId);
    await this.#again(async () => {
      const row = await reading.find(userId, at.list, at.name);
      if (!row) throw nothingHere();
      this.#check(row, view, { ...expects, mustBeNew: false });
      const check: Alongside = async (trx, task) => {
        await this.#lockAsRead(trx, userId, task, row, view);
      };
      if (row.status === 'open') {
        const batchId = await this.#batchOf(userId);
        await tasks.act(caller, row.id, { name: 'drop', batchId }, check);
        await this.#tellIfEmptied(userId, at.list, batchId);
        return;
      }
      const { name, uid, kept, kept_hash } = row;
      const entry = { name: name ?? at.name, uid: uid ?? row.id, kept, kept_hash, is_deleted: true };
      await this.#take(caller, row, [], async (trx, task) => {
        await check(trx, task);
        await storeEntry(trx, { task_id: row.id, user_id: userId, ...entry });
      });
    });
  }

  async #batchOf(userId: string): Promise<string> {
    const { db, clock } = this.#parts;
    return (await findBatch(db, userId, VIA, new Date(clock.now().getTime() - BATCH_MS))) ?? newId();
  }

  async #tellIfEmptied(userId: string, list: string, batchId: string): Promise<void> {
    const { db, tellEmptied } = this.#parts;
    if ((await countOpen(db, userId, list)) > 0) return;
    const count = await countInBatch(db, batchId);
    if (count >= MANY) tellEmptied(userId, count);
  }
}

const tagOfRow = (row: EntryRow, view: EntryView): string => tagOf(row, row.uid ?? row.id, row.kept_hash, view);

const addressOf = (userId: string, row: EntryRow): string =>
  taskPath(userId, listOfSpace(row.space_id), row.name ?? ownName(row.id));

const isBefore = (task: Task, key: string): boolean => {
  const due = dueKeyOf(task);
  return task.status === 'open' && due !== '' && (key.includes('-') ? due < key : Number(due) < Number(key));
};

/** The rule of a closed task does not change, whatever the text says. */
const withRule = (read: ReadEntry, recurrence: string | null): ReadEntry => ({
  ...read,
  kept: { ...read.kept, recurrence },
});

function newEntry(userId: string, taskId: string, name: string, { uid, kept }: ReadEntry): StoredEntry {
  const text = JSON.stringify(kept);
  const kept_hash = hashOfKept(text);
  return { task_id: taskId, user_id: userId, name, uid, kept: text, kept_hash, is_deleted: false };
}

/** A value that a service refuses comes from the text of the app. */
const toRefusal = (error: unknown): unknown =>
  error instanceof InvalidInput ? notOneTask(error.problems[0]?.msg ?? 'A value cannot be taken') : error;

/** What a plan does to a task, in this order. Under the lock it is as the app's change was planned for. */
function stepsOf({ action }: PlannedChange, edit: TaskEdit): Step[] {
  return [
    ...(action === 'reopen' ? [{ name: action }] : []),
    ...(Object.keys(edit).length > 0 ? [{ edit }] : []),
    ...(action === 'complete' || action === 'drop' ? [{ name: action }] : []),
  ];
}
