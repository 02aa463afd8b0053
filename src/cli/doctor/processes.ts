/** Says which processes serve the database, and of which release they are. */
import { findOlderProcesses } from '../../db/postgres/postgres-sessions.ts';
import { listProcesses } from '../../db/processes.ts';
import { type Db, isPostgres } from '../../db/schema.ts';
import { type Check, type DoctorContext, type Finding, fault, fine, warning } from './check.ts';
import { withDatabase } from './database.ts';

export const processes: Check = {
  name: 'processes',
  settings: ['DATABASE_URL', 'DATA_DIR'],
  run: async (context) => withDatabase(context, (db) => describeProcesses(db, context)).catch(() => undefined),
};

async function describeProcesses(db: Db, { clock, version }: DoctorContext): Promise<Finding | undefined> {
  const older = isPostgres(db) ? await findOlderProcesses(db) : { count: 0, addresses: [] };
  if (older.count > 0) {
    const from = older.addresses.length > 0 ? ` (connected from ${older.addresses.join(', ')})` : '';
    return fault(
      `a process of a release before 0.3.0 runs on this database${from}; beside a newer one it swallows nudges`,
      'Stop every process of the old release, then start the new ones.',
    );
  }
  // Before the first start of this release there is no table of processes.
  const running = await listProcesses(db, clock.now()).catch(() => []);
  if (running.length === 0) return undefined;
  const names = running.map(({ release, kind }) => `${release} (${kind})`).join(', ');
  if (running.every(({ release }) => release === version)) return fine(`${running.length} running: ${names}`);
  return warning(`running: ${names}; this command line is ${version}`, 'Restart the others with this release.');
}
