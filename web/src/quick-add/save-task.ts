/** Stores what was understood as a task, and says so. */
import type { ParsedPart, ParsedTask, ParseOptions } from '../../../src/words/parse-task.ts';
import { toInstant, toIsoString } from '../../../src/words/wall-time.ts';
import type { TaskCreate } from '../api/client.ts';
import { enqueueActions } from '../data/action-queue.ts';
import { channelsOptions } from '../data/channels.ts';
import { queryClient } from '../data/query-client.ts';
import { newLocalId } from '../data/queued-action.ts';
import { currentUserId } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';

/** Where the task belongs, if the field stands in a space or on the page of a member. */
export type PlaceOfTask = Pick<TaskCreate, 'space_id' | 'owner_id'>;

/** `ringsAt`: the moment that the person lets ring in spite of quiet hours and pauses. */
export async function saveTask(
  parsed: ParsedTask,
  zone: string,
  fields: PlaceOfTask,
  ringsAt: number | undefined,
  loadHolds = () => import('../holds/ring-anyway.ts'),
): Promise<void> {
  const dueAt = instantOf(parsed, zone);
  const ringsAnyway = dueAt !== undefined && dueAt === ringsAt;
  const task = await enqueueTask(parsed, zone, fields, ringsAnyway ? dueAt : undefined);
  const silent = isSilent(parsed, fields);
  const say = () => showToast(silent ? strings.add.silent : strings.task.confirmation.create(parsed.title));
  if (dueAt === undefined || ringsAnyway || !isOwn(fields)) return say();
  // The task is stored: whoever was told of a problem now would add it again.
  const holds = await loadHolds().catch(() => undefined);
  return holds ? holds.confirmAdded(task, dueAt, parsed.mustNotMiss, silent).catch(say) : say();
}

/** Undefined for a whole day. */
export const instantOf = ({ due, hasTime }: ParsedTask, zone: string): number | undefined =>
  due && hasTime ? toInstant(due, zone) : undefined;

/** How hard a task insists is for its owner to say. */
export const withoutLadder = (
  ignored: ReadonlySet<ParsedPart>,
  fields: PlaceOfTask,
): NonNullable<ParseOptions['ignored']> => (isOwn(fields) ? ignored : new Set([...ignored, 'ladder']));

export const isOwn = ({ owner_id }: PlaceOfTask): boolean => (owner_id ?? currentUserId()) === currentUserId();

/** Whether nothing reaches the person at the first nudge of their new task. Read when Today was opened. */
export function isSilent({ due, leadDays }: ParsedTask, fields: PlaceOfTask): boolean {
  if (!due || !isOwn(fields)) return false;
  const stages = queryClient.getQueryData(channelsOptions.queryKey)?.unreached_stages;
  return stages?.includes(leadDays === null ? 0 : -1) ?? false;
}

export async function enqueueTask(
  parsed: ParsedTask,
  zone: string,
  fields: PlaceOfTask,
  ringsAt?: number,
): Promise<{ readonly id: string; readonly title: string }> {
  const { title, due, hasTime, recurrence, mustNotMiss, once, leadDays, ladder, label, space, notes } = parsed;
  const body: TaskCreate = {
    title,
    ...fields,
    ...(space && { space_id: space.id }),
    ...(label !== null && { kind: label }),
    ...(notes !== null && { notes }),
    ...(due && { due_at: toIsoString(due, zone), has_time: hasTime }),
    ...(recurrence && { recurrence: { ...recurrence } }),
    ...(leadDays !== null && { lead_time_days: leadDays }),
    ...(mustNotMiss && { break_quiet_hours: true }),
    ...(once && { mode: 'notify_once' }),
  };
  const task = { id: newLocalId(), title };
  const userId = currentUserId();
  const ring = ringsAt === undefined ? [] : [{ at: new Date(ringsAt).toISOString() }];
  await enqueueActions([
    { kind: 'create', task, userId, body },
    ...(ladder ? [{ kind: 'ladder' as const, task, userId, body: ladder.choice }] : []),
    ...ring.map((at) => ({ kind: 'ring-anyway' as const, task, userId, body: at })),
  ]);
  return task;
}
