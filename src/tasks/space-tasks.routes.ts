import { Type } from 'typebox';
import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import { named } from '../lib/schema.ts';
import type { SpaceTasksService } from './space-tasks.service.ts';
import { TaskDetailOut, TaskOut, toDetail } from './tasks.schemas.ts';

const tags = ['spaces'];
const id = Type.String({ format: 'uuid' });

export const spaceTaskRoutes =
  (tasks: SpaceTasksService): Routes =>
  (app) => {
    app.get(
      '/v1/spaces/:space_id/tasks',
      {
        schema: {
          ...{ operationId: 'list_space_tasks', tags, summary: 'List the tasks of a space that you may see' },
          params: Type.Object({ space_id: id }),
          response: { 200: envelopeOf(Type.Array(named(TaskOut))) },
        },
      },
      async (request) => ok(await tasks.list(sessionOf(request), request.params.space_id)),
    );
    app.get(
      '/v1/spaces/:space_id/tasks/:task_id',
      {
        schema: {
          ...{ operationId: 'read_space_task', tags, summary: 'Read one task of a space in full' },
          params: Type.Object({ space_id: id, task_id: id }),
          response: { 200: envelopeOf(named(TaskDetailOut)) },
        },
      },
      async (request) => {
        const { space_id, task_id } = request.params;
        return ok(toDetail(await tasks.get(sessionOf(request), space_id, task_id)));
      },
    );
  };
