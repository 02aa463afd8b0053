import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Task } from '../api/client.ts';
import { act } from '../data/actions.ts';
import { idOf, useDeeds } from '../data/deed-book.ts';
import { isLocal } from '../data/deeds.ts';
import { usePeople, useSpaces } from '../data/people.ts';
import { findId } from '../data/replay.ts';
import { useSettings, useSynced, useTasks, useZone } from '../data/sync.ts';
import { taskOptions } from '../data/task-story.ts';
import { LadderCard } from '../ladder/ladder-card.tsx';
import { isRepeating } from '../quick-add/recurrence.ts';
import { recurrenceWords } from '../quick-add/recurrence-words.ts';
import { strings } from '../strings.ts';
import { useNow } from '../time/now.ts';
import { distanceWords, dueWords, momentWords } from '../time/words.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { Empty, Page, Skeleton, Trouble } from '../ui/page.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { SnoozeSheet } from './snooze-sheet.tsx';
import { StageMark } from './stage-mark.tsx';
import { TaskEditor } from './task-editor.tsx';
import { TimelineList } from './timeline-list.tsx';

export function TaskPage() {
  const { taskId: addressed } = useParams({ from: '/inside/tasks/$taskId' });
  const taskId = idOf(addressed);
  useLastingAddress(addressed);
  const synced = useSynced();
  const known = useTasks()?.[taskId];
  const asked = useQuery({ ...taskOptions(taskId), enabled: !known && synced.isSuccess && !isLocal(taskId) });
  const task = known ?? asked.data;
  if (task) return <LoadedTask key={task.id} task={task} />;
  return (
    <Page title={strings.today.title}>
      {asked.error ? (
        <Empty title={strings.detail.missing}>
          <p className="mb-4">{strings.detail.missingLead}</p>
          <Link to="/" className="font-semibold text-ember underline underline-offset-4">
            {strings.detail.toToday}
          </Link>
        </Empty>
      ) : synced.error && !synced.data ? (
        <Trouble error={synced.error} retry={() => void synced.refetch()} />
      ) : (
        <Skeleton rows={3} tall />
      )}
    </Page>
  );
}

/** A task made here has an address of its own as soon as the service gave it an id. */
function useLastingAddress(addressed: string): void {
  const deeds = useDeeds();
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id may be known after any deed was told.
  useEffect(() => {
    if (!isLocal(addressed)) return;
    void findId(addressed).then((taskId) => {
      if (taskId !== addressed) void navigate({ to: '/tasks/$taskId', params: { taskId }, replace: true });
    });
  }, [addressed, deeds, navigate]);
}

function LoadedTask({ task }: { readonly task: Task }) {
  const [isEditing, setEditing] = useState(false);
  const me = useSettings()?.id;
  const mayAct = task.owner_id === me || task.assigner_id === me;
  return (
    <Page title={task.title} wide back={<BackLink />} lead={<Summary task={task} />}>
      {mayAct ? (
        <Actions task={task} isOwner={task.owner_id === me} onEdit={() => setEditing(true)} />
      ) : (
        <p className="mb-6 text-soft">{strings.detail.notYours}</p>
      )}
      <LadderCard task={task} />
      <About task={task} />
      {!isLocal(task.id) && <TimelineList taskId={task.id} />}
      {isEditing && <TaskEditor task={task} onClose={() => setEditing(false)} />}
    </Page>
  );
}

const BackLink = () => (
  <Link
    to="/"
    className="-mt-3 mb-1 -ml-2 inline-flex min-h-11 items-center gap-1 rounded-full px-2 text-soft hover:text-ink"
  >
    <Icon name="back" className="size-4.5" />
    {strings.nav.today}
  </Link>
);

function Summary({ task }: { readonly task: Task }) {
  const zone = useZone();
  const now = useNow();
  const status = !task.accepted_by_owner && task.status === 'open' ? 'pending' : task.status;
  const words: Readonly<Record<string, string>> = strings.task.status;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>{dueWords(task, zone, now)}</span>
      {task.status !== 'open' || status === 'pending' ? <span>{words[status] ?? status}</span> : null}
      <StageMark stage={task.escalation_stage} nudges={task.nudge_count} />
      {task.next_fire_at && task.status === 'open' && (
        <span>{strings.task.nextNudge(distanceWords(task.next_fire_at, now))}</span>
      )}
    </p>
  );
}

interface ActionsProps {
  readonly task: Task;
  readonly isOwner: boolean;
  readonly onEdit: () => void;
}

function Actions({ task, isOwner, onEdit }: ActionsProps) {
  const [open, setOpen] = useState<'snooze' | 'drop'>();
  const navigate = useNavigate();
  const close = () => setOpen(undefined);
  const edit = (
    <Button icon="edit" onClick={onEdit}>
      {strings.detail.edit}
    </Button>
  );
  if (task.status !== 'open') {
    return (
      <div className="mb-6 flex flex-wrap gap-2">
        {task.status !== 'declined' && <Button onClick={() => act('reopen', task)}>{strings.undo}</Button>}
        {edit}
      </div>
    );
  }
  const isRequest = !task.accepted_by_owner;
  return (
    <div className="mb-6 flex flex-wrap gap-2">
      {isRequest && isOwner && (
        <>
          <Button look="primary" icon="done" onClick={() => act('accept', task)}>
            {strings.task.accept}
          </Button>
          <Button onClick={() => act('decline', task)}>{strings.task.decline}</Button>
        </>
      )}
      {!isRequest && (
        <>
          <Button look="good" icon="done" onClick={() => act('complete', task)}>
            {strings.task.done}
          </Button>
          <Button icon="snooze" onClick={() => setOpen('snooze')}>
            {strings.task.snooze}
          </Button>
          <Button icon="skip" onClick={() => act('skip', task)}>
            {strings.task.skip}
          </Button>
        </>
      )}
      {edit}
      {(!isRequest || !isOwner) && (
        <Button look="plain" icon="trash" onClick={() => setOpen('drop')}>
          {strings.task.drop}
        </Button>
      )}
      {open === 'snooze' && <SnoozeSheet task={task} onClose={close} />}
      {open === 'drop' && (
        <Sheet title={strings.detail.dropSure} onClose={close}>
          <p className="mb-5 text-soft">{strings.detail.dropSureText}</p>
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={close}>{strings.cancel}</Button>
            <Button
              look="danger"
              onClick={() => {
                act('drop', task);
                close();
                void navigate({ to: '/' });
              }}
            >
              {strings.task.drop}
            </Button>
          </div>
        </Sheet>
      )}
    </div>
  );
}

function About({ task }: { readonly task: Task }) {
  const zone = useZone();
  const now = useNow();
  const people = usePeople();
  const spaces = useSpaces().data ?? [];
  const me = useSettings()?.id;
  const { detail } = strings;
  const named = (id: string) => (id === me ? strings.you : (people.get(id) ?? strings.today.someone));
  const rows: readonly (readonly [string, string] | false)[] = [
    [detail.due_at, dueWords(task, zone, now)],
    isRepeating(task.recurrence) && [detail.repeats, recurrenceWords(task.recurrence)],
    task.deferred_until !== null && [strings.today.snoozed, detail.until(momentWords(task.deferred_until, zone, now))],
    [detail.leads, task.lead_time_days === null ? detail.none : strings.add.lead(task.lead_time_days)],
    [detail.mode, detail.modes[task.mode] ?? task.mode],
    [detail.quiet, task.break_quiet_hours ? detail.quietBroken : detail.quietKept],
    [strings.editor.kind, task.kind],
    task.owner_id !== me && [detail.owner, named(task.owner_id)],
    task.assigner_id !== null && [detail.assigner, named(task.assigner_id)],
    task.space_id !== null && [detail.space, spaces.find(({ id }) => id === task.space_id)?.name ?? ''],
    [detail.nudges, String(task.nudge_count)],
  ];
  return (
    <section aria-labelledby="about" className="card p-4 sm:p-6">
      <h2 id="about" className="mb-3 text-xl">
        {detail.about}
      </h2>
      {task.notes && <p className="mb-5 whitespace-pre-wrap">{task.notes}</p>}
      <dl className="grid gap-x-8 sm:grid-cols-2">
        {rows
          .filter((row) => row !== false)
          .map(([name, value]) => (
            <div key={name} className="flex justify-between gap-4 border-t border-line py-2">
              <dt className="shrink-0 text-soft">{name}</dt>
              <dd className="text-right">{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
