import type { RoomBreak } from '../room-break.ts';

const TRANSACT = 'src/db/transact.ts';
const GROUP = 'src/db/sqlite/group-commit.ts';

export const DB: readonly RoomBreak[] = [
  {
    name: 'the write of the first commit is lost when the transaction runs again',
    promise: 'a request that is sent twice with one key is done once',
    file: TRANSACT,
    piece: 'await firstCommit?.write?.(trx);',
    replacement: 'await firstCommit?.write?.(trx);\n      if (firstCommit) firstCommit.write = undefined;',
    by: ['contract/database.test'],
  },
  {
    name: 'what a transaction changes is announced before its commit',
    promise: 'an app that is told of a change finds it',
    file: TRANSACT,
    piece: '  if (scope?.isOpen) {\n    scope.changed',
    replacement: '  if (scope?.isOpen === false) {\n    scope.changed',
    by: ['contract/live'],
  },
  {
    name: 'a transaction that lost every race is an error of the service',
    promise: 'a client is told to try again when the database is busy for long',
    file: TRANSACT,
    piece: 'if (attempt === MAX_ATTEMPTS) throw unavailable(error);',
    replacement: 'if (attempt === MAX_ATTEMPTS) throw error;',
    by: ['contract/database.test'],
  },
  {
    name: 'a full disk is an error of the service',
    promise: 'a fault of the database is told as such, so that clients try again',
    file: 'src/db/faults.ts',
    piece: 'const UNAVAILABLE_SQLITE = new Set([8, 10, 11, 13, 14, 26]);',
    replacement: 'const UNAVAILABLE_SQLITE = new Set([8, 10, 11, 14, 26]);',
    by: ['contract/sqlite.test'],
  },
  {
    name: 'a write is acknowledged before it is on disk',
    promise: 'what was acknowledged survives a crash',
    file: GROUP,
    piece: '    await batch.durable;\n',
    replacement: '    void batch.durable;\n',
    by: ['contract/sqlite.test'],
  },
  {
    name: 'a transaction that fails is not rolled back',
    promise: 'a request is done whole or not at all',
    file: GROUP,
    piece: "this.#db.exec('rollback to unit; release unit');",
    replacement: "this.#db.exec('release unit');",
    by: ['contract/database.test'],
  },
  {
    name: 'statements know the columns of before a migration',
    promise: 'after an update every value is read with its type',
    file: 'src/db/sqlite/sqlite-statements.ts',
    piece: '    this.#older.clear();\n',
    replacement: '',
    by: ['src/db/sqlite/'],
  },
  {
    name: 'the moments of sync go back with a clock that is set back before a restart',
    promise: 'an app that syncs misses no change',
    file: 'src/db/sqlite/given-moments.ts',
    piece: 'if (latest) await sql`select crescendo_raise(${new Date(latest.value)})`.execute(db);',
    replacement: 'if (!latest) await sql`select crescendo_raise(${new Date(0)})`.execute(db);',
    by: ['contract/sync.test'],
  },
  {
    name: 'an engine goes on after a newer release has changed the tables',
    promise: 'an update sends no nudge twice',
    file: 'src/db/schema-watch.ts',
    piece: "if (this.isOutdated) throw new TablesChangeError('A newer release has changed the tables.');",
    replacement: "if (!this.newest) throw new TablesChangeError('A newer release has changed the tables.');",
    by: ['contract/database.test'],
  },
  {
    name: 'a read that fails fails those beside it',
    promise: 'what one caller asks fails no other',
    file: 'src/db/postgres/postgres-executor.ts',
    piece: 'const isUnavailable = error instanceof AppError;',
    replacement: 'const isUnavailable = error instanceof Error;',
    engine: 'postgres',
    by: ['contract/round-trips'],
  },
];
