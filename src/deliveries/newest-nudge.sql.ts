import { sql } from 'kysely';

/** How many nudges the task of a delivery has had. Stored with an answer, which is an answer to all nudges so far. */
export const newestNudge = sql<number>`(select nudge_count from tasks where tasks.id = deliveries.task_id)`;
