/** What the service knows about stand-ins, and what changes it. */
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { api, type ReachedTask, type StandIn, type StandInRequest, unwrap } from '../api/client.ts';
import { problemText } from '../api/problem.ts';
import { serviceNow } from '../api/service-clock.ts';
import { refresh } from '../data/sync.ts';
import { showToast } from '../data/toast.ts';

const SNOOZE_MS = 3_600_000;

export const standInsOptions = queryOptions({
  queryKey: ['stand-ins'],
  queryFn: () => unwrap(api.GET('/v1/stand-ins')),
});

const reachedOptions = queryOptions({
  queryKey: ['stand-in-tasks'],
  queryFn: () => unwrap(api.GET('/v1/stand-in/tasks')),
});

export const taskStandInsOptions = (taskId: string) =>
  queryOptions({
    queryKey: ['task', taskId, 'stand-ins'],
    queryFn: () => unwrap(api.GET('/v1/tasks/{task_id}/stand-ins', ofTask(taskId))),
  });

/** What waits for the signed-in person: questions, and tasks that have reached them. */
export function useStandingIn() {
  const standIns = useQuery(standInsOptions);
  const reached = useQuery(reachedOptions);
  const asked = (standIns.data ?? []).filter(({ role }) => role === 'stand_in');
  const tasks = reached.data ?? [];
  return {
    questions: asked.filter(({ state }) => state === 'asked'),
    agreements: asked.filter(({ state }) => state === 'agreed'),
    open: tasks.filter(({ settled }) => settled === null),
    settled: tasks.filter(({ settled }) => settled !== null),
    isLoaded: standIns.data !== undefined && reached.data !== undefined,
    error: standIns.error ?? reached.error,
  };
}

/** The buttons of stand-ins need the network: a Done that is sent hours later could be about another occurrence. */
export function usePress<T, R>(
  press: (value: T) => Promise<R>,
  onDone: (answer: R, value: T) => void = () => undefined,
) {
  return useMutation({
    mutationFn: press,
    onSuccess: onDone,
    onError: (error) => showToast(problemText(error)),
    onSettled: refresh,
  });
}

const ofTask = (taskId: string) => ({ params: { path: { task_id: taskId } } });

export const askStandIn = (body: StandInRequest): Promise<StandIn> => unwrap(api.POST('/v1/stand-ins', { body }));

export const endStandIn = (id: string) => call<null>('DELETE', `/v1/stand-ins/${id}`);

export const agreeToStandIn = (id: string, passesQuietHours: boolean) =>
  unwrap(
    api.POST('/v1/stand-ins/{stand_in_id}/agree', {
      params: { path: { stand_in_id: id } },
      body: { passes_quiet_hours: passesQuietHours },
    }),
  );

export const completeReached = ({ task_id, due_at }: ReachedTask) =>
  unwrap(
    api.POST('/v1/stand-in/tasks/{task_id}/complete', { ...ofTask(task_id), body: { occurrence_due_at: due_at } }),
  );

export const reopenReached = ({ task_id }: ReachedTask) => call<null>('POST', `/v1/stand-in/tasks/${task_id}/reopen`);

export const seeReached = ({ task_id }: ReachedTask) =>
  unwrap(api.POST('/v1/stand-in/tasks/{task_id}/seen', ofTask(task_id)));

export const snoozeReached = ({ task_id, due_at }: ReachedTask) =>
  unwrap(
    api.POST('/v1/stand-in/tasks/{task_id}/snooze', {
      ...ofTask(task_id),
      body: { until: new Date(serviceNow() + SNOOZE_MS).toISOString(), occurrence_due_at: due_at },
    }),
  );
