import { openDatabase } from '../db/open.ts';
import type { Command } from './command.ts';

export const migrate: Command = {
  parameters: [],
  summary: 'Bring the database up to this release',
  explanation:
    'The service does this by itself when it starts. Run it beforehand where an upgrade of a large database\n' +
    'should be over before the new release takes requests. Any number of processes may try at once.',
  async run({ config, version, clock, logger }) {
    const { DATABASE_URL } = config();
    const db = await openDatabase(DATABASE_URL, { version, clock, logger });
    await db.destroy();
    return { data: { version }, text: `The database is ready for Crescendo ${version}.` };
  },
};
