/** On the page of an own task: who is told if its owner does not react, from when on, and how far that has come. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { StandIn, Task, TaskStandIn } from '../api/client.ts';
import { nameOf, useSpaces } from '../data/people.ts';
import { useSettings, useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Either } from './either.tsx';
import { askStandIn, endStandIn, standInsOptions, taskStandInsOptions, usePress } from './stand-in-queries.ts';
import { standInStrings } from './stand-in-strings.ts';
import { TellSheet, type Told } from './tell-sheet.tsx';

const { task: words } = standInStrings;

export function TaskStandIns({ task }: { readonly task: Task }) {
  const me = useSettings()?.id;
  const spaces = useSpaces().data ?? [];
  if (task.owner_id !== me || task.status !== 'open' || !task.accepted_by_owner || spaces.length === 0) return null;
  return <Part task={task} />;
}

function Part({ task }: { readonly task: Task }) {
  const { data: told } = useQuery(taskStandInsOptions(task.id));
  // It knows the space of each.
  const { data: all = [] } = useQuery(standInsOptions);
  const [open, setOpen] = useState<'tell' | Told>();
  if (!told) return null;
  const close = () => setOpen(undefined);
  return (
    <section aria-labelledby="if-i-do-not-react" className="card mb-6 p-4 sm:p-6">
      <h2 id="if-i-do-not-react" className="text-xl">
        {words.title}
      </h2>
      <p className="mt-1 mb-4 text-sm text-soft">{words.lead}</p>
      <ul className="mb-4 empty:hidden">
        {told.map((one) => (
          <Row key={one.id} told={one} known={all.find(({ id }) => id === one.id)} task={task} onChange={setOpen} />
        ))}
      </ul>
      {task.space_id !== null && <Either task={task} spaceId={task.space_id} told={told} />}
      <Button icon="person" onClick={() => setOpen('tell')}>
        {words.tell}
      </Button>
      {open !== undefined && <TellSheet task={task} told={open === 'tell' ? undefined : open} onClose={close} />}
    </section>
  );
}

interface RowProps {
  readonly told: TaskStandIn;
  readonly known: StandIn | undefined;
  readonly task: Task;
  readonly onChange: (told: Told) => void;
}

function Row({ told, known, task, onChange }: RowProps) {
  const zone = useZone();
  const now = useNow();
  const { id, person, from_rung, state } = told;
  const name = nameOf(person);
  const isOfTask = told.for === 'task';
  const end = usePress(
    () => endStandIn(id),
    () => state !== 'left_out' && showToast(words.ended(name)),
  );
  const leaveOut = usePress((spaceId: string) =>
    askStandIn({ person_id: person.id, space_id: spaceId, task_id: task.id, from_rung: null }),
  );
  const spaceId = known?.space_id;
  if (state === 'left_out' || from_rung === null)
    return (
      <li className={ROW}>
        <p className="grow text-soft">{words.leftOut(name)}</p>
        <Button busy={end.isPending} aria-label={words.tellAgainNamed(name)} onClick={() => end.mutate(undefined)}>
          {words.tellAgain}
        </Button>
      </li>
    );
  return (
    <li className={ROW}>
      <div className="min-w-0 grow basis-60">
        <p className="font-medium wrap-anywhere">{words.from(name, from_rung)}</p>
        <p className="text-sm text-soft">
          {[...factsOf(told, zone, now), isOfTask ? '' : becauseOf(told, task)].filter(Boolean).join(' ')}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {spaceId !== undefined && (
          <Button
            aria-label={words.changeNamed(name)}
            onClick={() => onChange({ personId: person.id, name, spaceId, rung: from_rung })}
          >
            {words.change}
          </Button>
        )}
        {isOfTask ? (
          <Button
            variant="plain"
            busy={end.isPending}
            aria-label={words.endNamed(name)}
            onClick={() => end.mutate(undefined)}
          >
            {state === 'asked' ? words.takeBack : words.end}
          </Button>
        ) : (
          spaceId !== undefined && (
            <Button
              variant="plain"
              busy={leaveOut.isPending}
              aria-label={words.leaveOutNamed(name)}
              onClick={() => leaveOut.mutate(spaceId)}
            >
              {words.leaveOut}
            </Button>
          )
        )}
      </div>
    </li>
  );
}

const ROW = 'flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3';

/** What the owner sees of a stand-in, and nothing of their settings. */
function factsOf({ state, starts_at, told_at, held_until, seen_at }: TaskStandIn, zone: string, now: number): string[] {
  const moment = (at: string) => formatMoment(at, zone, now);
  if (state === 'asked') return [words.asked];
  if (told_at === null) return [starts_at === null ? words.never : words.starts(moment(starts_at))];
  return [
    held_until === null ? words.told(moment(told_at)) : words.held(moment(told_at), moment(held_until)),
    seen_at === null ? '' : words.seen(moment(seen_at)),
  ];
}

const becauseOf = (told: TaskStandIn, { kind }: Task): string =>
  told.for === 'label' ? words.becauseLabel(kind) : words.becauseEverything;
