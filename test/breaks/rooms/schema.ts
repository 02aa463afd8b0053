import type { RoomBreak } from '../room-break.ts';

const MIGRATE = 'src/db/migrate.ts';
const POSTGRES = 'src/db/postgres/postgres.ts';

export const SCHEMA: readonly RoomBreak[] = [
  {
    name: 'a new database tells of an upgrade',
    promise: 'only an upgrade is told',
    file: MIGRATE,
    piece: 'missing > 0 && !isNew',
    replacement: 'missing > 0',
    by: ['contract/database'],
    engine: 'postgres',
  },
  {
    name: 'the database of another application is changed',
    promise: 'no other database is touched',
    file: MIGRATE,
    piece:
      "  if (!applied.some((name) => name in allMigrations || name in known)) throw foreignDatabaseError('kysely_migration');\n",
    replacement: '',
    by: ['contract/database'],
    engine: 'postgres',
  },
  {
    name: 'a process that lost the race with a newer release does not say so',
    promise: 'an operator reads what is wrong',
    file: MIGRATE,
    piece: '    await refuseNewerSchema(db, release, migrations);\n    const failed',
    replacement: '    const failed',
    by: ['contract/database'],
    engine: 'postgres',
  },
  {
    name: 'a statement beside its transaction waits for itself',
    promise: 'a mistake is found at once',
    file: POSTGRES,
    piece: '    refuseInsideTransaction();\n',
    replacement: '',
    by: ['contract/database'],
    engine: 'postgres',
  },
  {
    name: 'a long migration is cut off',
    promise: 'rewriting a large table may take long',
    file: POSTGRES,
    piece: 'set local statement_timeout = 0; ',
    replacement: '',
    by: ['contract/database'],
    engine: 'postgres',
  },
];
