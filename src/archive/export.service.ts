/**
 * Streams everything of an account as one JSON document.
 *
 * Every task that exists when the export begins appears exactly once, complete, as it is when it is
 * read. The document is not a snapshot of one instant: that would keep a transaction open for as long
 * as the slowest client takes. Memory stays flat: the ids are listed first, and everything else is
 * read in pages, as fast as the client receives them.
 *
 * The document contains no secret, no hash of a secret, and of other people only their ids.
 */
import type { Db } from '../db/schema.ts';
import type { Audit } from '../lib/audit.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { nextTurn } from '../lib/next-turn.ts';
import { groupsOfText, slicesOf, sortInTurns } from '../lib/pages.ts';
import { currentPlans } from '../tasks/current-plans.ts';
import { toDetail } from '../tasks/tasks.schemas.ts';
import { REQUEST_FIELDS, SCHEMA_VERSION, TASK_FIELDS } from './archive.schemas.ts';
import {
  countTasks,
  findCaldavSettings,
  findLadders,
  getFallbackMinutes,
  hearsRequests,
  listAddressChanges,
  listChannels,
  listDevices,
  listHistory,
  listIdentities,
  listLabelColours,
  listPasskeys,
  listSpaces,
  listStandIns,
  listTaskIds,
  listTasksById,
  listTextSizes,
  listTokens,
  type StoredAppEntry,
  type StoredChange,
  type StoredEntry,
  type StoredOutcome,
  type StoredTask,
  type StoredWriter,
  type UserColumn,
} from './archive.store.ts';
import { HistoryReader } from './history.ts';

const TASKS_PER_PAGE = 50;
/** The smallest chunk to write, since every chunk costs a frame and an event-loop turn. */
const CHUNK_CHARACTERS = 32_768;

/** Safely below the 25 MiB that one import accepts, since the last task can add several megabytes. */
const IMPORTABLE_BYTES = 16 * 1024 * 1024;

export interface ExportRange {
  /** Leaves out timelines and writers, which an import ignores, and stops at the size that one import accepts. */
  readonly isImportable: boolean;
  /** The last task of the previous part. */
  readonly after?: string | undefined;
  /** Called with the number of rows after each read. */
  readonly charge: (rows: number) => void;
}

interface Histories {
  readonly outcomes: HistoryReader<StoredOutcome>;
  readonly timeline: HistoryReader<StoredEntry>;
  readonly task_changes: HistoryReader<StoredChange>;
  readonly text_writers: HistoryReader<StoredWriter>;
  readonly caldav_entries: HistoryReader<StoredAppEntry>;
}

type ReadSettings = (caller: SessionCaller) => Promise<object>;
/** Called when an export begins. */
type ExportBegun = (caller: SessionCaller) => void;

export class ExportService {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #audit: Audit;
  readonly #readSettings: ReadSettings;
  readonly #begun: ExportBegun;

  constructor(db: Db, clock: Clock, audit: Audit, readSettings: ReadSettings, begun: ExportBegun) {
    this.#db = db;
    this.#clock = clock;
    this.#audit = audit;
    this.#readSettings = readSettings;
    this.#begun = begun;
  }

  /** Returns the text of the response, envelope included, and the date for the file name. */
  begin(
    caller: SessionCaller,
    address: string,
    range: ExportRange,
  ): { readonly day: string; readonly text: AsyncGenerator<string> } {
    const exportedAt = this.#clock.now();
    this.#audit.record('account_exported', { result: 'ok', address, user_id: caller.userId });
    this.#begun(caller);
    const day = exportedAt.toISOString().slice(0, 10);
    return { day, text: inChunks(this.#envelope(caller, exportedAt, range)) };
  }

  async *#envelope(caller: SessionCaller, exportedAt: Date, range: ExportRange): AsyncGenerator<string> {
    const { userId } = caller;
    const head = {
      schema_version: SCHEMA_VERSION,
      exported_at: exportedAt,
      settings: await this.#readSettings(caller),
      spaces: await listSpaces(this.#db, userId),
      access_tokens: await listTokens(this.#db, userId),
      devices: await listDevices(this.#db, userId),
      channels: await listChannels(this.#db, userId),
      fallback_minutes: await getFallbackMinutes(this.#db, userId),
      request_messages: await hearsRequests(this.#db, userId),
      ladders: await findLadders(this.#db, userId),
      labels: await listLabelColours(this.#db, userId),
      stand_ins: await listStandIns(this.#db, userId),
      caldav: await findCaldavSettings(this.#db, userId),
      identities: await listIdentities(this.#db, userId),
      passkeys: await listPasskeys(this.#db, userId),
      address_changes: await listAddressChanges(this.#db, userId),
    };
    yield `{"ok":true,"data":${JSON.stringify(head).slice(0, -1)},"tasks":[`;
    const nextAfter = yield* this.#tasks(userId, range);
    yield '],"requests":[';
    if (range.after === undefined) yield* this.#requests(userId, range);
    yield `],"next_after":${JSON.stringify(nextAfter)}},"error":null}`;
  }

  /** Returns the task after which the next part begins, or null if this part is the last. */
  async *#tasks(userId: string, range: ExportRange): AsyncGenerator<string, string | null> {
    const { isImportable, after = '' } = range;
    let [separator, bytes, last] = ['', 0, after];
    for await (const page of this.#pages('owner_id', userId, range)) {
      const ids = page.map(({ id }) => id);
      const histories = this.#historiesOf(ids, range);
      for (const task of page) {
        if (isImportable && bytes > IMPORTABLE_BYTES) return last;
        for await (const text of writeTask(task, histories)) {
          bytes += Buffer.byteLength(text);
          yield separator + text;
          separator = '';
        }
        [separator, last] = [',', task.id];
      }
      await this.#checkAllExist(ids);
    }
    return null;
  }

  #historiesOf(ids: readonly string[], { isImportable, charge }: ExportRange): Histories {
    const charged = async <T>(reading: Promise<T[]>): Promise<T[]> => {
      const rows = await reading;
      charge(rows.length);
      return rows;
    };
    const reader = <T extends { readonly task_id: string }>(
      read: (after: T | undefined, limit: number) => Promise<T[]>,
      isWanted = !isImportable,
    ) => new HistoryReader<T>(async (after, limit) => (isWanted ? charged(read(after, limit)) : []));
    const db = this.#db;
    return {
      outcomes: reader((after, limit) => listHistory(db, 'outcomes', ids, after, limit), true),
      timeline: reader((after, limit) => listHistory(db, 'timeline', ids, after, limit)),
      task_changes: reader((after, limit) => listHistory(db, 'task_changes', ids, after, limit)),
      text_writers: reader((after, limit) => listHistory(db, 'text_writers', ids, after, limit)),
      caldav_entries: reader((after, limit) => listHistory(db, 'caldav_entries', ids, after, limit), true),
    };
  }

  /** The history of a task that was deleted during the export is missing, so the export fails. */
  async #checkAllExist(ids: readonly string[]): Promise<void> {
    if ((await countTasks(this.#db, ids)) < ids.length)
      throw new Error('Tasks were deleted during their export: with the account, or because an import was taken back.');
  }

  /** The tasks that the account assigned to others, with the fields it may see. */
  async *#requests(userId: string, range: ExportRange): AsyncGenerator<string> {
    let separator = '';
    for await (const page of this.#pages('assigner_id', userId, range)) {
      for (const task of page) {
        yield `${separator}${write(task, REQUEST_FIELDS)}`;
        separator = ',';
      }
    }
  }

  async *#pages(column: UserColumn, userId: string, { after = '', charge }: ExportRange): AsyncGenerator<StoredTask[]> {
    const ids = (await listTaskIds(this.#db, column, userId)).filter((id) => id > after);
    for (const slice of slicesOf(await sortInTurns(ids), TASKS_PER_PAGE)) {
      for (const group of groupsOfText(await listTextSizes(this.#db, slice))) {
        // SQLite queries never yield, so without this other requests would wait for the whole document.
        await nextTurn();
        const inGroup = group.map(({ id }) => id);
        const page = await listTasksById(this.#db, column, userId, inGroup);
        charge(page.length);
        yield await currentPlans(this.#db, page, this.#clock.now());
      }
    }
  }
}

async function* writeTask(task: StoredTask, histories: Histories): AsyncGenerator<string> {
  yield write(task, TASK_FIELDS).slice(0, -1);
  for (const [name, reader] of Object.entries(histories)) {
    yield `,"${name}":[`;
    yield* writeRows(reader.rowsOf(task.id));
    yield ']';
  }
  yield '}';
}

function write(task: StoredTask, fields: readonly string[]): string {
  const parse = (stored: string | null) => (stored === null ? null : JSON.parse(stored));
  const detail: Readonly<Record<string, unknown>> = {
    ...toDetail(task),
    ladder: parse(task.ladder),
    heads_ups: parse(task.heads_ups),
  };
  return JSON.stringify(Object.fromEntries(fields.map((name) => [name, detail[name]])));
}

/** Rows carry no owner or task id, which the task implies that they are listed under, and nothing that can be computed. */
async function* writeRows(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  let separator = '';
  for await (const page of pages) {
    yield `${separator}${JSON.stringify(page, withoutOwnerAndTask).slice(1, -1)}`;
    separator = ',';
  }
}

const IMPLIED: ReadonlySet<string> = new Set(['task_id', 'owner_id', 'user_id', 'kept_hash']);

const withoutOwnerAndTask = (name: string, value: unknown): unknown => (IMPLIED.has(name) ? undefined : value);

async function* inChunks(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = '';
  for await (const part of parts) {
    chunk += part;
    if (chunk.length < CHUNK_CHARACTERS) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}
