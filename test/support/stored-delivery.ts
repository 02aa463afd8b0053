/** A row of the outbox, for tests of what happens to such rows. */
import type { Insertable } from 'kysely';
import type { Database } from '../../src/db/schema.ts';
import { newId } from '../../src/lib/ids.ts';

type Row = Insertable<Database['deliveries']>;

/** A nudge of the task's first run that waits for capacity, with these fields instead. */
export const storedDelivery = (
  task: { readonly id: string; readonly owner_id: string },
  { created_at = new Date(0), ...fields }: Partial<Row>,
): Row => ({
  entry_id: newId(),
  target_id: newId(),
  kind: 'nudge',
  task_id: task.id,
  recipient_id: task.owner_id,
  run: 1,
  nudge: 1,
  provider: 'fcm',
  stage: 0,
  status: 'pending',
  attempts: 0,
  next_attempt_at: created_at,
  created_at,
  ...fields,
});
