/** Who stands in for the person, and the way to the tasks of others that have reached them. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { StandIn } from '../api/client.ts';
import { nameOf, useSpaces } from '../data/people.ts';
import { useZone } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';
import { formatScope } from '../stand-ins/scope.ts';
import { endStandIn, standInsOptions, usePress } from '../stand-ins/stand-in-queries.ts';
import { standInStrings } from '../stand-ins/stand-in-strings.ts';
import { TellSheet } from '../stand-ins/tell-sheet.tsx';
import { formatMoment } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button } from '../ui/button.tsx';
import { Section } from '../ui/section.tsx';
import { TaskLink } from '../ui/task-link.tsx';

const { settings: words, task: taskWords } = standInStrings;

const LINK =
  'inline-flex min-h-11 items-center gap-2 rounded-full border border-strong-line bg-card px-5 text-[0.95rem] hover:border-ink';

export function StandIns() {
  const { data: spaces } = useSpaces();
  const { data: all } = useQuery(standInsOptions);
  const [isAsking, setAsking] = useState(false);
  // Whom the person left out of a task is told on its page.
  const own = (all ?? []).filter(({ role, state }) => role === 'owner' && state !== 'left_out');
  const isStandIn = (all ?? []).some(({ role }) => role === 'stand_in');
  return (
    <Section title={words.title} lead={words.lead} anchor="stand-ins">
      {all && own.length === 0 && <p className="mb-4 text-soft">{words.none}</p>}
      <ul className="mb-4 empty:hidden">
        {own.map((standIn) => (
          <Row key={standIn.id} standIn={standIn} />
        ))}
      </ul>
      {spaces?.length === 0 && <p className="mb-4 text-soft">{words.noSpace}</p>}
      <div className="flex flex-wrap gap-2">
        {spaces?.length === 0 && (
          <Link to="/spaces" className={LINK}>
            {words.spaces}
          </Link>
        )}
        {spaces && spaces.length > 0 && (
          <Button icon="person" onClick={() => setAsking(true)}>
            {words.ask}
          </Button>
        )}
        {isStandIn && (
          <Link to="/stand-ins" className={LINK}>
            {words.yours}
          </Link>
        )}
      </div>
      {isAsking && <TellSheet onClose={() => setAsking(false)} />}
    </Section>
  );
}

function Row({ standIn }: { readonly standIn: StandIn }) {
  const { id, person, task_id, from_rung, state, agreed_at } = standIn;
  const zone = useZone();
  const now = useNow();
  const name = nameOf(person);
  const end = usePress(
    () => endStandIn(id),
    () => showToast(taskWords.ended(name)),
  );
  const scope = formatScope(standIn);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line py-2.5">
      <div className="min-w-0 grow basis-52">
        <p className="wrap-anywhere">
          <strong className="font-semibold">{name}</strong>:{' '}
          {task_id === null ? scope : <TaskLink taskId={task_id}>{scope}</TaskLink>}
        </p>
        <p className="text-sm text-soft">
          {standInStrings.fromOn(from_rung ?? 0)} ·{' '}
          {state === 'asked' || agreed_at === null ? words.asked : words.agreed(formatMoment(agreed_at, zone, now))}
        </p>
      </div>
      <Button
        variant="plain"
        busy={end.isPending}
        aria-label={words.endNamed(name, scope)}
        onClick={() => end.mutate(undefined)}
      >
        {state === 'asked' ? taskWords.takeBack : taskWords.end}
      </Button>
    </li>
  );
}
