/** The quiet hours and pauses of the account, as far as this browser knows them. */
import { useQuery } from '@tanstack/react-query';
import type { Settings } from '../api/client.ts';
import { plannedPauseOptions } from '../data/planned-pause.ts';
import { queryClient } from '../data/query-client.ts';
import { currentSettings, useSettings } from '../data/sync.ts';
import type { Holds } from './release.ts';

type Planned = Awaited<ReturnType<NonNullable<typeof plannedPauseOptions.queryFn>>>;

/** Undefined until all of them are known: half of the holds would give a wrong moment. */
export function useHolds(): Holds | undefined {
  const planned = useQuery(plannedPauseOptions).data;
  return toHolds(useSettings(), planned);
}

export async function readHolds(): Promise<Holds | undefined> {
  const planned = await queryClient.ensureQueryData(plannedPauseOptions).catch(() => undefined);
  return toHolds(currentSettings(), planned);
}

function toHolds(settings: Settings | undefined, planned: Planned | undefined): Holds | undefined {
  if (!settings || !planned) return undefined;
  const { quiet_hours_start: start, quiet_hours_end: end, paused_until, keep_must_not_miss } = settings;
  const { planned_pause: next } = planned;
  return {
    zone: settings.timezone,
    dayStart: settings.day_start,
    quiet: start !== null && end !== null && start !== end ? [start, end] : null,
    running: paused_until === null ? null : toPause(Number.NEGATIVE_INFINITY, paused_until, keep_must_not_miss),
    planned: next && toPause(Date.parse(next.from), next.until, next.keep_must_not_miss),
  };
}

const toPause = (from: number, until: string, keepsMustNotMiss: boolean) => ({
  from,
  until: Date.parse(until),
  keepsMustNotMiss,
});
