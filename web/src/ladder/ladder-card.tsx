import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import type { Nudge, Task } from '../api/client.ts';
import { currentTaskId, useQueuedActions } from '../data/action-queue.ts';
import { isLocal } from '../data/queued-action.ts';
import { useZone } from '../data/sync.ts';
import { forecastOptions, timelineOptions } from '../data/task-queries.ts';
import { screenStrings } from '../screen-strings.ts';
import { strings } from '../strings.ts';
import { formatMoment, formatTime } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { LoadError, Skeleton } from '../ui/page.tsx';
import { Ladder } from './ladder.tsx';
import { type LadderLayout, layOutLadder, type NudgeState } from './ladder-layout.ts';
import { stageColour } from './stage-badge.tsx';

const { reach: words } = screenStrings;

interface LadderCardProps {
  readonly task: Task;
  /** What stands under the ladder, once the service knows the task. */
  readonly children: ReactNode;
}

export function LadderCard({ task, children }: LadderCardProps) {
  return (
    <section aria-labelledby="ladder" className="card mb-6 overflow-hidden p-4 sm:p-6">
      <h2 id="ladder" className="text-xl">
        {strings.detail.ladder}
      </h2>
      <p className="mt-1 mb-4 text-sm text-soft">
        {isLocal(task.id) ? strings.detail.onlyHere : strings.detail.ladderLead}
      </p>
      {!isLocal(task.id) && <LoadedLadder task={task} />}
      {!isLocal(task.id) && children}
    </section>
  );
}

function LoadedLadder({ task }: { readonly task: Task }) {
  const forecast = useQuery(forecastOptions(task.id));
  const timeline = useInfiniteQuery(timelineOptions(task.id));
  const now = useNow();
  const zone = useZone();
  const isQueued = useQueuedActions().some(({ taskId }) => currentTaskId(taskId) === task.id);
  // Another moment than the one that the row and the header show would be the one before a change.
  const isOutdated = isQueued || (forecast.isFetching && forecast.data?.[0]?.at !== (task.next_fire_at ?? undefined));
  const layout = useMemo(
    () =>
      layOutLadder({
        task,
        now,
        forecast: isOutdated ? [] : (forecast.data ?? []),
        timeline: timeline.data?.pages.flatMap(({ entries }) => entries) ?? [],
      }),
    [task, now, forecast.data, timeline.data, isOutdated],
  );
  if (forecast.error && !forecast.data) {
    return (
      <LoadError error={forecast.error} retry={() => void Promise.all([forecast.refetch(), timeline.refetch()])} />
    );
  }
  if (!forecast.data || !timeline.data) return <Skeleton rows={1} tall />;
  return (
    <>
      {layout.rungs.length > 0 && <Ladder layout={layout} zone={zone} now={now} />}
      {layout.rungs.length > 0 && <Legend layout={layout} />}
      <Silent forecast={forecast.data} zone={zone} now={now} />
      {forecast.data.length === 0 && !isOutdated && (
        <p className="mt-3 text-soft">
          {strings.detail.noLadder} {explainNoNudge(task)}
        </p>
      )}
      <AsList layout={layout} zone={zone} now={now} />
    </>
  );
}

interface SilentProps {
  readonly forecast: readonly Nudge[];
  readonly zone: string;
  readonly now: number;
}

/** The first nudge to come that reaches nobody, before it is too late. */
function Silent({ forecast, zone, now }: SilentProps) {
  const nudge = forecast.find(({ unreached }) => unreached);
  if (!nudge?.unreached) return null;
  const text = words.silentTask(formatMoment(nudge.at, zone, now), words.silent[nudge.unreached] ?? nudge.unreached);
  // By then the person has had eight mails: nothing to repair.
  if (nudge.unreached === 'enough_today') return <p className="mt-3 text-sm text-soft">{text}</p>;
  return (
    <p className="mt-4 rounded-2xl bg-danger-wash px-4 py-3 text-danger">
      {text}{' '}
      <Link to="/settings/channels" className="font-semibold underline underline-offset-4">
        {words.silentLink}
      </Link>
    </p>
  );
}

function explainNoNudge({ status, accepted_by_owner, due_at, deferred_until }: Task): string {
  const why = strings.detail.noLadderWhy;
  if (status !== 'open') return why.closed;
  if (!accepted_by_owner) return why.pending;
  return due_at === null && deferred_until === null ? why.undated : why.over;
}

const STATES: readonly NudgeState[] = ['sent', 'acknowledged', 'pending', 'failed', 'no_device', 'coming'];

function Legend({ layout }: { readonly layout: LadderLayout }) {
  const states = STATES.filter((state) => layout.rungs.some((rung) => rung.state === state));
  const stages = [...new Set(layout.rungs.map(({ stage }) => stage))].sort((a, b) => a - b);
  return (
    <div className="mt-4 flex flex-wrap gap-x-5 gap-y-1.5 text-sm text-soft">
      {stages.map((stage) => (
        <span key={stage} className="inline-flex items-center gap-1.5">
          <span className="size-2.5 rounded-full" style={{ background: stageColour(stage) }} />
          {strings.task.stageName(stage)}
        </span>
      ))}
      {states.map((state) => (
        <span key={state} className="inline-flex items-center gap-1.5">
          <span
            className={`h-3.5 w-2 rounded-full border border-soft ${state === 'coming' ? 'border-dashed' : 'bg-soft'} ${state === 'failed' || state === 'no_device' ? 'opacity-45' : ''}`}
          />
          {strings.detail.legend[state]}
        </span>
      ))}
      {layout.holds.length > 0 && (
        <span className="inline-flex items-center gap-1.5">
          <span className="h-3 w-5 rounded-sm border border-night-ink/40 bg-night" />
          {strings.detail.legend.hold}
        </span>
      )}
    </div>
  );
}

function describeFall({ at, via }: Nudge['falls'][number], zone: string): string {
  const names = via.map((provider) => strings.detail.channels[provider] ?? provider);
  return strings.detail.falls(names.join(', '), formatTime(at, zone));
}

interface AsListProps {
  readonly layout: LadderLayout;
  readonly zone: string;
  readonly now: number;
}

/** The same data as a table, for screen readers and exact times. */
function AsList({ layout, zone, now }: AsListProps) {
  const { when, what, how } = strings.detail.tableHead;
  if (layout.rungs.length === 0) return null;
  return (
    <details className="mt-4 text-sm">
      <summary className="inline-block min-h-8 font-medium text-soft underline underline-offset-4 hover:text-ink">
        {strings.detail.tableToggle}
      </summary>
      <table className="mt-3 w-full text-left">
        <thead className="text-soft">
          <tr>
            <th className="py-1 pr-4 font-medium">{when}</th>
            <th className="py-1 pr-4 font-medium">{what}</th>
            <th className="py-1 font-medium">{how}</th>
          </tr>
        </thead>
        <tbody>
          {layout.rungs.map(({ at, stage, state, via = [], falls = [], holds = [] }) => (
            <tr key={`${at}-${state}`} className="border-t border-line">
              <td className="py-1.5 pr-4">{formatMoment(at, zone, now)}</td>
              <td className="py-1.5 pr-4">{strings.task.stageName(stage)}</td>
              <td className="py-1.5">
                {[
                  via.length > 0 ? `${strings.detail.legend[state]}: ${via.join(', ')}` : strings.detail.legend[state],
                  ...holds.map((hold) => words.heldBy(hold)),
                ].join(', ')}
                {falls.map((fall) => (
                  <span key={fall.tier} className="block text-soft">
                    {describeFall(fall, zone)}
                  </span>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
