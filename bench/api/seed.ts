/** Accounts with sessions and tasks. Nothing is due for years, so that no nudge disturbs a measurement. */
import type { BenchService } from '../bench-service.ts';
import { sized } from '../sizes.ts';
import { insertTasks } from '../tasks.ts';

export interface Account {
  readonly userId: string;
  readonly authorization: string;
  /** In the order of the list. */
  readonly taskIds: readonly string[];
}

export interface Seed {
  readonly accounts: readonly Account[];
  /** A sync since then returns a few tasks of each account. */
  readonly since: string;
}

/** One for each connection. */
export const ACCOUNTS = sized(8, 32);
export const LISTED_TASKS = 1_000;
/** Each is completed once. */
export const COMPLETED_TASKS = sized(30, 400);
export const CHANGED_TASKS = 10;
const FIRST_DUE_MS = 3 * 365 * 86_400_000;

export async function seed(service: BenchService): Promise<Seed> {
  const now = Date.now();
  const accounts: Account[] = [];
  const [changedAt, since] = [new Date(now - 3_600_000), new Date(now - 1_800_000)];
  for (let count = 0; count < ACCOUNTS; count += 1) {
    const user = await service.signIn();
    const size = LISTED_TASKS + COMPLETED_TASKS;
    const taskIds = await insertTasks(service.db, user.id, size, new Date(now + FIRST_DUE_MS));
    // Per account: one statement for all of them exceeds the time limit of a statement on a slow machine.
    await service.db.updateTable('tasks').set({ changed_at: changedAt }).where('owner_id', '=', user.id).execute();
    accounts.push({ userId: user.id, authorization: user.headers.authorization, taskIds });
  }
  const changed = accounts.flatMap(({ taskIds }) => taskIds.slice(0, CHANGED_TASKS));
  await service.db
    .updateTable('tasks')
    .set({ changed_at: new Date(now - 60_000) })
    .where('id', 'in', changed)
    .execute();
  return { accounts, since: since.toISOString() };
}
