/** What a ladder would do, drawn and in a sentence. The service computes it for a real task, by the code that plans nudges. */
import { useEffect, useMemo, useState } from 'react';
import { addDays, toInstant, toWallTime } from '../../../src/words/wall-time.ts';
import type { LadderChoice, Nudge, Settings, Task, TaskLadder } from '../api/client.ts';
import { Problem, problemText } from '../api/problem.ts';
import { useSettings, useTasks, useZone } from '../data/sync.ts';
import { Ladder } from '../ladder/ladder.tsx';
import { type LadderLayout, layOutLadder } from '../ladder/ladder-layout.ts';
import { formatClock, formatDay, formatMoment, formatTime } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import type { LadderShape } from './format-ladder.ts';
import { MOST_PREVIEWED, previewLadder } from './ladder-queries.ts';
import { ladderStrings } from './ladder-strings.ts';
import { sampleNudges } from './sample-nudges.ts';

const { preview: words } = ladderStrings;
/** Long enough for a digit more. */
const TYPING_MS = 250;
const DRAWN = 12;
const NAMED = 4;
const SAMPLE_TIME = '18:00';

interface Found {
  readonly nudges: readonly Nudge[];
  readonly fitted: TaskLadder['fitted'];
  /** Why the service refuses the ladder. */
  readonly refusal?: string;
  readonly isOffline?: boolean;
}

const NOTHING = { nudges: [], fitted: [] };

/** The answer to the newest question. While it is on its way, the one before stays. */
function useFound(task: Task | undefined, choice: LadderChoice): Found | undefined {
  const [found, setFound] = useState<Found>();
  const taskId = task?.id;
  const asked = JSON.stringify(choice);
  useEffect(() => {
    if (taskId === undefined) return setFound(undefined);
    let isStale = false;
    const timer = setTimeout(() => {
      const answer = previewLadder(taskId, JSON.parse(asked)).catch(explain);
      void answer.then((one) => !isStale && setFound(one));
    }, TYPING_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [taskId, asked]);
  return found;
}

function explain(error: unknown): Found {
  const isRefused = error instanceof Problem && error.status === 422;
  return isRefused ? { ...NOTHING, refusal: problemText(error) } : { ...NOTHING, isOffline: true };
}

/** The next one that is due; else one that has nudges to come. Undefined if the account has none. */
export function useNextTask(): Task | undefined {
  const tasks = useTasks();
  const me = useSettings()?.id;
  const now = useNow();
  const own = Object.values(tasks ?? {}).filter(
    ({ status, owner_id, accepted_by_owner, due_at, next_fire_at }) =>
      status === 'open' && owner_id === me && accepted_by_owner && due_at !== null && next_fire_at !== null,
  );
  const dueAt = (task: Task) => Date.parse(task.due_at ?? '');
  const coming = own.filter((task) => dueAt(task) > now);
  return (coming.length > 0 ? coming : own).reduce<Task | undefined>(
    (next, task) => (next && dueAt(next) <= dueAt(task) ? next : task),
    undefined,
  );
}

export interface Preview extends Found {
  /** Undefined for an imagined one. */
  readonly task: Task | undefined;
  readonly isKnown: boolean;
  readonly layout: LadderLayout;
  readonly sentence: string;
}

/** What the choice does to the task. Without a task, what `ladder` would do to one that is due tomorrow. */
export function usePreview(task: Task | undefined, choice: LadderChoice, ladder: LadderShape): Preview {
  const found = useFound(task, choice);
  const zone = useZone();
  const now = useNow();
  const settings = useSettings();
  return useMemo(() => {
    const due = toInstant({ ...addDays(toWallTime(now, zone), 1), hour: 18, minute: 0 }, zone);
    const nudges = task
      ? // The heads-ups come before the ladder.
        (found?.nudges ?? []).filter(({ stage }) => stage >= 0)
      : sampleNudges(ladder, due, zone, settings?.day_start ?? '09:00', MOST_PREVIEWED);
    const drawn = task ?? { due_at: new Date(due).toISOString(), has_time: true, status: 'open' };
    return {
      ...(found ?? NOTHING),
      nudges,
      task,
      isKnown: found !== undefined,
      layout: layOutLadder({ task: drawn, now, timeline: [], forecast: nudges.slice(0, DRAWN) }),
      sentence: formatForecast(nudges, (found ?? { nudges }).nudges.length === MOST_PREVIEWED, zone, now, settings),
    };
  }, [found, task, ladder, zone, now, settings]);
}

export function LadderPreview({ preview }: { readonly preview: Preview }) {
  const { task, nudges, fitted, refusal, isOffline, isKnown, layout, sentence } = preview;
  const zone = useZone();
  const now = useNow();
  return (
    <section aria-label={words.title} className="min-w-0 rounded-2xl bg-sunk p-3 text-sm">
      <h3 className="mb-1 text-base">{task ? words.of(task.title) : words.title}</h3>
      {!task && <p className="mb-2 text-soft">{words.none(formatClock(SAMPLE_TIME))}</p>}
      {isOffline && <p className="text-soft">{words.offline}</p>}
      {layout.rungs.length > 0 && <Ladder layout={layout} zone={zone} now={now} />}
      <div aria-live="polite">
        {sentence !== '' && <p data-forecast>{sentence}</p>}
        {isKnown && !refusal && !isOffline && nudges.length === 0 && <p className="text-soft">{words.noNudge}</p>}
        {fitted.map((fit) => (
          <p key={fit} className="mt-1 text-soft">
            {ladderStrings.task.fitted[fit]}
          </p>
        ))}
      </div>
    </section>
  );
}

/** "Today 18:00, 18:05, 18:10, …; 14 nudges until midnight; held from 22:00 to 07:00." */
function formatForecast(
  nudges: readonly Nudge[],
  hasMore: boolean,
  zone: string,
  now: number,
  settings: Settings | undefined,
): string {
  const [first] = nudges;
  if (!first) return '';
  const day = formatDay(first.at, zone, now);
  const ofDay = nudges.filter(({ at }) => formatDay(at, zone, now) === day);
  const clocks = ofDay.slice(0, NAMED).map(({ at }) => formatTime(at, zone));
  if (ofDay.length > NAMED) clocks.push('…');
  const isAll = ofDay.length === nudges.length;
  const count = isAll && !hasMore ? words.onlyThese(ofDay.length) : words.untilMidnight(ofDay.length, isAll && hasMore);
  const text = [words.times(day, clocks.join(', ')), count, ...formatHolds(nudges, zone, now, settings)].join('; ');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function formatHolds(nudges: readonly Nudge[], zone: string, now: number, settings: Settings | undefined): string[] {
  const quiet = nudges.some(({ holds }) => holds.includes('quiet_hours'));
  const paused = nudges.find(({ holds }) => holds.includes('pause'));
  const { quiet_hours_start: start, quiet_hours_end: end } = settings ?? {};
  return [
    ...(quiet && start && end ? [words.quiet(formatClock(start), formatClock(end))] : []),
    ...(paused ? [words.paused(formatMoment(paused.at, zone, now))] : []),
  ];
}
