import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { checkOthers } from '../http/limit-costs.ts';
import { sendPaged } from '../http/streamed-answer.ts';
import { named, Type } from '../lib/schema.ts';
import type { SpaceTasksService } from './space-tasks.service.ts';
import { TaskDetailOut, TaskOut, toDetail } from './tasks.schemas.ts';

const route = describeRoutes('spaces');
const costlyRoute = describeRoutes('spaces', { isCostly: true });
const id = Type.String({ format: 'uuid' });
const taskList = Type.Array(named(TaskOut));

export const spaceTaskRoutes =
  (tasks: SpaceTasksService): Routes =>
  (app) => {
    app.get(
      '/v1/spaces/:space_id/tasks',
      costlyRoute('list_space_tasks', 'List the tasks that you can see in a space', {
        params: Type.Object({ space_id: id }),
        data: taskList,
      }),
      async (request, reply) => {
        checkOthers(request);
        const pages = await tasks.list(sessionOf(request), request.params.space_id);
        return sendPaged(request, reply, [{ pages, schema: taskList }], (rows) => ok(rows));
      },
    );
    app.get(
      '/v1/spaces/:space_id/tasks/:task_id',
      route('read_space_task', 'Read a task of a space in detail', {
        params: Type.Object({ space_id: id, task_id: id }),
        data: named(TaskDetailOut),
      }),
      async (request) => {
        const { space_id, task_id } = request.params;
        return ok(toDetail(await tasks.get(sessionOf(request), space_id, task_id)));
      },
    );
  };
