import { lazy, memo, Suspense } from 'react';
import type { Task } from '../api/client.ts';
import { useSilentStages } from '../data/channels.ts';
import { isLocal } from '../data/queued-action.ts';
import { act, takeBackSnooze } from '../data/task-actions.ts';
import { tick, useIsTicked } from '../data/ticked.ts';
import { Label } from '../find/label.tsx';
import { nextStage, ringsOnTime, shownStage } from '../ladder/shown-stage.ts';
import { StageBadge, stageColour } from '../ladder/stage-badge.tsx';
import { isRepeating } from '../recurrence/recurrence.ts';
import { strings } from '../strings.ts';
import { isSnoozed } from '../time/due-moment.ts';
import { formatDue, formatMoment } from '../time/format.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { TaskLink } from '../ui/task-link.tsx';

const HeldFact = lazy(() => import('../holds/held-fact.tsx').then((file) => ({ default: file.HeldFact })));

interface TaskRowProps {
  readonly task: Task;
  readonly zone: string;
  readonly now: number;
  readonly isLate: boolean;
  /** Undefined unless tasks are being selected. */
  readonly isSelected: boolean | undefined;
  readonly onSelect: (taskId: string, isRange: boolean) => void;
  readonly onSnooze: (task: Task) => void;
}

/** The props of both the short and the long list. */
export interface TaskListProps extends Omit<TaskRowProps, 'task' | 'isLate' | 'isSelected'> {
  readonly tasks: readonly Task[];
  readonly label: string;
  readonly isLate?: boolean;
  readonly selected: ReadonlySet<string> | undefined;
}

export const TaskRow = memo(function TaskRow(props: TaskRowProps) {
  const { task, isSelected, onSelect, onSnooze } = props;
  const isSelecting = isSelected !== undefined;
  const isTicked = useIsTicked(task.id);
  return (
    <div
      data-shortcuts="row"
      data-task={task.id}
      className={`group card flex items-center gap-1 py-1.5 pr-1.5 pl-1.5 transition hover:border-strong-line ${isSelected ? 'border-ember! bg-ember-wash!' : ''} ${isTicked ? 'pointer-events-none line-through opacity-60' : ''}`}
    >
      {isSelecting ? (
        <Checkbox task={task} isSelected={isSelected} onSelect={onSelect} />
      ) : (
        <DoneButton task={task} now={props.now} isTicked={isTicked} />
      )}
      <div className="min-w-0 grow py-1.5">
        {isSelecting ? (
          <label htmlFor={checkboxId(task.id)} className="line-clamp-2 leading-snug font-medium select-none">
            {task.title}
          </label>
        ) : (
          <TaskLink taskId={task.id} className="line-clamp-2 leading-snug font-medium">
            {task.title}
          </TaskLink>
        )}
        <Facts {...props} />
      </div>
      {!isSelecting && (
        <IconButton
          icon="snooze"
          label={strings.task.snoozeNamed(task.title)}
          aria-keyshortcuts="s"
          onClick={() => onSnooze(task)}
        />
      )}
    </div>
  );
});

function Facts({ task, zone, now, isLate, isSelected }: TaskRowProps) {
  return (
    <p className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-soft">
      <When task={task} zone={zone} now={now} isLate={isLate} isSelected={isSelected} />
      {useSilentStages()?.includes(nextStage(task, now) ?? Number.NaN) && (
        <span className="font-medium text-danger">{strings.task.silent}</span>
      )}
      {!ringsOnTime(task) && (
        <Suspense>
          <HeldFact task={task} now={now} />
        </Suspense>
      )}
      {isRepeating(task.recurrence) && (
        <span>
          <Icon name="repeat" className="size-3.5" />
          <span className="sr-only">{strings.task.repeats}</span>
        </span>
      )}
      <StageBadge task={task} now={now} />
      <Label kind={task.kind} />
      {task.break_quiet_hours && (
        <span className="inline-flex items-center gap-1 text-ember">
          <Icon name="shield" className="size-3.5" />
          {strings.task.mustNotMiss}
        </span>
      )}
      {isLocal(task.id) && <span>{strings.task.notSentYet}</span>}
    </p>
  );
}

type WhenProps = Pick<TaskRowProps, 'task' | 'zone' | 'now' | 'isLate' | 'isSelected'>;

function When({ task, zone, now, isLate, isSelected }: WhenProps) {
  const until = task.deferred_until === null ? '' : formatMoment(task.deferred_until, zone, now);
  if (isSnoozed(task, now))
    return (
      <>
        <span>{strings.task.snoozedUntil(until)}</span>
        {isSelected === undefined && <TakeBack task={task} />}
      </>
    );
  const isUndated = task.due_at === null && until !== '';
  return (
    <span className={isLate ? 'font-medium text-stage-2' : ''}>
      {isUndated ? strings.task.snoozeEnded(until) : formatDue(task, zone, now)}
    </span>
  );
}

export const TakeBack = ({ task }: Pick<TaskRowProps, 'task'>) => (
  <button
    type="button"
    aria-label={strings.task.takeBackNamed(task.title)}
    onClick={() => takeBackSnooze(task)}
    className="min-h-8 font-medium text-ink underline underline-offset-4"
  >
    {strings.task.takeBack}
  </button>
);

export const checkboxId = (taskId: string) => `select-${taskId}`;

function Checkbox({
  task,
  isSelected,
  onSelect,
}: Pick<TaskRowProps, 'task' | 'onSelect'> & { readonly isSelected: boolean }) {
  return (
    <span className="grid size-12 shrink-0 place-items-center">
      <input
        id={checkboxId(task.id)}
        type="checkbox"
        className="size-5.5"
        aria-label={strings.select.named(task.title)}
        checked={isSelected}
        onChange={({ nativeEvent }) => onSelect(task.id, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
      />
    </span>
  );
}

interface DoneButtonProps {
  readonly task: Task;
  readonly now: number;
  readonly isTicked: boolean;
}

function DoneButton({ task, now, isTicked }: DoneButtonProps) {
  const stage = shownStage(task, now);
  const colour = stage === undefined ? 'var(--color-strong-line)' : stageColour(stage);
  return (
    <button
      type="button"
      aria-label={strings.task.doneNamed(task.title)}
      title={strings.task.done}
      aria-keyshortcuts="d"
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
        className={`grid size-6.5 place-items-center rounded-full border-2 transition group-hover/done:bg-good-wash ${stage === 2 ? 'sounding' : ''}`}
        style={{ borderColor: colour }}
      >
        <Icon name="done" className="size-4 text-good opacity-0 transition group-hover/done:opacity-100" />
      </span>
    </button>
  );
}
