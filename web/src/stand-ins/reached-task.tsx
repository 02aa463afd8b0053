/** A task of somebody else that has reached the signed-in person, with what they may do. */
import { useEffect, useRef } from 'react';
import type { ReachedTask } from '../api/client.ts';
import { nameOf } from '../data/people.ts';
import { showToast } from '../data/toast.ts';
import { strings } from '../strings.ts';
import { formatDue, formatMoment } from '../time/format.ts';
import { Button } from '../ui/button.tsx';
import { completeReached, endStandIn, reopenReached, seeReached, snoozeReached, usePress } from './stand-in-queries.ts';
import { standInStrings } from './stand-in-strings.ts';

const { page: words } = standInStrings;

interface ReachedProps {
  readonly task: ReachedTask;
  readonly zone: string;
  readonly now: number;
}

const useReopen = () => usePress(reopenReached, () => showToast(strings.task.confirmation.reopen()));

export function useComplete() {
  const { mutate: reopen } = useReopen();
  return usePress(completeReached, (answer: ReachedTask, task: ReachedTask) => {
    // Somebody else may have been faster.
    if (!answer.settled?.is_own) return;
    showToast(words.did(task.title, nameOf(task.owner)), { label: strings.undo, run: () => reopen(task) });
  });
}

/** `isOpened`: a message about this task led here. */
export function ReachedCard({ task, zone, now, isOpened }: ReachedProps & { readonly isOpened: boolean }) {
  const { title, notes, seen_at, snoozed_until, settled } = task;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isOpened) return;
    heading.current?.scrollIntoView({ block: 'center' });
    heading.current?.focus({ preventScroll: true });
  }, [isOpened]);
  const isSnoozed = snoozed_until !== null && Date.parse(snoozed_until) > now;
  return (
    <li className={`card p-4 sm:p-5 ${isOpened ? 'outline-2 outline-ember' : ''}`}>
      <h3 ref={heading} tabIndex={-1} className="text-lg wrap-anywhere">
        {title}
      </h3>
      <p className="text-sm text-soft">{factsOf(task, zone, now)}</p>
      {notes && <p className="mt-2 line-clamp-6 text-sm whitespace-pre-wrap wrap-anywhere">{notes}</p>}
      {settled ? (
        <Settled task={task} zone={zone} now={now} />
      ) : (
        <>
          {seen_at !== null && <p className="mt-2 text-sm">{words.seen(formatMoment(seen_at, zone, now))}</p>}
          {isSnoozed && <p className="mt-2 text-sm">{words.snoozed(formatMoment(snoozed_until, zone, now))}</p>}
          {/* The button that was pressed may be gone then. */}
          <Actions task={task} isSnoozed={isSnoozed} onPressed={() => heading.current?.focus()} />
        </>
      )}
    </li>
  );
}

export function factsOf(task: ReachedTask, zone: string, now: number): string {
  const { owner, due_at, told_at, is_either, must_not_miss } = task;
  const facts = [
    words.whose(nameOf(owner)),
    due_at === null ? '' : words.due(formatDue(task, zone, now)),
    words.told(formatMoment(told_at, zone, now)),
    must_not_miss ? strings.task.mustNotMiss : '',
    is_either ? words.either : '',
  ];
  return facts.filter(Boolean).join(' · ');
}

interface ActionsProps {
  readonly task: ReachedTask;
  readonly isSnoozed: boolean;
  readonly onPressed: () => void;
}

function Actions({ task, isSnoozed, onPressed }: ActionsProps) {
  const { title, owner, stand_in_id, seen_at } = task;
  const complete = useComplete();
  const snooze = usePress(snoozeReached, onPressed);
  const see = usePress(seeReached, onPressed);
  const stop = usePress(
    () => endStandIn(stand_in_id),
    () => showToast(words.stopped(nameOf(owner))),
  );
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      <Button
        variant="good"
        icon="done"
        busy={complete.isPending}
        aria-label={strings.task.doneNamed(title)}
        onClick={() => complete.mutate(task)}
      >
        {strings.task.done}
      </Button>
      {!isSnoozed && (
        <Button
          icon="snooze"
          busy={snooze.isPending}
          aria-label={words.snoozeNamed(title)}
          onClick={() => snooze.mutate(task)}
        >
          {words.snooze}
        </Button>
      )}
      {seen_at === null && (
        <Button busy={see.isPending} aria-label={words.seeNamed(title)} onClick={() => see.mutate(task)}>
          {words.see}
        </Button>
      )}
      <Button
        variant="plain"
        icon="leave"
        busy={stop.isPending}
        aria-label={words.stopTaskNamed(title)}
        onClick={() => stop.mutate(undefined)}
      >
        {words.stop}
      </Button>
    </div>
  );
}

function Settled({ task, zone, now }: ReachedProps) {
  const reopen = useReopen();
  if (!task.settled) return null;
  const { at, by, is_own, how } = task.settled;
  const name = is_own ? strings.you : (by ?? strings.today.someone);
  return (
    <div className="mt-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <p className="font-medium">
        {(words.settledBy[how] ?? words.settledBy.done)?.(name)}{' '}
        <span className="text-sm font-normal text-soft">{formatMoment(at, zone, now)}</span>
      </p>
      {is_own && how === 'done' && (
        <Button busy={reopen.isPending} aria-label={words.undoNamed(task.title)} onClick={() => reopen.mutate(task)}>
          {strings.undo}
        </Button>
      )}
    </div>
  );
}
