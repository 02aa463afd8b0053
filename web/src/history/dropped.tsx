import { useSettings, useTasks, useZone } from '../data/sync.ts';
import { act } from '../data/task-actions.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Section } from '../ui/section.tsx';
import { TaskLink } from '../ui/task-link.tsx';
import type { Bulk } from './join-batches.ts';

/** The service reopens a task until a day after it was dropped. */
const REOPENABLE_MS = 86_400_000;

/** A drop leaves no outcome, so this list is the only place where the task can still be found. */
export function RecentlyDropped({ inBulk }: { readonly inBulk: readonly Bulk[] }) {
  const listed = new Set(inBulk.flatMap(({ taskIds }) => taskIds));
  const now = useNow();
  const zone = useZone();
  const me = useSettings()?.id;
  const tasks = Object.values(useTasks() ?? {})
    // Only the person who withdrew a request can bring it back.
    .filter((task) => task.status === 'dropped' && (task.accepted_by_owner || task.assigner_id === me))
    .filter(({ id }) => !listed.has(id))
    .filter(({ owner_id, assigner_id }) => owner_id === me || assigner_id === me)
    .filter(({ updated_at }) => now - Date.parse(updated_at) < REOPENABLE_MS)
    .sort((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at));
  if (tasks.length === 0) return null;
  return (
    <Section title={screenStrings.history.dropped} lead={screenStrings.history.droppedLead}>
      <ul>
        {tasks.map((task) => (
          <li key={task.id} className="flex items-center gap-3 border-t border-line py-1 first:border-t-0">
            <div className="min-w-0 grow gap-3 sm:flex sm:items-center sm:justify-between">
              <TaskLink taskId={task.id} className="line-clamp-2">
                {task.title}
              </TaskLink>
              <span className="shrink-0 text-sm text-soft">{formatMoment(task.updated_at, zone, now)}</span>
            </div>
            <Button
              variant="plain"
              aria-label={screenStrings.history.undoNamed(task.title)}
              onClick={() => act('reopen', task)}
            >
              {strings.undo}
            </Button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
