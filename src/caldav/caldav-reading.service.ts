/** What apps read: the lists of a person, the tasks in them, and what changed since they last asked. */
import type { Db } from '../db/schema.ts';
import { GivenMoments } from '../db/sqlite/given-moments.ts';
import type { TokenCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { groupsOfText, ROWS_PER_LATER_PAGE, slicesOf } from '../lib/pages.ts';
import { words } from '../lib/words.ts';
import type { readChangedIds, readHorizon } from '../tasks/sync/sync.store.ts';
import type { findOwner } from '../tasks/tasks.store.ts';
import {
  type EntryRow,
  findAccount,
  findIdsByName,
  findLastChange,
  findSettings,
  listEntryRows,
  listForgottenIds,
  listMemberIds,
  listSizes,
  listSpaces,
} from './caldav.store.ts';
import { lostToken, nothingHere } from './dav-refusal.ts';
import { idInName, listOfSpace, ownName, PERSONAL } from './paths.ts';
import { doneSinceDay, hashOfView, readToken, type SyncState, startOfDay, writeToken } from './sync-token.ts';
import type { Kept } from './todo-reader.ts';
import {
  type EntryTimes,
  type EntryView,
  FORMAT_VERSION,
  lastChange,
  tagOf,
  timesOf,
  writeEntry,
} from './todo-writer.ts';

export interface TaskList {
  readonly id: string;
  readonly name: string;
}

/** A task as apps see it, or that it is gone. */
export interface ListedEntry {
  readonly id: string;
  readonly name: string;
  /** Undefined if the task is not in the list. */
  readonly found?: {
    readonly tag: string;
    readonly text: string | undefined;
    readonly changed: Date;
    /** Only filters by time need them. */
    readonly times: () => EntryTimes;
  };
}

export interface EntryWish {
  readonly list: string;
  readonly view: EntryView;
  /** Whether the text is wanted, besides the tag. */
  readonly withText: boolean;
  /** Called with the number of rows after each read. */
  readonly charge: (rows: number) => void;
}

/** What the folder `tasks` reads. */
export interface TaskReads {
  readonly findOwner: typeof findOwner;
  readonly readHorizon: typeof readHorizon;
  readonly readChangedIds: typeof readChangedIds;
}

/** Removals are known for this long. */
const KNOWN_MS = 90 * 86_400_000;

export class CaldavReadingService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #tasks: TaskReads;
  readonly #givenMoments: GivenMoments;

  constructor(db: Db, clock: Clock, tasks: TaskReads) {
    this.#db = db;
    this.#clock = clock;
    this.#tasks = tasks;
    this.#givenMoments = new GivenMoments(db);
  }

  /** How the tasks of this person are written. */
  async view(userId: string): Promise<EntryView> {
    const [owner, { alarm_minutes }] = await Promise.all([
      this.#tasks.findOwner(this.#db, userId),
      findSettings(this.#db, userId),
    ]);
    if (!owner) throw new AppError('unauthenticated');
    return { zone: owner.timezone, alarmMinutes: alarm_minutes, dayStart: owner.day_start };
  }

  async account(userId: string) {
    return findAccount(this.#db, userId);
  }

  async lists(userId: string): Promise<TaskList[]> {
    return [{ id: PERSONAL, name: words.caldav.personalList }, ...(await listSpaces(this.#db, userId))];
  }

  async getList(userId: string, list: string): Promise<TaskList> {
    const found = (await this.lists(userId)).find(({ id }) => id === list);
    if (!found) throw nothingHere();
    return found;
  }

  /** The present token of every list of the person. */
  async token(userId: string, view: EntryView): Promise<string> {
    // In this order: a change that commits in between is later than the horizon.
    const { horizon } = await this.#tasks.readHorizon(this.#db);
    return writeToken(await this.#stateAt(userId, view, horizon));
  }

  async #stateAt(userId: string, view: EntryView, latest: Date): Promise<SyncState> {
    const horizon = await this.#givenMoments.give(latest);
    const last = (await findLastChange(this.#db, userId)) ?? new Date(0);
    // After the last change, but never after the horizon: before it, nothing can still be committed.
    const until = new Date(Math.min(horizon.getTime(), last.getTime() + 1));
    // Until the horizon has passed it, further changes may have its moment: on SQLite for minutes if the clock was set back.
    const isFinal = horizon > last;
    return {
      until,
      last: isFinal ? last : this.#clock.now(),
      doneSinceDay: doneSinceDay(this.#clock.now()),
      view: hashOfView({ ...view, FORMAT_VERSION }),
    };
  }

  async memberIds(userId: string, list: string): Promise<string[]> {
    return listMemberIds(this.#db, userId, list, startOfDay(doneSinceDay(this.#clock.now())));
  }

  /** Returns the ids of tasks that may have changed, of those that are gone or not seen any more, and the next token. */
  async changedIds(
    caller: TokenCaller,
    list: string,
    view: EntryView,
    sent: string,
  ): Promise<{ readonly ids: string[]; readonly removed: string[]; readonly token: string }> {
    const { userId } = caller;
    if (sent.trim() === '') {
      const token = await this.token(userId, view);
      return { ids: await this.memberIds(userId, list), removed: [], token };
    }
    const since = readToken(sent);
    if (!since) throw lostToken();
    const { horizon, changed, removed } = await this.#tasks.readChangedIds(this.#db, caller, since.until);
    const next = await this.#stateAt(userId, view, horizon.horizon);
    const ageMs = horizon.now.getTime() - since.until.getTime();
    // Long ago too, if the person had no task then.
    const isLost = since.last.getTime() > 0 && (ageMs > KNOWN_MS || ageMs < 0);
    if (isLost || since.view !== next.view || since.doneSinceDay > next.doneSinceDay) throw lostToken();
    const forgotten = await this.#forgottenIds(userId, since, next);
    const ids = new Set([...changed, ...forgotten]);
    return { ids: [...ids], removed: removed.filter((id) => !ids.has(id)), token: writeToken(next) };
  }

  async #forgottenIds(userId: string, since: SyncState, next: SyncState): Promise<string[]> {
    if (since.doneSinceDay === next.doneSinceDay) return [];
    return listForgottenIds(this.#db, userId, startOfDay(since.doneSinceDay), startOfDay(next.doneSinceDay));
  }

  /** Maps each name to the id of a task of the person; names that mean none are left out. */
  async idsOfNames(userId: string, names: readonly string[]): Promise<Map<string, string>> {
    const ids = new Map<string, string>();
    for (const page of slicesOf(names, ROWS_PER_LATER_PAGE)) {
      const known = await findIdsByName(this.#db, userId, page);
      for (const name of page) {
        const id = known.get(name) ?? idInName(name);
        if (id !== undefined) ids.set(name, id);
      }
    }
    return ids;
  }

  /** Reads the entries in pages, each when the one before it was taken. Tasks of others are left out. */
  async *entries(userId: string, ids: readonly string[], wish: EntryWish): AsyncGenerator<ListedEntry[]> {
    for (const slice of slicesOf(ids.filter(isUuid), ROWS_PER_LATER_PAGE)) {
      const groups = [...groupsOfText(await listSizes(this.#db, slice))];
      for (const group of groups) {
        if (ids.length > ROWS_PER_LATER_PAGE || groups.length > 1) await nextTurn();
        const inGroup = group.map(({ id }) => id);
        const rows = await listEntryRows(this.#db, userId, inGroup, wish.withText);
        wish.charge(rows.length);
        yield rows.map((row) => this.#show(row, wish));
      }
    }
  }

  #show(row: EntryRow, { list, view, withText }: EntryWish): ListedEntry {
    const name = row.name ?? ownName(row.id);
    if (listOfSpace(row.space_id) !== list || !this.isShown(row)) return { id: row.id, name };
    const uid = row.uid ?? row.id;
    const text = withText ? textOf(row, view) : undefined;
    const tag = tagOf(row, uid, row.kept_hash, view);
    const times = () => timesOf(row, keptOf(row), view.zone);
    return { id: row.id, name, found: { tag, text, changed: lastChange(row), times } };
  }

  /** Whether apps see the task at all. */
  isShown({ status, accepted_by_owner, closed_at, is_deleted }: EntryRow): boolean {
    if (status === 'open') return accepted_by_owner;
    const isRecent = closed_at !== null && closed_at >= startOfDay(doneSinceDay(this.#clock.now()));
    return status === 'done' && isRecent && !is_deleted;
  }

  /** The task at this address; undefined if apps see none there. */
  async find(userId: string, list: string, name: string): Promise<EntryRow | undefined> {
    const row = await this.findByName(userId, name);
    return row && listOfSpace(row.space_id) === list && this.isShown(row) ? row : undefined;
  }

  /** In any list, also if apps do not see the task any more. */
  async findByName(userId: string, name: string): Promise<EntryRow | undefined> {
    const id = (await this.idsOfNames(userId, [name])).get(name);
    return id === undefined ? undefined : this.findById(userId, id);
  }

  async findById(userId: string, id: string): Promise<EntryRow | undefined> {
    const [row] = await listEntryRows(this.#db, userId, [id], true);
    return row;
  }
}

export const keptOf = ({ kept }: Pick<EntryRow, 'kept'>): Kept | null => (kept === null ? null : JSON.parse(kept));

export const textOf = (row: EntryRow, view: EntryView): string =>
  writeEntry({ task: row, uid: row.uid ?? row.id, kept: keptOf(row) }, view);
