import { DatabaseSync } from 'node:sqlite';
import { canonicalPath } from '../../db/sqlite/sqlite-files.ts';
import { listTablesInFile, MOVED_TABLE } from '../../db/unusable-database.ts';
import { type Command, CommandError } from '../command.ts';
import { sqliteFileOf } from './move-to-postgres.ts';
import { lockAgainstService } from './source.ts';

export const undoMove: Command = {
  parameters: [],
  summary: 'Serve an SQLite database again after a move to PostgreSQL',
  explanation:
    'DATABASE_URL names the SQLite database. It holds what it held at the move: changes made in PostgreSQL since then are\n' +
    'not in it. Stop the service on PostgreSQL first, because two services would send every nudge twice.',
  async run(call) {
    const file = canonicalPath(sqliteFileOf(call.config()));
    if (!listTablesInFile(file).includes(MOVED_TABLE)) throw new CommandError(`${file} was not moved.`);
    const lock = lockAgainstService(file);
    try {
      const db = new DatabaseSync(file);
      db.exec(`pragma synchronous = full; drop table ${MOVED_TABLE}`);
      db.close();
    } finally {
      lock.close();
    }
    return { data: { file }, text: `${file} can be served again.` };
  },
};
