import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { Task, TaskUpdate } from '../api/client.ts';
import { currentTaskId, dismissRefused, reopenedEdit, stableTaskKey, useQueuedActions } from '../data/action-queue.ts';
import { channelsOptions } from '../data/channels.ts';
import { usePeople, useSpaces } from '../data/people.ts';
import { isLocal } from '../data/queued-action.ts';
import { useStore } from '../data/store.ts';
import { findTaskId } from '../data/stored-actions.ts';
import { useSettings, useSynced, useTasks, useZone } from '../data/sync.ts';
import { act } from '../data/task-actions.ts';
import { taskOptions } from '../data/task-queries.ts';
import { NO_LABEL } from '../find/labels.ts';
import { HeldCard } from '../holds/held-fact.tsx';
import { LadderCard } from '../ladder/ladder-card.tsx';
import { StageBadge } from '../ladder/stage-badge.tsx';
import { formatRecurrence } from '../recurrence/format-recurrence.ts';
import { isRepeating } from '../recurrence/recurrence.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { isSnoozed } from '../time/due-moment.ts';
import { formatDue, formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState, LoadError, Page, Skeleton } from '../ui/page.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { LIST_NAMES, LIST_PATHS } from './list-paths.ts';
import { SnoozeSheet } from './snooze-sheet.tsx';
import { TaskEditor } from './task-editor.tsx';
import { TakeBack } from './task-row.tsx';
import { TimelineList } from './timeline-list.tsx';
import { UnsavedEdit, useUnsavedEdit } from './unsaved-edit.tsx';

const Asked = lazy(() => import('./asked.tsx').then(({ Asked: loaded }) => ({ default: loaded })));
const TaskLadderPart = lazy(() =>
  import('../ladders/task-ladder.tsx').then(({ TaskLadderPart: loaded }) => ({ default: loaded })),
);
const TaskStandIns = lazy(() =>
  import('../stand-ins/task-stand-ins.tsx').then(({ TaskStandIns: loaded }) => ({ default: loaded })),
);
const EndSay = lazy(() => import('./end-say.tsx').then(({ EndSay: loaded }) => ({ default: loaded })));

export function TaskPage() {
  const { taskId: pathId } = useParams({ from: '/inside/tasks/$taskId' });
  const taskId = currentTaskId(pathId);
  useServerAddress(pathId);
  const synced = useSynced();
  const known = useTasks()?.[taskId];
  const fetched = useQuery({ ...taskOptions(taskId), enabled: !known && synced.isSuccess && !isLocal(taskId) });
  const task = known ?? fetched.data;
  if (task) return <LoadedTask key={stableTaskKey(task.id)} task={task} />;
  return (
    <Page title={strings.today.title}>
      {fetched.error ? (
        <EmptyState title={strings.detail.missing}>
          <p className="mb-4">{strings.detail.missingLead}</p>
          <Link to="/" className="font-semibold text-ember underline underline-offset-4">
            {strings.detail.toToday}
          </Link>
        </EmptyState>
      ) : synced.error && !synced.data ? (
        <LoadError error={synced.error} retry={() => void synced.refetch()} />
      ) : (
        <Skeleton rows={3} tall />
      )}
    </Page>
  );
}

/** Replaces the local id in the address as soon as the service has assigned an id. */
function useServerAddress(pathId: string): void {
  const actions = useQueuedActions();
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the id can become known after any sent action.
  useEffect(() => {
    if (!isLocal(pathId)) return;
    void findTaskId(pathId).then((taskId) => {
      if (taskId !== pathId) void navigate({ to: '/tasks/$taskId', params: { taskId }, state: true, replace: true });
    });
  }, [pathId, actions, navigate]);
}

function LoadedTask({ task }: { readonly task: Task }) {
  const [isEditing, setEditing] = useState(false);
  const unsaved = useUnsavedEdit(task.id, isEditing);
  const me = useSettings()?.id;
  const back = useBack();
  const mayAct = task.owner_id === me || task.assigner_id === me;
  const owner = usePeople().get(task.owner_id);
  return (
    <Page title={task.title} wide back={back} lead={<Summary task={task} />}>
      {mayAct ? (
        <Actions task={task} isOwner={task.owner_id === me} onEdit={() => setEditing(true)} />
      ) : (
        <p className="mb-6 text-soft">{strings.detail.notYours(owner ?? strings.detail.itsOwner)}</p>
      )}
      {mayAct && unsaved.fields && !isEditing && (
        <UnsavedEdit onContinue={() => setEditing(true)} onDiscard={unsaved.discard} />
      )}
      <Holding task={task} />
      {mayAct && <Snoozed task={task} />}
      {isPending(task) && mayAct && (
        <Suspense>
          <Asked task={task} />
        </Suspense>
      )}
      <LadderCard task={task}>
        <Suspense>
          <TaskLadderPart task={task} />
        </Suspense>
      </LadderCard>
      {!isLocal(task.id) && (
        <Suspense>
          <TaskStandIns task={task} />
        </Suspense>
      )}
      <About task={task} />
      {!isLocal(task.id) && <TimelineList task={task} />}
      {isEditing && <TaskEditor task={task} unsaved={unsaved.fields} onClose={() => setEditing(false)} />}
      <RefusedEdit task={task} />
    </Page>
  );
}

const Holding = ({ task }: { readonly task: Task }) => <HeldCard task={task} now={useNow()} />;
function Snoozed({ task }: { readonly task: Task }) {
  const zone = useZone();
  const now = useNow();
  if (task.status !== 'open' || task.deferred_until === null || !isSnoozed(task, now)) return null;
  return (
    <p className="mb-6 flex flex-wrap items-center justify-between gap-x-4 rounded-xl bg-night px-4 py-2 text-night-ink">
      <span className="font-medium">
        {screenStrings.kept.snoozedUntil(formatMoment(task.deferred_until, zone, now))}
      </span>
      <TakeBack task={task} />
    </p>
  );
}

const isPending = ({ status, accepted_by_owner, assigner_id }: Task): boolean =>
  status === 'open' && !accepted_by_owner && assigner_id !== null;

/** To the list that the user came from, or to Today. */
function useBack() {
  const cameFrom = useLocation().state.cameFrom;
  const list = LIST_NAMES.find((name) => LIST_PATHS[name] === cameFrom);
  return { to: LIST_PATHS[list ?? 'today'], label: strings.lists[list ?? 'today'], isPrevious: list !== undefined };
}

/** The refusal stays stored until the editor is closed, so that a reload does not lose what was typed. */
function RefusedEdit({ task }: { readonly task: Task }) {
  const refused = useStore(reopenedEdit);
  if (!refused || currentTaskId(refused.action.taskId) !== task.id) return null;
  const close = () => {
    reopenedEdit.set(undefined);
    void dismissRefused(refused);
  };
  return (
    <TaskEditor key={refused.action.key} task={task} refused={refused.action.body as TaskUpdate} onClose={close} />
  );
}

function Summary({ task }: { readonly task: Task }) {
  // The badge shows the code of the task in messages, if any.
  useQuery(channelsOptions);
  const zone = useZone();
  const now = useNow();
  const status = !task.accepted_by_owner && task.status === 'open' ? 'pending' : task.status;
  const words: Readonly<Record<string, string>> = strings.task.status;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>{formatDue(task, zone, now)}</span>
      {task.status !== 'open' || status === 'pending' ? <span>{words[status] ?? status}</span> : null}
      <StageBadge task={task} now={now} />
      {task.next_fire_at && task.status === 'open' && (
        <span>{strings.task.nextNudge(formatMoment(task.next_fire_at, zone, now))}</span>
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
  const { history, navigate } = useRouter();
  const back = useBack();
  const close = () => setOpen(undefined);
  const leave = () => (back.isPrevious ? history.back() : void navigate({ to: '/' }));
  const edit = (
    <Button icon="edit" aria-keyshortcuts="e" onClick={onEdit}>
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
          <Button variant="primary" icon="done" onClick={() => act('accept', task)}>
            {strings.task.accept}
          </Button>
          <Button onClick={() => act('decline', task)}>{strings.task.decline}</Button>
        </>
      )}
      {!isRequest && (
        <>
          <Button variant="good" icon="done" aria-keyshortcuts="d" onClick={() => act('complete', task)}>
            {strings.task.done}
          </Button>
          <Button icon="snooze" aria-keyshortcuts="s" onClick={() => setOpen('snooze')}>
            {strings.task.snooze}
          </Button>
          <Button icon="skip" onClick={() => act('skip', task)}>
            {strings.task.skip}
          </Button>
        </>
      )}
      {edit}
      {!isRequest && (
        <Button variant="plain" icon="trash" aria-keyshortcuts="Delete" onClick={() => setOpen('drop')}>
          {strings.task.drop}
        </Button>
      )}
      {open === 'snooze' && <SnoozeSheet task={task} onClose={close} />}
      {open === 'drop' && (
        <Sheet title={strings.detail.dropSure} onClose={close}>
          <p className="mb-5 text-soft">
            {isRepeating(task.recurrence) && <strong className="block text-ink">{screenStrings.kept.dropEnds}</strong>}
            {strings.detail.dropSureText}
          </p>
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={close}>{strings.cancel}</Button>
            <Button
              variant="danger"
              onClick={() => {
                act('drop', task);
                close();
                leave();
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
  const nameOf = (id: string) => (id === me ? strings.you : (people.get(id) ?? strings.today.someone));
  const rows: readonly (readonly [string, string] | false)[] = [
    [detail.due_at, formatDue(task, zone, now)],
    task.recurrence !== null && [
      detail.repeats,
      isRepeating(task.recurrence) ? formatRecurrence(task.recurrence) : detail.repeatsNot,
    ],
    task.deferred_until !== null &&
      Date.parse(task.deferred_until) > now && [
        strings.today.later,
        detail.until(formatMoment(task.deferred_until, zone, now)),
      ],
    [detail.mode, detail.modes[task.mode] ?? task.mode],
    [detail.quiet, task.break_quiet_hours ? detail.quietBroken : detail.quietRespected],
    task.kind !== NO_LABEL && [screenStrings.editor.kind, task.kind],
    task.owner_id !== me && [detail.owner, nameOf(task.owner_id)],
    task.assigner_id !== null && [detail.assigner, nameOf(task.assigner_id)],
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
      {task.assigner_id !== null && task.owner_id === me && (
        <Suspense>
          <EndSay task={task} name={people.get(task.assigner_id) ?? strings.today.someone} />
        </Suspense>
      )}
    </section>
  );
}
