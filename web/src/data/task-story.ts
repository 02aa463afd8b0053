/** What happened to a task and what comes, as the ladder and the timeline tell it. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, read, type TimelineEntry } from '../api/client.ts';

const COMING = 8;
const PAGE = 50;

const path = (taskId: string) => ({ path: { task_id: taskId } });

export const forecastOptions = (taskId: string) =>
  queryOptions({
    queryKey: ['task', taskId, 'forecast'],
    queryFn: () =>
      read(api.GET('/v1/tasks/{task_id}/forecast', { params: { ...path(taskId), query: { limit: COMING } } })),
    refetchInterval: 30_000,
  });

interface TimelinePage {
  readonly entries: readonly TimelineEntry[];
  readonly next: string | undefined;
}

export const timelineOptions = (taskId: string) =>
  infiniteQueryOptions({
    queryKey: ['task', taskId, 'timeline'],
    queryFn: ({ pageParam }) => readTimeline(taskId, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }: TimelinePage) => next,
    refetchInterval: 30_000,
  });

async function readTimeline(taskId: string, cursor: string | undefined): Promise<TimelinePage> {
  const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
  const asked = api.GET('/v1/tasks/{task_id}/timeline', { params: { ...path(taskId), query } });
  const entries = await read(asked);
  const { response } = await asked;
  return { entries, next: response.headers.get('x-next-cursor') ?? undefined };
}

/** A task that sync does not bring: one of a space, or one that is long gone. */
export const taskOptions = (taskId: string) =>
  queryOptions({
    queryKey: ['task', taskId],
    queryFn: () => read(api.GET('/v1/tasks/{task_id}', { params: path(taskId) })),
  });
