/** The actions on all selected tasks at once. Each press is one Undo. */
import { type FormEvent, useState } from 'react';
import { addDays, formatIsoDate, toWallTime } from '../../../src/words/wall-time.ts';
import type { Task } from '../api/client.ts';
import { useZone } from '../data/sync.ts';
import { actionOn, queueWithUndo, type TaskChange } from '../data/task-actions.ts';
import { isRepeating } from '../recurrence/recurrence.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { redate, todayIn } from './redate.ts';
import { SnoozeUntil } from './snooze-sheet.tsx';

const { select: words } = screenStrings;

interface SelectionBarProps {
  readonly tasks: readonly Task[];
  readonly onAll: () => void;
  readonly onStop: () => void;
}

export function SelectionBar({ tasks, onAll, onStop }: SelectionBarProps) {
  const zone = useZone();
  const [open, setOpen] = useState<'snooze' | 'redate' | 'drop'>();
  const close = () => setOpen(undefined);
  const isEmpty = tasks.length === 0;
  const run = (kind: keyof typeof words.done, change: (task: Task) => TaskChange) => {
    queueWithUndo(words.done[kind](tasks.length), tasks.map(change));
    onStop();
  };
  return (
    <section
      aria-label={words.count(tasks.length)}
      data-shortcuts="selection"
      className="card sticky top-2 z-20 mb-5 flex flex-wrap items-center gap-1.5 p-2 shadow-float!"
    >
      <p role="status" className="min-w-0 grow pl-2.5 font-semibold">
        {words.count(tasks.length)}
      </p>
      <Button variant="plain" className="px-3" onClick={onAll}>
        {words.all}
      </Button>
      <IconButton icon="close" label={words.stop} onClick={onStop} />
      <div className="grid w-full grid-cols-2 gap-1.5 sm:grid-cols-4">
        <Button
          variant="good"
          icon="done"
          className="px-3"
          aria-keyshortcuts="d"
          disabled={isEmpty}
          onClick={() => run('complete', (task) => actionOn('complete', task))}
        >
          {strings.task.done}
        </Button>
        <BarButton
          icon="snooze"
          keys="s"
          label={strings.task.snooze}
          isOff={isEmpty}
          onPress={() => setOpen('snooze')}
        />
        <BarButton icon="today" keys="r" label={words.redate} isOff={isEmpty} onPress={() => setOpen('redate')} />
        <BarButton
          icon="trash"
          keys="Delete"
          label={strings.task.drop}
          isOff={isEmpty}
          onPress={() => setOpen('drop')}
        />
      </div>
      {open === 'snooze' && (
        <SnoozeUntil
          mustNotMiss={tasks.every((task) => task.break_quiet_hours)}
          isOwner
          onClose={close}
          onSnooze={(snooze) => {
            queueWithUndo(snooze.text ?? words.done.snooze(tasks.length), tasks.flatMap(snooze.of));
            onStop();
          }}
        />
      )}
      {open === 'redate' && (
        <RedateSheet
          count={tasks.length}
          onClose={close}
          onRedate={(date) => run('redate', (task) => redate(task, date, Date.now(), zone))}
        />
      )}
      {open === 'drop' && (
        <DropSheet tasks={tasks} onClose={close} onDrop={() => run('drop', (task) => actionOn('drop', task))} />
      )}
    </section>
  );
}

interface BarButtonProps {
  readonly icon: 'snooze' | 'today' | 'trash';
  readonly keys: string;
  readonly label: string;
  readonly isOff: boolean;
  readonly onPress: () => void;
}

const BarButton = ({ icon, keys, label, isOff, onPress }: BarButtonProps) => (
  <Button icon={icon} className="px-3" aria-keyshortcuts={keys} disabled={isOff} onClick={onPress}>
    {label}
  </Button>
);

interface RedateSheetProps {
  readonly count: number;
  readonly onClose: () => void;
  readonly onRedate: (date: string) => void;
}

function RedateSheet({ count, onClose, onRedate }: RedateSheetProps) {
  const zone = useZone();
  const today = toWallTime(Date.now(), zone);
  const [date, setDate] = useState(() => formatIsoDate(addDays(today, 1)));
  const [problem, setProblem] = useState<string>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (date < todayIn(zone, Date.now())) return setProblem(words.past);
    return onRedate(date);
  };
  return (
    <Sheet title={words.redateTitle(count)} onClose={onClose}>
      <p className="mb-4 text-soft">{words.redateLead}</p>
      <form onSubmit={submit} className="grid gap-4">
        <Field
          label={screenStrings.editor.date}
          type="date"
          required
          value={date}
          problem={problem}
          onChange={(event) => setDate(event.target.value)}
        />
        <Button type="submit" variant="primary">
          {words.redateTo}
        </Button>
      </form>
    </Sheet>
  );
}

interface DropSheetProps {
  readonly tasks: readonly Task[];
  readonly onClose: () => void;
  readonly onDrop: () => void;
}

const countSeries = (tasks: readonly Task[]) => tasks.filter((task) => isRepeating(task.recurrence)).length;

const DropSheet = ({ tasks, onClose, onDrop }: DropSheetProps) => (
  <Sheet title={words.dropSure(tasks.length)} onClose={onClose}>
    <p className="mb-5 text-soft">
      {countSeries(tasks) > 0 && (
        <strong className="block text-ink">{screenStrings.kept.dropEndsSeveral(countSeries(tasks))}</strong>
      )}
      {words.dropText}
    </p>
    <div className="flex flex-wrap justify-end gap-2">
      <Button onClick={onClose}>{strings.cancel}</Button>
      <Button variant="danger" onClick={onDrop}>
        {strings.task.drop}
      </Button>
    </div>
  </Sheet>
);
