/** What the service knows about ladders, and what changes it. */
import { queryOptions } from '@tanstack/react-query';
import { api, type HeadsUp, type LadderChoice, type TaskLadder, unwrap } from '../api/client.ts';
import { refresh } from '../data/sync.ts';
import type { LadderShape } from './format-ladder.ts';

export const bookOptions = queryOptions({ queryKey: ['ladders'], queryFn: () => unwrap(api.GET('/v1/ladders')) });

const path = (taskId: string) => ({ params: { path: { task_id: taskId } } });

export const taskLadderOptions = (taskId: string) =>
  queryOptions({
    queryKey: ['task', taskId, 'ladder'],
    queryFn: () => unwrap(api.GET('/v1/tasks/{task_id}/ladder', path(taskId))),
  });

export const headsUpsOptions = (taskId: string) =>
  queryOptions({
    queryKey: ['task', taskId, 'heads-ups'],
    queryFn: () => unwrap(api.GET('/v1/tasks/{task_id}/heads-ups', path(taskId))),
  });

/** Reads again what is shown: every task of the account may get other nudges. */
async function afterwards<T>(answer: Promise<T>): Promise<T> {
  const data = await answer;
  await refresh();
  return data;
}

/** Undefined lets the label or the account decide. */
export const chooseForTask = (taskId: string, choice: LadderChoice | undefined): Promise<TaskLadder> =>
  afterwards(
    unwrap(
      choice === undefined
        ? api.DELETE('/v1/tasks/{task_id}/ladder', path(taskId))
        : api.PUT('/v1/tasks/{task_id}/ladder', { ...path(taskId), body: choice }),
    ),
  );

export const setHeadsUps = (taskId: string, headsUps: readonly HeadsUp[]) =>
  afterwards(unwrap(api.PUT('/v1/tasks/{task_id}/heads-ups', { ...path(taskId), body: { heads_ups: [...headsUps] } })));

/** The most that the service lists at once. */
export const MOST_PREVIEWED = 100;

export const previewLadder = (taskId: string, choice: LadderChoice) =>
  unwrap(
    api.POST('/v1/tasks/{task_id}/ladder/preview', { ...path(taskId), body: { ...choice, limit: MOST_PREVIEWED } }),
  );

/** A new one without an id. */
export function saveLadder(id: string | undefined, name: string, { rungs, end }: LadderShape) {
  const body = { name, rungs: [...rungs], end };
  return afterwards(
    unwrap(
      id === undefined
        ? api.POST('/v1/ladders', { body })
        : api.PATCH('/v1/ladders/{ladder_id}', { params: { path: { ladder_id: id } }, body }),
    ),
  );
}

export const deleteLadder = (id: string) =>
  afterwards(unwrap(api.DELETE('/v1/ladders/{ladder_id}', { params: { path: { ladder_id: id } } })));

/** Undefined goes back to the default of the service. */
export const chooseDefault = (choice: LadderChoice | undefined) =>
  afterwards(
    unwrap(choice === undefined ? api.DELETE('/v1/ladders/default') : api.PUT('/v1/ladders/default', { body: choice })),
  );

/** Undefined takes the ladder from the label. */
export const chooseForLabel = (label: string, choice: LadderChoice | undefined) =>
  afterwards(
    unwrap(
      choice === undefined
        ? api.DELETE('/v1/ladders/labels', { params: { query: { label } } })
        : api.PUT('/v1/ladders/labels', { body: { label, ...choice } }),
    ),
  );

export const testRung = (stage: number) => unwrap(api.POST('/v1/ladders/test', { body: { stage } }));
