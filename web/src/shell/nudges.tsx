/** Loads what announces a nudge when the first one comes. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { serviceNow, serviceSpeed } from '../api/service-clock.ts';
import { useSettings, useTasks } from '../data/sync.ts';
import { isFresh } from '../nudges/fresh-nudges.ts';

const NudgeBanner = lazy(() => import('../nudges/nudge-banner.tsx').then((file) => ({ default: file.NudgeBanner })));

export function Nudges() {
  const tasks = useTasks();
  const userId = useSettings()?.id;
  const [isNeeded, setNeeded] = useState(false);
  useEffect(() => {
    const isNudged = Object.values(tasks ?? {}).some((task) => isFresh(task, userId, serviceNow(), serviceSpeed()));
    if (isNudged) setNeeded(true);
  }, [tasks, userId]);
  return <Suspense>{isNeeded && <NudgeBanner />}</Suspense>;
}
