/** The account's tasks and settings: read in full once, then only the changes. */
import { queryOptions, replaceEqualDeep, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, type Settings, type Task, unwrap } from '../api/client.ts';
import { useQueuedActions } from './action-queue.ts';
import { queryClient } from './query-client.ts';
import { applyActions } from './queued-action.ts';

/** The service also reports changes as they happen (`live.ts`), unless something on the way prevents that. */
const POLL_MS = 30_000;

interface SyncedState {
  readonly tasks: Readonly<Record<string, Task>>;
  readonly settings: Settings;
  readonly since: string;
}

const KEY = ['sync'] as const;

const syncOptions = queryOptions({
  queryKey: KEY,
  queryFn: async (): Promise<SyncedState> => {
    const since = queryClient.getQueryData<SyncedState>(KEY)?.since;
    const changes = await unwrap(api.GET('/v1/sync', { params: { query: since === undefined ? {} : { since } } }));
    const known = changes.reset ? undefined : queryClient.getQueryData<SyncedState>(KEY);
    const settings = replaceEqualDeep(known?.settings, changes.settings);
    // An unchanged task stays the same object, so that it is neither drawn nor saved again.
    if (known && changes.tasks.length + changes.removed.length === 0 && settings === known.settings) return known;
    const tasks = { ...known?.tasks };
    for (const task of changes.tasks) tasks[task.id] = task;
    for (const id of changes.removed) delete tasks[id];
    return { tasks, settings, since: changes.server_time };
  },
  // Comparing every field of thousands of tasks would take longer than a frame.
  structuralSharing: false,
  refetchInterval: POLL_MS,
  // Hidden pages hear of nudges by a stream, for which they need locks: see `live.ts`.
  refetchIntervalInBackground: !('locks' in navigator),
  refetchOnWindowFocus: 'always',
});

/**
 * Adds the task that an action returned, before the next sync brings it. An action whose answer was lost is sent again
 * and answered as the first time; by then sync may have brought a newer state, and would not bring it again.
 */
export function mergeTask(task: Partial<Task> & Pick<Task, 'id'>): void {
  queryClient.setQueryData<SyncedState>(KEY, (synced) => {
    if (!synced) return synced;
    const before = synced.tasks[task.id];
    if (before && task.updated_at !== undefined && task.updated_at < before.updated_at) return synced;
    return { ...synced, tasks: { ...synced.tasks, [task.id]: { ...DETAIL_DEFAULTS, ...before, ...task } as Task } };
  });
}

/** The fields of a task that the short form of an answer leaves out. */
const DETAIL_DEFAULTS: Partial<Task> = {
  recurrence: null,
  lead_time_days: null,
  break_quiet_hours: false,
  deferred_until: null,
};

export function mergeSettings(settings: Settings): void {
  queryClient.setQueryData<SyncedState>(KEY, (synced) => (synced ? { ...synced, settings } : synced));
}

export const currentSettings = (): Settings | undefined => queryClient.getQueryData<SyncedState>(KEY)?.settings;

export const currentTasks = (): readonly Task[] =>
  Object.values(queryClient.getQueryData<SyncedState>(KEY)?.tasks ?? {});

export const currentUserId = (): string => currentSettings()?.id ?? '';

/**
 * TanStack Query does not repeat a query that has no data yet. But a first sync that is under way may have been
 * answered before the change, so it is repeated when it has ended.
 */
export async function syncAgain(): Promise<void> {
  const query = queryClient.getQueryCache().find({ queryKey: KEY });
  if (query?.state.data === undefined) await query?.promise?.catch(() => undefined);
  await queryClient.invalidateQueries({ queryKey: KEY });
}

/** Everything that is shown, sync included. */
export async function refresh(): Promise<void> {
  const others = queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
  await Promise.all([others, syncAgain()]);
}

export const useSynced = () => useQuery(syncOptions);

/** The tasks as they will be when the service has applied every queued action. */
export function useTasks(): Readonly<Record<string, Task>> | undefined {
  const { tasks, settings: { id } = {} } = useSynced().data ?? {};
  const actions = useQueuedActions();
  return useMemo(
    () =>
      tasks &&
      applyActions(
        tasks,
        actions.filter(({ userId }) => userId === id),
      ),
    [tasks, id, actions],
  );
}

export function useSettings(): Settings | undefined {
  return useSynced().data?.settings;
}

/** The zone that all times are shown in. */
export const useZone = (): string => useSettings()?.timezone ?? 'UTC';
