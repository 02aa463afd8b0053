import { openDatabase } from '../db/open.ts';
import type { Command } from './command.ts';

export const migrate: Command = {
  parameters: [],
  summary: 'Upgrade the database to this release',
  explanation:
    'The service does this when it starts. Run it beforehand if the upgrade of a large database should be finished\n' +
    'before the new release accepts requests. Several processes may run it at the same time.',
  async run({ config, version, clock, logger }) {
    const { DATABASE_URL } = config();
    const db = await openDatabase(DATABASE_URL, { version, clock, logger });
    await db.destroy();
    return { data: { version }, text: `The database is ready for Crescendo ${version}.` };
  },
};
