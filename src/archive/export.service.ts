/**
 * Everything of an account as one JSON document, written while it is read.
 *
 * Every task that exists when the export begins is in it exactly once, whole, as it is at the moment
 * when it is read; the document as a whole is no picture of one instant, since holding one would hold
 * a transaction open for as long as the slowest reader takes. Memory stays flat: the ids are
 * listed first, everything else is read page by page as fast as the reader takes it.
 *
 * No secret is in it, no hash of one, and of other people no more than their ids.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Audit } from '../accounts/audit.ts';
import type { Database } from '../db/schema.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { toDetail } from '../tasks/tasks.schemas.ts';
import { REQUEST_FIELDS, SCHEMA_VERSION, TASK_FIELDS } from './archive.schemas.ts';
import {
  countTasks,
  listDevices,
  listEntriesAfter,
  listIdentities,
  listOutcomesAfter,
  listSpaces,
  listTaskIds,
  listTasksById,
  listTokens,
  type Side,
  type StoredEntry,
  type StoredOutcome,
  type StoredTask,
} from './archive.store.ts';
import { Story } from './story.ts';

const TASKS_PER_PAGE = 50;
/** Written to the connection at once: every piece costs a frame and a turn. */
const PIECE_CHARACTERS = 32_768;

/** What one import surely takes: the last task may be several megabytes long, and the limit there is 25 MiB. */
const IMPORTABLE_BYTES = 16 * 1024 * 1024;

/** How much of the account. */
export interface Extent {
  /** Without timelines, which no import reads, and no more than one import takes. */
  readonly isImportable: boolean;
  /** The last task of the part before. */
  readonly after?: string | undefined;
}

interface Stories {
  readonly outcomes: Story<StoredOutcome>;
  readonly timeline: Story<StoredEntry>;
}

type ReadSettings = (caller: SessionCaller) => Promise<object>;

export class ExportService {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;
  readonly #audit: Audit;
  readonly #readSettings: ReadSettings;

  constructor(db: Kysely<Database>, clock: Clock, audit: Audit, readSettings: ReadSettings) {
    this.#db = db;
    this.#clock = clock;
    this.#audit = audit;
    this.#readSettings = readSettings;
  }

  /** The text of the answer, envelope and all, and the day to name the file by. */
  begin(
    caller: SessionCaller,
    address: string,
    extent: Extent,
  ): { readonly day: string; readonly text: AsyncGenerator<string> } {
    const exportedAt = this.#clock.now();
    this.#audit.record('account_exported', { result: 'ok', address, user_id: caller.userId });
    const day = exportedAt.toISOString().slice(0, 10);
    return { day, text: inPieces(this.#envelope(caller, exportedAt, extent)) };
  }

  async *#envelope(caller: SessionCaller, exportedAt: Date, extent: Extent): AsyncGenerator<string> {
    const { userId } = caller;
    const head = {
      ...{ schema_version: SCHEMA_VERSION, exported_at: exportedAt, settings: await this.#readSettings(caller) },
      ...{ spaces: await listSpaces(this.#db, userId), access_tokens: await listTokens(this.#db, userId) },
      ...{ devices: await listDevices(this.#db, userId), identities: await listIdentities(this.#db, userId) },
    };
    yield `{"ok":true,"data":${JSON.stringify(head).slice(0, -1)},"tasks":[`;
    const nextAfter = yield* this.#tasks(userId, extent);
    yield '],"requests":[';
    if (extent.after === undefined) yield* this.#requests(userId);
    yield `],"next_after":${JSON.stringify(nextAfter)}},"error":null}`;
  }

  /** Returns the task after which the next part begins, or null at the end. */
  async *#tasks(userId: string, { isImportable, after = '' }: Extent): AsyncGenerator<string, string | null> {
    let [separator, bytes, last] = ['', 0, after];
    for await (const page of this.#pages('owner_id', userId, after)) {
      const ids = page.map(({ id }) => id);
      const stories = this.#storiesOf(ids, !isImportable);
      for (const task of page) {
        if (isImportable && bytes > IMPORTABLE_BYTES) return last;
        for await (const text of writeTask(task, stories)) {
          bytes += Buffer.byteLength(text);
          yield separator + text;
          separator = '';
        }
        [separator, last] = [',', task.id];
      }
      await this.#ensureAllAreThere(ids);
    }
    return null;
  }

  #storiesOf(ids: readonly string[], withTimeline: boolean): Stories {
    return {
      outcomes: new Story((after, limit) => listOutcomesAfter(this.#db, ids, after, limit)),
      timeline: new Story(async (after, limit) => (withTimeline ? listEntriesAfter(this.#db, ids, after, limit) : [])),
    };
  }

  /** Of a task that vanished meanwhile no story was found: better no document than one with holes. */
  async #ensureAllAreThere(ids: readonly string[]): Promise<void> {
    if ((await countTasks(this.#db, ids)) < ids.length) throw new Error('The account was deleted during its export.');
  }

  /** What the account asked of others, as it may see it. */
  async *#requests(userId: string): AsyncGenerator<string> {
    let separator = '';
    for await (const page of this.#pages('assigner_id', userId)) {
      for (const task of page) {
        yield `${separator}${write(task, REQUEST_FIELDS)}`;
        separator = ',';
      }
    }
  }

  async *#pages(side: Side, userId: string, after = ''): AsyncGenerator<StoredTask[]> {
    const ids = (await listTaskIds(this.#db, side, userId)).filter((id) => id > after).toSorted();
    for (let start = 0; start < ids.length; start += TASKS_PER_PAGE) {
      // On SQLite nothing here ever waits, so others would not get a turn until the whole document is out.
      await nextTurn();
      yield await listTasksById(this.#db, side, userId, ids.slice(start, start + TASKS_PER_PAGE));
    }
  }
}

async function* writeTask(task: StoredTask, { outcomes, timeline }: Stories): AsyncGenerator<string> {
  yield `${write(task, TASK_FIELDS).slice(0, -1)},"outcomes":[`;
  yield* listed(outcomes.of(task.id));
  yield '],"timeline":[';
  yield* listed(timeline.of(task.id));
  yield ']}';
}

function write(task: StoredTask, fields: readonly string[]): string {
  const detail: Readonly<Record<string, unknown>> = toDetail(task);
  return JSON.stringify(Object.fromEntries(fields.map((name) => [name, detail[name]])));
}

/** Whose they are is said by where they stand. */
async function* listed(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  let separator = '';
  for await (const page of pages) {
    yield `${separator}${JSON.stringify(page, withoutOwner).slice(1, -1)}`;
    separator = ',';
  }
}

const withoutOwner = (name: string, value: unknown): unknown =>
  name === 'task_id' || name === 'owner_id' ? undefined : value;

async function* inPieces(parts: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  for await (const part of parts) {
    piece += part;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
