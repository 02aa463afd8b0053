/** The account's tasks and settings: read whole once, then only what changed. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, read, type Settings, type Task } from '../api/client.ts';
import { useDeeds } from './deed-book.ts';
import { withDeeds } from './deeds.ts';
import { queryClient } from './query-client.ts';

const POLL_MS = 30_000;

export interface Synced {
  readonly tasks: Readonly<Record<string, Task>>;
  readonly settings: Settings;
  readonly since: string;
}

const KEY = ['sync'] as const;

export const syncOptions = queryOptions({
  queryKey: KEY,
  queryFn: async (): Promise<Synced> => {
    const since = queryClient.getQueryData<Synced>(KEY)?.since;
    const changes = await read(api.GET('/v1/sync', { params: { query: since === undefined ? {} : { since } } }));
    const known = changes.reset ? {} : queryClient.getQueryData<Synced>(KEY)?.tasks;
    const tasks = { ...known };
    for (const task of changes.tasks) tasks[task.id] = task;
    for (const id of changes.removed) delete tasks[id];
    return { tasks, settings: changes.settings, since: changes.server_time };
  },
  refetchInterval: POLL_MS,
  refetchOnWindowFocus: 'always',
});

/** What an action answered, ahead of the next sync. */
export function mergeTask(task: Partial<Task> & Pick<Task, 'id'>): void {
  queryClient.setQueryData<Synced>(KEY, (synced) => {
    if (!synced) return synced;
    const before = synced.tasks[task.id];
    return { ...synced, tasks: { ...synced.tasks, [task.id]: { ...BLANK, ...before, ...task } as Task } };
  });
}

/** What a task has beyond what the lean form of an answer tells. */
const BLANK: Partial<Task> = { recurrence: null, lead_time_days: null, break_quiet_hours: false, deferred_until: null };

export function mergeSettings(settings: Settings): void {
  queryClient.setQueryData<Synced>(KEY, (synced) => (synced ? { ...synced, settings } : synced));
}

export const refresh = (): Promise<void> => queryClient.invalidateQueries();

export const useSynced = () => useQuery(syncOptions);

/** The tasks as they will be once everything done here has been told. */
export function useTasks(): Readonly<Record<string, Task>> | undefined {
  const { data } = useSynced();
  const deeds = useDeeds();
  return useMemo(
    () =>
      data &&
      withDeeds(
        data.tasks,
        deeds.filter(({ userId }) => userId === data.settings.id),
      ),
    [data, deeds],
  );
}

export function useSettings(): Settings | undefined {
  return useSynced().data?.settings;
}

/** The zone everything is told in. */
export const useZone = (): string => useSettings()?.timezone ?? 'UTC';
