import { Kysely } from 'kysely';
import type { Config } from '../../config.ts';
import { postgresDialect } from '../../db/postgres.ts';
import type { Database } from '../../db/schema.ts';
import { databaseLocation } from '../../lib/setting.ts';
import { type Call, type Command, CommandError, type Report, UsageError } from '../command.ts';
import { outwaitClock, refuseSlowClock } from './clocks.ts';
import { sumSource, sumTarget } from './compare.ts';
import { copyTable } from './copy.ts';
import { dropMarks, type Mark } from './copy-marks.store.ts';
import { compare, reportOf } from './move-report.ts';
import { settingsToCome } from './settings-to-come.ts';
import { Source } from './source.ts';
import { analyze } from './target.store.ts';
import { prepareTarget, refuseWrongTarget } from './target.ts';

export const moveToPostgres: Command = {
  parameters: ['URL'],
  summary: 'Copy the embedded database into PostgreSQL',
  explanation:
    'DATABASE_URL names the embedded database, URL an empty PostgreSQL. Stop the service first. Every table is\n' +
    'copied and then compared; a copy that was interrupted goes on where it stopped when the command is repeated,\n' +
    'and until it is finished no service starts on that PostgreSQL. The embedded database stays as it is.',
  options: {
    'start-over': { type: 'boolean', about: 'Empty a copy that was not finished, and begin anew' },
  },
  async run(call) {
    const config = call.config();
    const url = targetUrl(call.given[0] ?? '');
    const source = Source.open(sourceFile(config), call.version);
    const db = new Kysely<Database>({ dialect: postgresDialect(url, 'migration', call.logger) });
    try {
      return await move(call, config, source, db);
    } catch (error) {
      throw explained(error, call.signal);
    } finally {
      await db.destroy();
      source.close();
    }
  },
};

function sourceFile({ DATABASE_URL }: Config): string {
  if (DATABASE_URL.engine === 'sqlite') return DATABASE_URL.file;
  throw new CommandError('DATABASE_URL already is PostgreSQL; it wants to be the embedded database that is moved.');
}

function targetUrl(given: string): string {
  const location = databaseLocation.parse(given);
  if (location?.engine === 'postgres') return location.url;
  throw new UsageError('URL wants to be postgres://USER:PASSWORD@HOST/NAME.');
}

async function move(call: Call, config: Config, source: Source, db: Kysely<Database>): Promise<Report> {
  const { clock, signal, tell, version } = call;
  const stoppedAt = clock.now();
  await refuseSlowClock(db, stoppedAt);
  await refuseWrongTarget(db, source.tables);
  tell('Reading the embedded database …');
  // Over everything, since they also tell a copy of this state from one of another.
  const sums = await sumSource(source, signal);
  const startOver = call.options['start-over'] === true;
  await copyAll(call, source, db, await prepareTarget(db, { sums, version, startOver }));
  tell('Comparing …');
  const comparison = compare(sums, await sumTarget(db, source.tables, signal));
  if (comparison.isEqual) {
    await analyze(db);
    await outwaitClock(db, stoppedAt, clock, signal);
    await dropMarks(db);
  }
  return reportOf(comparison, settingsToCome(config));
}

async function copyAll({ tell, signal }: Call, source: Source, db: Kysely<Database>, marks: readonly Mark[]) {
  const total = marks.reduce((sum, { rows }) => sum + rows, 0);
  let done = marks.reduce((sum, mark) => sum + mark.copied, 0);
  if (done > 0) tell(`Going on after ${done} of ${total} rows …`);
  let told = -1;
  const copied = (table: string, rows: number) => {
    done += rows;
    const percent = Math.floor((100 * done) / total);
    if (percent > told) tell(`${percent}% copied: ${done} of ${total} rows, now in ${table}`);
    told = percent;
  };
  for (const table of source.tables) {
    const mark = marks.find(({ name }) => name === table.name);
    if (mark) await copyTable(db, source, table, mark, { signal, copied });
  }
}

/** What PostgreSQL refuses is about the URL here, and not about the start of a service. */
function explained(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return new CommandError('Stopped. Run the same command again to go on.');
  const isPostgres = error instanceof Error && 'severity' in error;
  return isPostgres ? new CommandError(`URL: PostgreSQL says: ${error.message.replaceAll(/\s+/g, ' ')}.`) : error;
}
