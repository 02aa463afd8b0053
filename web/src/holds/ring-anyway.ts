/** What "Ring anyway" does: the service lets the nudge at one moment pass, or all nudges of the task. */
import { api, type Task, unwrap } from '../api/client.ts';
import { serviceNow } from '../api/service-clock.ts';
import { enqueueAction } from '../data/action-queue.ts';
import { currentUserId, mergeTask, refresh, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { formatMoment } from '../time/format.ts';
import { heldAt } from './held.ts';
import { heldStrings as words } from './held-strings.ts';
import { readHolds } from './use-holds.ts';

type Named = Pick<Task, 'id' | 'title'>;

export function useRingAnyway() {
  const zone = useZone();
  return (task: Named, at: number) => {
    void ringAnyway(task, at);
    showToast(words.willRing(formatMoment(at, zone, serviceNow())));
  };
}

export const ringAnyway = (task: Named, at: number) =>
  enqueueAction({ kind: 'ring-anyway', task, userId: currentUserId(), body: { at: new Date(at).toISOString() } });

export async function makeMustNotMiss(task: Named): Promise<void> {
  await enqueueAction({ kind: 'edit', task, userId: currentUserId(), body: { break_quiet_hours: true } });
  showToast(strings.saved);
}

export async function holdAgain({ id }: Named): Promise<void> {
  mergeTask(await unwrap(api.DELETE('/v1/tasks/{task_id}/ring-anyway', { params: { path: { task_id: id } } })));
  await refresh();
}

/** Says that a task was added, and when it rings if that is not the moment that was asked for. */
export async function confirmAdded(task: Named, at: number, mustNotMiss: boolean, isSilent: boolean): Promise<void> {
  const holds = await readHolds();
  const now = serviceNow();
  const held = holds && heldAt(Math.max(at, now), mustNotMiss, holds);
  if (!held) return showToast(isSilent ? strings.add.silent : strings.task.confirmation.create(task.title));
  const when = formatMoment(held.at, holds.zone, now);
  if (isSilent) return showToast(words.addedSilent(when));
  const text = words.added(when, held.by);
  // A moment that has passed is not when the first nudge is wanted.
  if (at <= now) return showToast(text);
  return showToast(text, { label: words.ringAnyway, run: () => void ringAnyway(task, at), isOffer: true });
}
