import { existsSync, readFileSync } from 'node:fs';
import { Kysely } from 'kysely';
import type { Config } from '../../config.ts';
import { postgresDialect } from '../../db/postgres/postgres.ts';
import type { Database, Db } from '../../db/schema.ts';
import { databaseLocation } from '../../lib/setting.ts';
import { type Call, type Command, CommandError, type Report, UsageError } from '../command.ts';
import { checksumSource, checksumTarget } from './checksums.ts';
import { copyTables } from './copy.ts';
import { compare, reportMove } from './move-report.ts';
import { Source } from './source.ts';
import { analyze, dropProgress } from './target.store.ts';
import { prepareTarget, refuseOccupiedTarget, refuseSlowClock, waitForClock } from './target.ts';

export const moveToPostgres: Command = {
  parameters: ['URL'],
  summary: 'Copy the SQLite database into PostgreSQL',
  explanation:
    'DATABASE_URL names the SQLite database. URL is that of an empty PostgreSQL database, or the path of a file that\n' +
    'holds it, because other users of a machine can read the arguments of a command. Stop the service first. Every\n' +
    'table is copied and then compared. If the copy is interrupted, run the command again: it continues where it\n' +
    'stopped. No service starts on the PostgreSQL database until the copy is finished. The SQLite database is not\n' +
    'changed.',
  options: {
    'start-over': { type: 'boolean', about: 'Empty an unfinished copy and copy everything again' },
  },
  async run(call) {
    const config = call.config();
    const url = targetUrl(call.positionals[0] ?? '');
    const source = Source.open(sourceFile(config), call.version);
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

function sourceFile({ DATABASE_URL }: Config): string {
  if (DATABASE_URL.engine === 'sqlite') return DATABASE_URL.file;
  throw new CommandError('DATABASE_URL is already PostgreSQL. Set it to the SQLite database that you want to move.');
}

function targetUrl(text: string): string {
  const location = databaseLocation.parse(existsSync(text) ? readFileSync(text, 'utf8').trim() : text);
  if (location?.engine === 'postgres') return location.url;
  throw new UsageError('URL must be postgres://USER:PASSWORD@HOST/NAME, or the path of a file that holds it.');
}

async function move(call: Call, config: Config, source: Source, db: Db): Promise<Report> {
  const { clock, signal, printStatus, version } = call;
  const stoppedAt = clock.now();
  await refuseSlowClock(db, stoppedAt);
  await refuseOccupiedTarget(db, source.tables);
  printStatus('Reading the SQLite database …');
  // Checksums of all rows also show whether an unfinished copy is of this state of this database.
  const checksums = await checksumSource(source, signal);
  const startOver = call.options['start-over'] === true;
  await copyTables(call, source, db, await prepareTarget(db, { checksums, version, startOver }));
  printStatus('Comparing …');
  const comparison = compare(checksums, await checksumTarget(db, source.tables, signal));
  if (comparison.isEqual) {
    await analyze(db);
    await waitForClock(db, stoppedAt, clock, signal);
    await dropProgress(db);
  }
  return reportMove(comparison, config);
}

/** Here an error of PostgreSQL is about URL, not about DATABASE_URL. */
function explainFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new CommandError('Stopped. Run the same command again to continue.');
  const isPostgres = error instanceof Error && 'severity' in error;
  return isPostgres ? new CommandError(`URL: PostgreSQL says: ${error.message.replaceAll(/\s+/g, ' ')}.`) : error;
}
