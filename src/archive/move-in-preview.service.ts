/**
 * Reads a file of another app and says what would come of it. Its tasks wait in the database for an hour, so that the
 * file is sent once, and the person can leave the page in between. Nothing of them is a task yet.
 */
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import type { SessionCaller } from '../lib/caller.ts';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import { nextTurn } from '../lib/next-turn.ts';
import type { TaskImportService } from '../tasks/task-import.service.ts';
import type { ArchiveReader } from './archive-reader.ts';
import {
  deleteMoveIn,
  deleteSomePages,
  insertMoveIn,
  insertPages,
  listDiscardable,
  updateMoveIn,
} from './move-in.store.ts';
import type { MoveInContents, MoveInPage } from './read-move-in.ts';
import type { NamedFile } from './recognise-file.ts';

/** How long a file waits for the person's choice. */
export const WAITS_MS = 3_600_000;
const PAGES_AT_ONCE = 20;

export interface MoveInPreview extends MoveInContents {
  readonly id: string;
  /** How many of the tasks the account has already. */
  readonly already_there: number;
  readonly expires_at: Date;
}

type Imports = Pick<TaskImportService, 'getAccount' | 'countKnown'>;

export class MoveInPreviewService {
  readonly #db: Db;
  readonly #clocks: { readonly clock: Clock; readonly wallClock: Clock };
  readonly #reader: ArchiveReader;
  readonly #imports: Imports;

  constructor(
    db: Db,
    clocks: { readonly clock: Clock; readonly wallClock: Clock },
    reader: ArchiveReader,
    imports: Imports,
  ) {
    this.#db = db;
    this.#clocks = clocks;
    this.#reader = reader;
    this.#imports = imports;
  }

  /** Replaces the preview that the account had. Throws `InvalidInput` if the file is not understood as a whole. */
  async preview(
    { userId }: Pick<SessionCaller, 'userId'>,
    file: NamedFile,
    callerLeft: AbortSignal,
  ): Promise<MoveInPreview> {
    await this.#discardAll(userId);
    const { owner } = await this.#imports.getAccount(userId);
    const { clock, wallClock } = this.#clocks;
    const id = newId();
    const expires_at = new Date(wallClock.now().getTime() + WAITS_MS);
    const row = { id, user_id: userId, created_at: clock.now(), expires_at };
    await transact(this.#db, (trx) => insertMoveIn(trx, row), { isPart: true });
    try {
      const context = { owner, canAdoptZone: false, now: clock.now() };
      const pages = new PageStore(this.#db, this.#imports, userId, id);
      const read = await this.#reader.readMoveIn({ file, context }, callerLeft, (some) => pages.add(some));
      const contents = { ...read, already_there: pages.known };
      const previewed = { state: 'preview', contents: JSON.stringify(contents), pages: pages.count } as const;
      await transact(this.#db, (trx) => updateMoveIn(trx, id, previewed));
      return { id, ...contents, expires_at };
    } catch (error) {
      await this.discard(id);
      throw error;
    }
  }

  /** In parts, since a file can be large and deleting it takes time of all. */
  async discard(id: string): Promise<void> {
    const some = () => transact(this.#db, (trx) => deleteSomePages(trx, id, PAGES_AT_ONCE), { isPart: true });
    while ((await some()) === PAGES_AT_ONCE) await nextTurn();
    await transact(this.#db, (trx) => deleteMoveIn(trx, id), { isPart: true });
  }

  async #discardAll(userId: string): Promise<void> {
    for (const id of await listDiscardable(this.#db, userId)) await this.discard(id);
  }
}

/** Stores the pages as they are read, and counts how many of the tasks the account has. */
class PageStore {
  readonly #db: Db;
  readonly #imports: Imports;
  readonly #userId: string;
  readonly #moveInId: string;
  count = 0;
  known = 0;

  constructor(db: Db, imports: Imports, userId: string, moveInId: string) {
    this.#db = db;
    this.#imports = imports;
    this.#userId = userId;
    this.#moveInId = moveInId;
  }

  async add(pages: readonly MoveInPage[]): Promise<void> {
    await transact(this.#db, (trx) => insertPages(trx, this.#moveInId, this.count, pages), { isPart: true });
    this.count += pages.length;
    const origins = pages.flatMap((page) => page.origins);
    // One statement for all pages: on PostgreSQL each gives way to the requests of others first.
    if (origins.length > 0) this.known += await this.#imports.countKnown(this.#userId, origins);
  }
}
