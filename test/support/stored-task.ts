/** Waits until the database has what a person did in the browser. */
import type { TestApp } from './test-app.ts';
import { waitUntil } from './wait-until.ts';

interface StoredTask {
  readonly id: string;
  readonly owner_id: string;
  readonly title: string;
  readonly recurrence: unknown;
  readonly due_at: string | null;
  readonly next_fire_at: string | null;
  readonly deferred_until: string | null;
  readonly has_time: boolean;
  readonly notes: string | null;
  readonly kind: string;
  readonly lead_time_days: number | null;
  readonly ladder: string | null;
  readonly break_quiet_hours: boolean;
  readonly status: string;
  readonly accepted_by_owner: boolean;
}

export async function findStoredTask(app: TestApp, title: string): Promise<StoredTask | undefined> {
  const row = await app.db.selectFrom('tasks').selectAll().where('title', '=', title).executeTakeFirst();
  const asObject = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value);
  return row && { ...JSON.parse(JSON.stringify(row)), recurrence: asObject(row.recurrence) };
}

export async function waitForStoredTask(
  app: TestApp,
  title: string,
  isAsExpected: (task: StoredTask) => boolean = () => true,
): Promise<StoredTask> {
  let found: StoredTask | undefined;
  await waitUntil(async () => {
    found = await findStoredTask(app, title);
    return found !== undefined && isAsExpected(found);
  });
  if (!found) throw new Error(`There is no task ${title}.`);
  return found;
}
