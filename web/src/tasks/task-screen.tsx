/** What Today, Upcoming and Someday share: tabs, filters, the selection, and the tasks under their headings. */
import { Link, useSearch } from '@tanstack/react-router';
import { type ComponentType, lazy, type ReactNode, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import type { Task } from '../api/client.ts';
import { useStore } from '../data/store.ts';
import { useSettings, useSynced, useTasks, useZone } from '../data/sync.ts';
import { tickedTasks } from '../data/ticked.ts';
import { filterTasks, isFiltered } from '../find/filters.ts';
import { QuickAdd } from '../quick-add/quick-add.tsx';
import { strings } from '../strings.ts';
import { useNow } from '../time/now.ts';
import { IconButton } from '../ui/button.tsx';
import { EmptyState, LoadError, Page, Skeleton } from '../ui/page.tsx';
import { useSteadyClicks } from '../ui/steady-clicks.ts';
import { countTasks, type Groups, groupTasks, type Heading, LISTS, type ListName } from './group-tasks.ts';
import { LIST_NAMES, LIST_PATHS } from './list-paths.ts';
import { MoveOverdue } from './move-overdue.tsx';
import { Requests } from './requests.tsx';
import type { SnoozeSheet } from './snooze-sheet.tsx';
import { TaskList } from './task-list.tsx';
import type { TaskListProps } from './task-row.tsx';
import { useSelection } from './use-selection.ts';

const FilterBar = lazy(() => import('../find/filter-bar.tsx').then(({ FilterBar: loaded }) => ({ default: loaded })));
/** With what sends its bulk changes: a browser that failed to load a file, offline, does not ask for it again. */
const SelectionBar = lazy(() =>
  Promise.all([import('./selection-bar.tsx'), import('../data/send-batch.ts')]).then(([{ SelectionBar: loaded }]) => ({
    default: loaded,
  })),
);

interface TaskScreenProps {
  readonly list: ListName;
  readonly lead: ReactNode;
  readonly empty: { readonly title: string; readonly lead: string };
  /** Cards between the field for a new task and the lists. */
  readonly children?: ReactNode;
  /** Shows the tasks day by day instead. */
  readonly Days?: ComponentType<DaysProps>;
}

export interface DaysProps extends Omit<TaskListProps, 'label'> {
  /** Every task that the filters let through, not only this list. */
  readonly matching: readonly Task[];
  readonly emptyTitle: string;
  readonly emptyLead: string | undefined;
}

export function TaskScreen({ list, lead, empty, children, Days }: TaskScreenProps) {
  const { isPending, error, data, refetch } = useSynced();
  return (
    <Page title={strings.lists[list]} lead={data ? lead : ' '}>
      <QuickAdd />
      {children}
      {isPending && !error && <Skeleton rows={5} />}
      {error && !data && <LoadError error={error} retry={() => void refetch()} />}
      {data && <Tasks list={list} empty={empty} Days={Days} />}
    </Page>
  );
}

function Tasks({
  list,
  empty,
  Days,
}: Pick<TaskScreenProps, 'list' | 'empty'> & { Days: TaskScreenProps['Days'] | undefined }) {
  const zone = useZone();
  const now = useNow();
  const filters = useSearch({ strict: false });
  const tasks = useTasks();
  const ticked = useStore(tickedTasks);
  const userId = useSettings()?.id ?? '';
  const matching = useMemo(
    () => filterTasks(Object.values({ ...tasks, ...ticked }), filters, now),
    [tasks, ticked, filters, now],
  );
  const groups = useMemo(() => groupTasks(matching, userId, now, zone), [matching, userId, now, zone]);
  const headings = LISTS[list].filter((heading) => groups[heading].length > 0);
  const shown = useMemo(() => LISTS[list].flatMap((heading) => groups[heading]), [list, groups]);
  const [isFiltering, setFiltering] = useState(() => isFiltered(filters));
  const [snoozing, setSnoozing] = useState<{ readonly task: Task; readonly Sheet: typeof SnoozeSheet }>();
  const snooze = useCallback((task: Task) => {
    void import('./snooze-sheet.tsx').then((file) => setSnoozing({ task, Sheet: file.SnoozeSheet }));
  }, []);
  const area = useRef<HTMLDivElement>(null);
  const rows = useRef<HTMLDivElement>(null);
  useSteadyClicks(rows);
  const selection = useSelection(shown, area);
  const rowProps = { zone, now, selected: selection.ids, onSelect: selection.select, onSnooze: snooze };
  const isNarrowed = isFiltered(filters);
  const isEmpty = !Days && shown.length === 0 && (isNarrowed || list !== 'today' || groups.requests.length === 0);
  const emptyTitle = isNarrowed ? strings.filters.nothing : empty.title;
  const emptyLead = isNarrowed ? undefined : empty.lead;
  return (
    <div ref={area}>
      <Toolbar
        list={list}
        groups={groups}
        isFiltering={isFiltering}
        onFilter={() => setFiltering(!isFiltering)}
        isSelecting={selection.ids !== undefined}
        onSelect={selection.ids ? selection.stop : selection.start}
      />
      <Suspense>
        {isFiltering && <FilterBar tasks={tasks ?? {}} filters={filters} />}
        {selection.ids && (
          <SelectionBar
            tasks={shown.filter(({ id }) => selection.ids?.has(id))}
            onAll={selection.selectAll}
            onStop={selection.stop}
          />
        )}
      </Suspense>
      <div ref={rows}>
        {list === 'today' && <Requests tasks={groups.requests} zone={zone} now={now} />}
        {Days ? (
          <Days tasks={shown} matching={matching} emptyTitle={emptyTitle} emptyLead={emptyLead} {...rowProps} />
        ) : (
          headings.map((heading) => (
            <Group key={heading} heading={heading} tasks={groups[heading]}>
              <TaskList
                tasks={groups[heading]}
                label={strings.today.list(strings.today[heading])}
                isLate={heading === 'overdue'}
                {...rowProps}
              />
            </Group>
          ))
        )}
      </div>
      {isEmpty && <EmptyState title={emptyTitle}>{emptyLead}</EmptyState>}
      {snoozing && <snoozing.Sheet task={snoozing.task} onClose={() => setSnoozing(undefined)} />}
    </div>
  );
}

interface GroupProps {
  readonly heading: Heading;
  readonly tasks: readonly Task[];
  readonly children: ReactNode;
}

const Group = ({ heading, tasks, children }: GroupProps) => (
  <section aria-labelledby={`heading-${heading}`} className="mb-8">
    <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4">
      <h2 id={`heading-${heading}`} className="flex items-baseline gap-2.5 text-xl">
        {strings.today[heading]}
        <span className="font-sans text-sm font-normal text-soft">{tasks.length}</span>
      </h2>
      {heading === 'overdue' && <MoveOverdue tasks={tasks} />}
    </div>
    {children}
  </section>
);

interface ToolbarProps {
  readonly list: ListName;
  readonly groups: Groups;
  readonly isFiltering: boolean;
  readonly onFilter: () => void;
  readonly isSelecting: boolean;
  readonly onSelect: () => void;
}

function Toolbar({ list, groups, isFiltering, onFilter, isSelecting, onSelect }: ToolbarProps) {
  return (
    <div className="mb-5 flex items-center gap-1 border-b border-line">
      <nav aria-label={strings.lists.label} className="flex min-w-0 grow gap-5 overflow-x-auto sm:gap-6">
        {LIST_NAMES.map((name) => (
          <Link
            key={name}
            to={LIST_PATHS[name]}
            search={true}
            activeOptions={{ exact: true, includeSearch: false }}
            activeProps={{ className: 'border-ember font-semibold text-ink' }}
            inactiveProps={{ className: 'border-transparent text-soft hover:text-ink' }}
            aria-current={name === list ? 'page' : undefined}
            className="-mb-px flex min-h-11 items-center gap-1.5 border-b-2 text-[0.95rem] whitespace-nowrap"
          >
            {strings.lists[name]}
            <span className="text-sm font-normal text-soft max-sm:hidden">{countTasks(groups, name)}</span>
          </Link>
        ))}
      </nav>
      <IconButton
        icon="filter"
        label={strings.lists.filter}
        aria-keyshortcuts="f"
        aria-expanded={isFiltering}
        className={isFiltering ? 'text-ember!' : ''}
        onClick={onFilter}
      />
      <IconButton
        icon="select"
        label={strings.lists.select}
        aria-pressed={isSelecting}
        className={isSelecting ? 'text-ember!' : ''}
        onClick={onSelect}
      />
    </div>
  );
}
