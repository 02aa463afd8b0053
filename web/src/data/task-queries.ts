/** Queries about one task: its timeline, its coming nudges, and the task itself. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, type TimelineEntry, unwrap } from '../api/client.ts';

const FORECAST_LIMIT = 8;
const TIMELINE_PAGE_SIZE = 50;

const path = (taskId: string) => ({ path: { task_id: taskId } });

export const forecastOptions = (taskId: string) =>
  queryOptions({
    queryKey: ['task', taskId, 'forecast'],
    queryFn: () =>
      unwrap(
        api.GET('/v1/tasks/{task_id}/forecast', { params: { ...path(taskId), query: { limit: FORECAST_LIMIT } } }),
      ),
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
  const query = { limit: TIMELINE_PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
  const answer = api.GET('/v1/tasks/{task_id}/timeline', { params: { ...path(taskId), query } });
  const entries = await unwrap(answer);
  const { response } = await answer;
  return { entries, next: response.headers.get('x-next-cursor') ?? undefined };
}

/** For a task that sync does not return: one of another member of a space, or one closed long ago. */
export const taskOptions = (taskId: string) =>
  queryOptions({
    queryKey: ['task', taskId],
    queryFn: () => unwrap(api.GET('/v1/tasks/{task_id}', { params: path(taskId) })),
  });
