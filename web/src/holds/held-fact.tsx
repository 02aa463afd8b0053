/** What holds the next nudge of a stored task: in its row, and on its page. */
import { useMutation, useQuery } from '@tanstack/react-query';
import type { Task } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { isLocal } from '../data/queued-action.ts';
import { useSettings } from '../data/sync.ts';
import { forecastOptions } from '../data/task-queries.ts';
import { showToast } from '../data/toast.ts';
import { formatMoment } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { canStillRing, findHeld, ringsInHold } from './held.ts';
import { HeldBox, HeldNote } from './held-note.tsx';
import { heldStrings as words } from './held-strings.ts';
import { holdAgain, makeMustNotMiss, useRingAnyway } from './ring-anyway.ts';
import { useHolds } from './use-holds.ts';

interface HeldFactProps {
  readonly task: Task;
  readonly now: number;
}

export function HeldFact({ task, now }: HeldFactProps) {
  const holds = useHolds();
  const ring = useRingAnyway();
  const held = holds && findHeld(task, holds, now);
  if (!holds || !held) return null;
  const { wanted } = held;
  return (
    <span data-held className="inline-flex flex-wrap items-center gap-x-2 text-night-ink">
      {words.rings(formatMoment(held.at, holds.zone, now), held.by)}
      {wanted !== undefined && canStillRing(wanted, now) && (
        <button
          type="button"
          className="min-h-7 font-medium underline underline-offset-4"
          aria-label={words.ringAnywayNamed(task.title)}
          onClick={() => ring(task, wanted)}
        >
          {words.ringAnyway}
        </button>
      )}
    </span>
  );
}

/** With both ways to ring anyway, and the way back. */
export function HeldCard({ task, now }: HeldFactProps) {
  const holds = useHolds();
  const ring = useRingAnyway();
  const isOwner = useSettings()?.id === task.owner_id;
  const undo = useMutation({
    mutationFn: () => holdAgain(task),
    onError: (error) => showToast(problemText(error)),
  });
  const { data: forecast } = useQuery({ ...forecastOptions(task.id), enabled: !isLocal(task.id) });
  if (!holds || !isOwner) return null;
  const held = findHeld(task, holds, now, forecast?.[0]);
  if (held) {
    const { wanted } = held;
    const once = wanted !== undefined && canStillRing(wanted, now) ? () => ring(task, wanted) : undefined;
    return (
      <div className="mb-6">
        <HeldNote held={held} holds={holds} onOnce={once} onAlways={() => void makeMustNotMiss(task)} />
      </div>
    );
  }
  if (isLocal(task.id) || !ringsInHold(task, holds, now)) return null;
  return (
    <div className="mb-6">
      <HeldBox text={words.ringsOnce(formatMoment(task.next_fire_at ?? now, holds.zone, now))}>
        <Button className="min-h-9 px-3" busy={undo.isPending} onClick={() => undo.mutate()}>
          {words.holdAgain}
        </Button>
      </HeldBox>
    </div>
  );
}
