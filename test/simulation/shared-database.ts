/**
 * The database, which outlives the processes that use it. A process can die before and after each commit. All worlds
 * use the same one after another, so that tables are made and statements are prepared once.
 *
 * Most worlds have one connection to a database in memory. Some have a file like the service, with a reader beside the
 * writer: what is read outside of a transaction is the last state that was committed.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { migrate } from '../../src/db/migrate.ts';
import type { Database } from '../../src/db/schema.ts';
import { openSqlite, sqliteDialect } from '../../src/db/sqlite/sqlite.ts';
import { StatementCache } from '../../src/db/sqlite/sqlite-statements.ts';
import { DatabaseFaults } from './database-faults.ts';
import { LastingConnection } from './lasting-connection.ts';
import type { ServiceProcess } from './process.ts';

/** Logs each inserted nudge, so that the world does not depend on the service's own reports. */
const LOG_NUDGES = `
  create table sim_nudges (number integer primary key autoincrement, entry_id text, task_id text, at integer, stage integer, run integer);
  create trigger sim_log_nudges after insert on timeline when new.kind = 'nudge' begin
    insert into sim_nudges (entry_id, task_id, at, stage, run)
      values (new.id, new.task_id, new.at, new.stage, new.run);
    select sim_nudged();
  end`;

/** Throws where a statement of the service is to fail. The world's own statements work. */
class FallibleStatements extends StatementCache {
  readonly #meet: (sql: string) => void;

  constructor(db: DatabaseSync, meet: (sql: string) => void) {
    super(db);
    this.#meet = meet;
  }

  override execute(sql: string, parameters: readonly unknown[]) {
    this.#meet(sql);
    return super.execute(sql, parameters);
  }
}

export class SharedDatabase extends LastingConnection {
  user: ServiceProcess | undefined;
  /** How many commits there were, so that the world knows when to check. */
  commits = 0;
  /** The next commit fails, as if another process had locked the file. */
  failsNextCommit = false;
  /** The last nudge that is committed. */
  committedNudge = 0;
  readonly faults = new DatabaseFaults();
  /** Of a file. In memory, the writer reads. */
  readonly reader: LastingConnection | undefined;
  #tables: readonly string[] = [];
  #isNudged = false;

  constructor(file?: string) {
    super(file ?? ':memory:');
    if (file) super.exec('pragma journal_mode = wal; pragma synchronous = off');
    super.exec('pragma foreign_keys = on');
    if (file === undefined) return;
    this.reader = new LastingConnection(file, { readOnly: true });
    this.reader.beforeEach = (sql) => this.#meet(sql);
  }

  /** Of all processes: each would compile the conversion of every statement's rows again, and run it cold. */
  readonly statements = new FallibleStatements(this, (sql) => this.#meet(sql));

  /** Given to the service instead of files. */
  readonly openFiles = () => ({
    writer: this,
    reader: this.reader ?? this,
    findFault: () => undefined,
    close: () => undefined,
  });

  /** Call this when all tables exist. */
  observe(): void {
    this.#tables = this.#listTables().filter(
      (name) => name === 'sqlite_sequence' || this.prepare(`select * from "${name}"`).get() === undefined,
    );
    this.function('sim_nudged', () => {
      this.#isNudged = true;
      return null;
    });
    super.exec(LOG_NUDGES);
  }

  /** Restores the state from before the first world. */
  reset(elapsedMs: () => number): void {
    this.user = undefined;
    this.faults.reset(elapsedMs);
    this.failsNextCommit = false;
    this.commits = 0;
    this.committedNudge = 0;
    super.exec('begin');
    for (const name of ['sim_nudges', ...this.#tables]) this.prepare(`delete from "${name}"`).run();
    super.exec('commit');
  }

  /** A table comes before the tables that it refers to: without foreign keys, SQLite would prepare everything again. */
  #listTables(): string[] {
    const rows = this.prepare("select name from sqlite_master where type = 'table'").all();
    const sorted = new Set<string>();
    const add = (name: string) => {
      if (sorted.has(name)) return;
      for (const { table } of this.prepare('select "table" from pragma_foreign_key_list(?)').all(name))
        if (table !== name) add(String(table));
      sorted.add(name);
    };
    for (const { name } of rows) add(String(name));
    return [...sorted].reverse();
  }

  override exec(sql: string): void {
    if (this.user?.isDead) throw new Error('The process is dead.');
    if (sql === 'commit' && this.failsNextCommit) {
      this.failsNextCommit = false;
      throw this.faults.refusedCommit();
    }
    this.#meet(sql);
    // Transactions begin and end so often that these statements are prepared once as well.
    if (sql.includes(';')) super.exec(sql);
    else this.prepare(sql).run();
    if (sql !== 'commit') return;
    this.commits += 1;
    if (this.#isNudged) this.#readLastNudge();
    this.user?.mayGoOn();
  }

  #meet(sql: string): void {
    this.faults.meet(sql, () => {
      if (this.isTransaction) super.exec('rollback');
    });
  }

  #readLastNudge(): void {
    this.#isNudged = false;
    this.committedNudge = Number(this.prepare('select max(number) as number from sim_nudges').get()?.number ?? 0);
  }

  /** Rolls back the open transaction of a dead process. */
  rollBack(): void {
    this.failsNextCommit = false;
    if (this.isTransaction) super.exec('rollback');
  }
}

/** An empty database with all tables, in memory or in a file with a reader beside the writer. */
export async function createDatabase(hasReader = false): Promise<SharedDatabase> {
  const folder = hasReader
    ? mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'crescendo-'))
    : undefined;
  const database = new SharedDatabase(folder && join(folder, 'world.db'));
  const startedAt = new Date();
  const dialect = sqliteDialect('/', () => startedAt, { openFiles: database.openFiles });
  await migrate(await openSqlite<Database>(dialect), { version: '0.1.0', startedAt });
  database.observe();
  database.reader?.prepare('select count(*) from users').get();
  // Open files work without a name, and nothing is left behind however this process ends.
  if (folder !== undefined) rmSync(folder, { recursive: true });
  return database;
}
