/**
 * The processes that serve a database. Each writes its release and a sign of life every few seconds, and looks whether a
 * newer release has changed the tables, or whether a process still runs that is too old to notice that.
 *
 * On SQLite the lock of the file lets one process in. A second one can only come past it where locks do not reach, as on
 * some network file systems, and then its rows appear here.
 */
import type { Selectable } from 'kysely';
import type { Clock } from '../lib/clock.ts';
import { newId } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import { Loop } from '../lib/loop.ts';
import { findOlderProcesses, type OlderProcesses } from './postgres/postgres-sessions.ts';
import { type Database, type Db, isPostgres } from './schema.ts';
import type { SchemaWatch } from './schema-watch.ts';

const BEAT_EVERY_MS = 10_000;
/** Two beats may fail before a process counts as gone. */
const ALIVE_FOR_MS = 35_000;

export type ServiceProcess = Selectable<Database['processes']>;

interface ProcessParts {
  readonly db: Db;
  readonly release: string;
  readonly kind: string;
  readonly schema: SchemaWatch;
  /** Real time, which on PostgreSQL is the database's. */
  readonly clock: Clock;
  readonly logger: Logger;
  /** Set by tests only. */
  readonly everyMs?: number | undefined;
}

export class Processes {
  readonly #parts: ProcessParts;
  readonly #own: Omit<ServiceProcess, 'seen_at'>;
  readonly #loop: Loop;
  /** How many processes run that go on sending on newer tables. */
  #older = 0;

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    const { release, kind, schema, clock, logger, everyMs = BEAT_EVERY_MS } = parts;
    this.#own = { id: newId(), release, kind, newest_migration: schema.newest, started_at: clock.now() };
    const work = async () => {
      await this.#beat();
      return null;
    };
    this.#loop = new Loop({ name: 'processes', clock, logger, checkEveryMs: everyMs, work });
  }

  get older(): number {
    return this.#older;
  }

  async start(): Promise<void> {
    const { db } = this.#parts;
    // Whoever has the lock of the file is alone; the other rows are of processes that were killed.
    if (!isPostgres(db)) await db.deleteFrom('processes').execute();
    await this.#beat();
    this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    // A database that does not answer must not keep the process from stopping: the row is old soon.
    await this.#parts.db
      .deleteFrom('processes')
      .where('id', '=', this.#own.id)
      .execute()
      .catch(() => undefined);
  }

  /** This process first, then the others that have shown a sign of life lately. */
  async list(): Promise<ServiceProcess[]> {
    const { db, clock } = this.#parts;
    const now = clock.now();
    const others = (await listProcesses(db, now)).filter(({ id }) => id !== this.#own.id);
    return [{ ...this.#own, seen_at: now }, ...others];
  }

  async #beat(): Promise<void> {
    const { db, clock, schema } = this.#parts;
    const seen_at = clock.now();
    await schema.check(db);
    // A newer release may have changed this table too.
    if (schema.isOutdated) return;
    await db
      .insertInto('processes')
      .values({ ...this.#own, seen_at })
      .onConflict((conflict) => conflict.column('id').doUpdateSet({ seen_at }))
      .execute();
    this.#noteOlder(isPostgres(db) ? await findOlderProcesses(db) : await this.#findOthersOnFile());
  }

  /** Every other process on the same file is as harmful as an old one. */
  async #findOthersOnFile(): Promise<OlderProcesses> {
    const others = await this.#parts.db.selectFrom('processes').select('id').where('id', '<>', this.#own.id).execute();
    return { count: others.length, addresses: [] };
  }

  #noteOlder({ count, addresses }: OlderProcesses): void {
    if (count === this.#older) return;
    this.#older = count;
    const { db, logger } = this.#parts;
    if (count === 0) logger.info('no other process disturbs this one any more');
    else if (isPostgres(db)) {
      logger.error(
        { processes: count, addresses },
        'a process of a release before 0.3.0 runs on this database and swallows nudges: stop it (docs/operating.md)',
      );
    } else
      logger.error({ processes: count }, 'another process has this SQLite file open and sends nudges too: stop it');
  }
}

/** The processes that have shown a sign of life lately. */
export async function listProcesses(db: Db, now: Date): Promise<ServiceProcess[]> {
  const since = new Date(now.getTime() - ALIVE_FOR_MS);
  return db.selectFrom('processes').selectAll().where('seen_at', '>', since).orderBy('started_at').execute();
}
