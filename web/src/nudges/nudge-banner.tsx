/**
 * Announces nudges in an open page: a count in the tab, a sound if it is allowed, and one banner, however many nudges come
 * at once. It stays until each nudge is dealt with, here or elsewhere, or is closed.
 */
import { useEffect, useMemo, useState } from 'react';
import { call } from '../api/call.ts';
import type { Task } from '../api/client.ts';
import { serviceNow, serviceSpeed } from '../api/service-clock.ts';
import { useStore } from '../data/store.ts';
import { useSettings, useTasks, useZone } from '../data/sync.ts';
import { act } from '../data/task-actions.ts';
import { stageColour } from '../ladder/stage-badge.tsx';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { SnoozeSheet } from '../tasks/snooze-sheet.tsx';
import { formatDue } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { TaskLink } from '../ui/task-link.tsx';
import { isFresh, newestOf, nudgeKey, stillAnnounced } from './fresh-nudges.ts';
import { seenUntil, setSeenUntil } from './seen.ts';
import { isSoundAllowed, isSoundRefused, soundOnce } from './sound.ts';
import { showCount } from './tab-signs.ts';

const { nudges: words } = screenStrings;
const HEADS_UP_STAGE = -1;
const STRONGEST_STAGE = 2;

export function NudgeBanner() {
  const nudged = useAnnounced();
  const [snoozed, setSnoozed] = useState<Task>();
  const [first] = nudged;
  useEffect(() => {
    showCount(nudged.length);
    return () => showCount(0);
  }, [nudged.length]);
  useEffect(() => {
    if (first) void soundOnce(newestOf(nudged), first.escalation_stage === HEADS_UP_STAGE);
  }, [nudged, first]);
  return (
    <>
      <Spoken first={first} count={nudged.length} />
      {first && <Banner first={first} nudged={nudged} onSnooze={() => setSnoozed(first)} />}
      {snoozed && <SnoozeSheet task={snoozed} onClose={() => setSnoozed(undefined)} />}
    </>
  );
}

/** The nudges that came while this page was open, or just before, and that nobody has answered. */
function useAnnounced(): readonly Task[] {
  const tasks = useTasks();
  const userId = useSettings()?.id;
  const seen = useStore(seenUntil);
  const [announced, setAnnounced] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const fresh = Object.values(tasks ?? {})
      .filter((task) => isFresh(task, userId, serviceNow(), serviceSpeed()))
      .map(nudgeKey);
    setAnnounced((before) => (fresh.every((key) => before.has(key)) ? before : new Set([...before, ...fresh])));
  }, [tasks, userId]);
  return useMemo(
    () => stillAnnounced(Object.values(tasks ?? {}), announced, userId, seen),
    [tasks, userId, seen, announced],
  );
}

interface BannerProps {
  readonly first: Task;
  readonly nudged: readonly Task[];
  readonly onSnooze: () => void;
}

function Banner({ first, nudged, onSnooze }: BannerProps) {
  const zone = useZone();
  const now = useNow();
  const isAllowed = useStore(isSoundAllowed);
  const isRefused = useStore(isSoundRefused);
  const close = () => {
    setSeenUntil(newestOf(nudged));
    // The person has seen them, so they go on to no further tier. Nothing depends on the answers.
    for (const { id, escalation_stage } of nudged)
      call('POST', '/v1/deliveries/ack', { task_id: id, stage: escalation_stage }).catch(() => undefined);
  };
  return (
    <section
      aria-label={words.label}
      className="sticky top-0 z-20 flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line bg-card py-2 pr-2 pl-4 shadow-card sm:pl-6"
      style={{ borderLeft: `4px solid ${stageColour(first.escalation_stage)}` }}
    >
      <Icon name="bell" className="size-4.5" />
      <div className="min-w-0 grow basis-52">
        <p className="text-sm text-soft">
          {words.stages[String(first.escalation_stage)]} · {formatDue(first, zone, now)}
          {nudged.length > 1 && <strong className="text-ink"> · {words.more(nudged.length - 1)}</strong>}
        </p>
        <p id="nudged" className="line-clamp-2 font-medium">
          {first.title}
        </p>
        <TaskLink taskId={first.id} className="text-sm underline">
          {words.open}
        </TaskLink>
        {isAllowed && isRefused && <p className="text-sm text-soft">{words.soundRefused}</p>}
      </div>
      <span className="flex grow items-center justify-end gap-1">
        <Button variant="primary" icon="done" aria-describedby="nudged" onClick={() => act('complete', first)}>
          {strings.task.done}
        </Button>
        <Button icon="snooze" aria-describedby="nudged" onClick={onSnooze}>
          {strings.task.snooze}
        </Button>
        <IconButton icon="close" label={words.close} onClick={close} />
      </span>
    </section>
  );
}

/**
 * What a screen reader says. The elements are there before their text, because a text that comes with its element is not
 * always read. Only the strongest stage interrupts.
 */
function Spoken({ first, count }: { readonly first: Task | undefined; readonly count: number }) {
  const [text, setText] = useState('');
  const stage = first?.escalation_stage ?? 0;
  const sentence = first ? words.spoken(words.stages[String(stage)] ?? '', first.title, count - 1) : '';
  useEffect(() => setText(sentence), [sentence]);
  return (
    <>
      <p className="sr-only" role="status">
        {stage < STRONGEST_STAGE ? text : ''}
      </p>
      <p className="sr-only" role="alert">
        {stage < STRONGEST_STAGE ? '' : text}
      </p>
    </>
  );
}
