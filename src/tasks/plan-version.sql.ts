import { sql } from 'kysely';

/** The version that the tasks of a task's owner should have. */
export interface WithOwnerVersion {
  readonly owner_plan_version: number;
}

/** Selected with every task that is shown: a task of another version is planned anew (`tasks/current-plans.ts`). */
export const ownerPlanVersion = sql<number>`(select users.plan_version from users where users.id = tasks.owner_id)`.as(
  'owner_plan_version',
);
