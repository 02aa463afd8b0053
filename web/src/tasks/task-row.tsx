import { memo } from 'react';
import type { Task } from '../api/client.ts';
import { isLocal } from '../data/queued-action.ts';
import { act } from '../data/task-actions.ts';
import { tick, useIsTicked } from '../data/ticked.ts';
import { StageBadge, stageColour } from '../ladder/stage-badge.tsx';
import { isRepeating } from '../recurrence/recurrence.ts';
import { strings } from '../strings.ts';
import { formatDue, formatMoment } from '../time/format.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { TaskLink } from '../ui/task-link.tsx';

interface TaskRowProps {
  readonly task: Task;
  readonly zone: string;
  readonly now: number;
  readonly isLate: boolean;
  readonly onSnooze: (task: Task) => void;
}

/** The props of both the short and the long list. */
export interface TaskListProps extends Omit<TaskRowProps, 'task' | 'isLate'> {
  readonly tasks: readonly Task[];
  readonly label: string;
  readonly isLate?: boolean;
}

export const TaskRow = memo(function TaskRow({ task, zone, now, isLate, onSnooze }: TaskRowProps) {
  const isTicked = useIsTicked(task.id);
  return (
    <div
      className={`group card flex items-center gap-1 py-1.5 pr-1.5 pl-1.5 transition hover:border-strong-line ${isTicked ? 'pointer-events-none line-through opacity-60' : ''}`}
    >
      <DoneButton task={task} isTicked={isTicked} />
      <div className="min-w-0 grow py-1.5">
        <TaskLink taskId={task.id} className="line-clamp-2 leading-snug font-medium">
          {task.title}
        </TaskLink>
        <p className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-soft">
          <When task={task} zone={zone} now={now} isLate={isLate} />
          {isRepeating(task.recurrence) && (
            <span>
              <Icon name="repeat" className="size-3.5" />
              <span className="sr-only">{strings.task.repeats}</span>
            </span>
          )}
          <StageBadge stage={task.escalation_stage} nudges={task.nudge_count} />
          {task.break_quiet_hours && (
            <span className="inline-flex items-center gap-1 text-ember">
              <Icon name="shield" className="size-3.5" />
              {strings.task.mustNotMiss}
            </span>
          )}
          {isLocal(task.id) && <span>{strings.task.notSentYet}</span>}
        </p>
      </div>
      <IconButton icon="snooze" label={strings.task.snoozeNamed(task.title)} onClick={() => onSnooze(task)} />
    </div>
  );
});

function When({ task, zone, now, isLate }: Pick<TaskRowProps, 'task' | 'zone' | 'now' | 'isLate'>) {
  const isSnoozed = task.deferred_until !== null && Date.parse(task.deferred_until) > now;
  if (isSnoozed && task.deferred_until)
    return <span>{strings.task.snoozedUntil(formatMoment(task.deferred_until, zone, now))}</span>;
  return <span className={isLate ? 'font-medium text-stage-2' : ''}>{formatDue(task, zone, now)}</span>;
}

function DoneButton({ task, isTicked }: { readonly task: Task; readonly isTicked: boolean }) {
  const isLoud = task.escalation_stage === 2 && task.nudge_count > 0;
  const colour = task.nudge_count > 0 ? stageColour(task.escalation_stage) : 'var(--color-strong-line)';
  return (
    <button
      type="button"
      aria-label={strings.task.doneNamed(task.title)}
      title={strings.task.done}
      aria-disabled={isTicked || undefined}
      onClick={() => {
        // The keyboard can still press it.
        if (isTicked) return;
        tick(task);
        act('complete', task);
      }}
      className="group/done grid size-12 shrink-0 place-items-center rounded-full"
    >
      <span
        className={`grid size-6.5 place-items-center rounded-full border-2 transition group-hover/done:bg-good-wash ${isLoud ? 'sounding' : ''}`}
        style={{ borderColor: colour }}
      >
        <Icon
          name="done"
          className={`size-4 text-good transition ${isTicked ? '' : 'opacity-0 group-hover/done:opacity-100'}`}
        />
      </span>
    </button>
  );
}
