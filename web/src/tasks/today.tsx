import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import type { Task } from '../api/client.ts';
import { firstRunStep } from '../data/first-run.ts';
import { useStore } from '../data/store.ts';
import { useSettings, useSynced, useTasks, useZone } from '../data/sync.ts';
import { tickedTasks } from '../data/ticked.ts';
import { QuickAdd } from '../quick-add/quick-add.tsx';
import { strings } from '../strings.ts';
import { formatDate } from '../time/format.ts';
import { useNow } from '../time/now.ts';
import { EmptyState, LoadError, Page, Skeleton } from '../ui/page.tsx';
import { useSteadyClicks } from '../ui/steady-clicks.ts';
import { groupTasks, HEADINGS } from './group-tasks.ts';
import { Requests } from './requests.tsx';
import { SnoozeSheet } from './snooze-sheet.tsx';
import { TaskList } from './task-list.tsx';
import { Unreached } from './unreached.tsx';
import { WelcomeBack } from './welcome-back.tsx';

const FirstRun = lazy(() => import('../first-run/first-run.tsx').then(({ FirstRun: loaded }) => ({ default: loaded })));

export function Today() {
  const step = useStore(firstRunStep);
  const now = useNow();
  const zone = useZone();
  const { isPending, error, data, refetch } = useSynced();
  return (
    <Page title={strings.today.title} lead={data ? formatDate(now, zone) : ' '}>
      <QuickAdd />
      {step && data && (
        <Suspense>
          <FirstRun step={step} />
        </Suspense>
      )}
      {step !== 'reach' && <Unreached />}
      <WelcomeBack />
      {isPending && !error && <Skeleton rows={5} />}
      {error && !data && <LoadError error={error} retry={() => void refetch()} />}
      {data && <TodayTasks zone={zone} now={now} />}
    </Page>
  );
}

function TodayTasks({ zone, now }: { readonly zone: string; readonly now: number }) {
  const tasks = useTasks();
  const userId = useSettings()?.id ?? '';
  const [snoozing, setSnoozing] = useState<Task>();
  const lists = useRef<HTMLDivElement>(null);
  useSteadyClicks(lists);
  const ticked = useStore(tickedTasks);
  const groups = useMemo(
    () => groupTasks(Object.values({ ...tasks, ...ticked }), userId, now, zone),
    [tasks, ticked, userId, now, zone],
  );
  const isEmpty = Object.values(groups).every((group) => group.length === 0);
  return (
    <div ref={lists}>
      <Requests tasks={groups.requests} zone={zone} now={now} />
      {HEADINGS.filter((heading) => groups[heading].length > 0).map((heading) => (
        <section key={heading} aria-labelledby={`heading-${heading}`} className="mb-8">
          <h2 id={`heading-${heading}`} className="mb-3 flex items-baseline gap-2.5 text-xl">
            {strings.today[heading]}
            <span className="font-sans text-sm font-normal text-soft">{groups[heading].length}</span>
          </h2>
          <TaskList
            tasks={groups[heading]}
            label={strings.today.list(strings.today[heading])}
            isLate={heading === 'overdue'}
            zone={zone}
            now={now}
            onSnooze={setSnoozing}
          />
        </section>
      ))}
      {isEmpty && <EmptyState title={strings.today.empty}>{strings.today.emptyLead}</EmptyState>}
      {snoozing && <SnoozeSheet task={snoozing} onClose={() => setSnoozing(undefined)} />}
    </div>
  );
}
