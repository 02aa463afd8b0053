/** Waits until the service has what a person did in the browser, as its database tells. */
import type { Bed } from './bed.ts';

interface StoredTask {
  readonly id: string;
  readonly owner_id: string;
  readonly title: string;
  readonly recurrence: unknown;
  readonly due_at: string | null;
  readonly deferred_until: string | null;
  readonly has_time: boolean;
  readonly notes: string | null;
  readonly lead_time_days: number | null;
  readonly break_quiet_hours: boolean;
  readonly status: string;
  readonly accepted_by_owner: boolean;
}

export async function findStored(bed: Bed, title: string): Promise<StoredTask | undefined> {
  const row = await bed.db.selectFrom('tasks').selectAll().where('title', '=', title).executeTakeFirst();
  const asObject = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value);
  return row && { ...JSON.parse(JSON.stringify(row)), recurrence: asObject(row.recurrence) };
}

const LOOK_EVERY_MS = 25;
const PATIENCE_MS = 10_000;

export async function untilStored(
  bed: Bed,
  title: string,
  holds: (task: StoredTask) => boolean = () => true,
): Promise<StoredTask> {
  let found: StoredTask | undefined;
  await until(async () => {
    found = await findStored(bed, title);
    return found !== undefined && holds(found);
  });
  if (!found) throw new Error(`There is no task ${title}.`);
  return found;
}

/** For what no browser tells by itself. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('It never came true.');
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
