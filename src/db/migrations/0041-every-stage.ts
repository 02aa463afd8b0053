import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * The mail that the service sets up by itself takes every stage, and a nudge that nothing took says why. A change by
 * its owner ends `automatic`, so nobody chose the stages of these rows: 12 are the stages 1 and 2, 15 all four.
 */
export const everyStage: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`update channels set stages = 15 where automatic and stages = 12`.execute(db);
    await db.schema.alterTable('timeline').addColumn('unreached', 'text').execute();
  },
};
