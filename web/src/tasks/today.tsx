import { lazy, Suspense } from 'react';
import { firstRunStep } from '../data/first-run-step.ts';
import { useStore } from '../data/store.ts';
import { useSynced, useZone } from '../data/sync.ts';
import { strings } from '../strings.ts';
import { formatDate } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { TaskScreen } from './task-screen.tsx';
import { Unreached } from './unreached.tsx';
import { WelcomeBack } from './welcome-back.tsx';

const FirstRun = lazy(() => import('../first-run/first-run.tsx').then(({ FirstRun: loaded }) => ({ default: loaded })));

export function Today() {
  const step = useStore(firstRunStep);
  const isLoaded = useSynced().data !== undefined;
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
      <WelcomeBack />
    </TaskScreen>
  );
}
