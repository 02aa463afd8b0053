import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { channelsOptions } from '../data/channels.ts';
import { firstRunStep } from '../data/first-run-step.ts';
import { useSpaces } from '../data/people.ts';
import { useStore } from '../data/store.ts';
import { useSynced, useZone } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { formatDate } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { TaskScreen } from './task-screen.tsx';
import { Unreached } from './unreached.tsx';

const FirstRun = lazy(() => import('../first-run/first-run.tsx').then(({ FirstRun: loaded }) => ({ default: loaded })));
const WelcomeBack = lazy(() => import('./welcome-back.tsx').then(({ WelcomeBack: loaded }) => ({ default: loaded })));
const OutageCard = lazy(() => import('./outage-card.tsx').then(({ OutageCard: loaded }) => ({ default: loaded })));
const StandInsCard = lazy(() =>
  import('../stand-ins/today-card.tsx').then(({ StandInsCard: loaded }) => ({ default: loaded })),
);
/** Data saved by an earlier visit may be outdated: the user may have dismissed the end of a pause elsewhere. */
const STARTED_AT = Date.now();

export function Today() {
  const step = useStore(firstRunStep);
  const { data, dataUpdatedAt } = useSynced();
  // Only members of a space stand in for each other.
  const hasSpaces = (useSpaces().data ?? []).length > 0;
  const wasLate = useQuery({ ...channelsOptions, enabled: false }).data?.was_late;
  const isLoaded = data !== undefined;
  const now = useNow();
  const zone = useZone();
  return (
    <TaskScreen
      list="today"
      lead={formatDate(now, zone)}
      empty={{ title: strings.today.empty, lead: strings.today.emptyLead }}
    >
      {step && isLoaded && (
        <Suspense>
          <FirstRun step={step} />
        </Suspense>
      )}
      {step !== 'reach' && step !== 'claim' && <Unreached />}
      {data?.settings.welcome_back && dataUpdatedAt >= STARTED_AT && (
        <Suspense>
          <WelcomeBack />
        </Suspense>
      )}
      {wasLate && (
        <Suspense>
          <OutageCard />
        </Suspense>
      )}
      {hasSpaces && (
        <Suspense>
          <StandInsCard />
        </Suspense>
      )}
    </TaskScreen>
  );
}
