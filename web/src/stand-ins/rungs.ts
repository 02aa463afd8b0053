/** Which nudge a rung is, and when it comes. Pure. */
import type { Nudge, TimelineEntry } from '../api/client.ts';

/** After each of these the ladder begins anew. */
const RUN_STARTS: ReadonlySet<string> = new Set([
  'created',
  'accepted',
  'rescheduled',
  'snoozed',
  'snooze_undone',
  'done',
  'skipped',
  'reopened',
]);

/** How many nudges the present run has had, heads-ups aside. The newest entry comes first. */
export function countPassedRungs(timeline: readonly Pick<TimelineEntry, 'kind' | 'stage'>[]): number {
  const start = timeline.findIndex(({ kind }) => RUN_STARTS.has(kind));
  const ofRun = start === -1 ? timeline : timeline.slice(0, start);
  return ofRun.filter(({ kind, stage }) => kind === 'nudge' && (stage ?? 0) >= 0).length;
}

/** Undefined beyond the forecast. A rung that has passed counts from the next nudge on. */
export function momentOfRung(
  rung: number,
  passed: number,
  forecast: readonly Pick<Nudge, 'at' | 'stage'>[],
): string | undefined {
  return forecast.filter(({ stage }) => stage >= 0)[Math.max(0, rung - passed)]?.at;
}
