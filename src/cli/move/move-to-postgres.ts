import { existsSync, readFileSync } from 'node:fs';
import { Kysely } from 'kysely';
import type { Config } from '../../config.ts';
import { postgresDialect } from '../../db/postgres/postgres.ts';
import type { Database, Db } from '../../db/schema.ts';
import { transact } from '../../db/transact.ts';
import { AppError } from '../../lib/errors.ts';
import { databaseLocation } from '../../lib/setting.ts';
import { type Call, type Command, CommandError, type Report, UsageError } from '../command.ts';
import { toErrorLine } from '../error-line.ts';
import { copyTables, refuseDifference } from './copy.ts';
import { reportMove } from './move-report.ts';
import { Source } from './source.ts';
import { analyze } from './target.store.ts';
import { occupyTables, prepareTables, waitForClock } from './target.ts';

export const moveToPostgres: Command = {
  parameters: ['URL'],
  summary: 'Copy the SQLite database into PostgreSQL',
  explanation:
    'DATABASE_URL names the SQLite database. URL is that of an empty PostgreSQL database, or the path of a file that\n' +
    'holds it, because other users of a machine can read the arguments of a command. Stop the service first. Every\n' +
    'table is copied and compared in one transaction: if the command is interrupted, nothing is in PostgreSQL, and it\n' +
    'can be run again. Afterwards the SQLite database is marked as moved, and no service serves it again.',
  async run(call) {
    const config = call.config();
    const url = targetUrl(call.positionals[0] ?? '');
    const source = Source.open(sqliteFileOf(config), call.version);
    const db = new Kysely<Database>({ dialect: postgresDialect(url, 'migration', call.logger) });
    try {
      return await move(call, config, source, db);
    } catch (error) {
      throw explainFailure(error, call.signal);
    } finally {
      await db.destroy();
      source.close();
    }
  },
};

export function sqliteFileOf({ DATABASE_URL }: Config): string {
  if (DATABASE_URL.engine === 'sqlite') return DATABASE_URL.file;
  throw new CommandError('DATABASE_URL is already PostgreSQL. Set it to the SQLite database that is meant.');
}

function targetUrl(text: string): string {
  const location = databaseLocation.parse(existsSync(text) ? readFileSync(text, 'utf8').trim() : text);
  if (location?.engine === 'postgres') return location.url;
  throw new UsageError('URL must be postgres://USER:PASSWORD@HOST/NAME, or the path of a file that holds it.');
}

async function move(call: Call, config: Config, source: Source, db: Db): Promise<Report> {
  const { clock, signal, printStatus, version } = call;
  const { tables } = source;
  await waitForClock(db, clock.now(), clock, signal);
  await prepareTables(db, tables, version);
  const checksums = await transact(db, async (trx) => {
    await occupyTables(trx, tables);
    const read = await copyTables(call, source, trx);
    printStatus('Comparing …');
    await refuseDifference(trx, tables, read, signal);
    await analyze(trx);
    return read;
  });
  source.markMoved();
  return reportMove(checksums, config);
}

/** Here an error of PostgreSQL is about URL, not about DATABASE_URL. */
function explainFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted)
    return new CommandError(
      'Stopped. Nothing was copied, and the SQLite database is unchanged. Run the same command again.',
    );
  // Without the connection PostgreSQL rolls back.
  if (error instanceof AppError) return new CommandError(`${toErrorLine(error)} Run the same command again.`);
  const isPostgres = error instanceof Error && 'severity' in error;
  return isPostgres ? new CommandError(`URL: PostgreSQL says: ${error.message.replaceAll(/\s+/g, ' ')}.`) : error;
}
