import { type Kysely, PostgresAdapter } from 'kysely';

/** The few statements that the two engines cannot share ask here. */
export const isPostgres = <T>(db: Kysely<T>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;
