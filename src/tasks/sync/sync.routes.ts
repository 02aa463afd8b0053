import type { Routes } from '../../http/app.ts';
import { callerOf } from '../../http/authentication.ts';
import { describeRoutes } from '../../http/describe-route.ts';
import { ok } from '../../http/envelope.ts';
import { checkOthers } from '../../http/limit-costs.ts';
import { sendPaged } from '../../http/streamed-answer.ts';
import type { Caller } from '../../lib/caller.ts';
import { mapPages } from '../../lib/pages.ts';
import { instantOut, named, Type } from '../../lib/schema.ts';
import { parseInstant } from '../task-input.ts';
import { TaskDetailOut, toDetail } from '../tasks.schemas.ts';
import type { SyncService } from './sync.service.ts';

const route = describeRoutes('tasks', { isCostly: true });
const taskList = Type.Array(named(TaskDetailOut));
const removedList = Type.Array(Type.String({ format: 'uuid' }), {
  description: 'The ids of tasks that you can no longer see. Apply them after `tasks`.',
});

/** The account settings in the response. `accounts/` provides their schema and values. */
export interface SyncedSettings {
  readonly schema: ReturnType<typeof Type.Unsafe<object>>;
  read(caller: Caller): Promise<{ readonly timezone: string }>;
}

export const syncRoutes =
  (sync: SyncService, settings: SyncedSettings): Routes =>
  (app) => {
    const Changes = Type.Object({
      tasks: taskList,
      removed: removedList,
      settings: settings.schema,
      server_time: Type.Unsafe<Date>({ ...instantOut, description: 'The `since` of the next sync.' }),
      reset: Type.Boolean({ description: 'If true, discard all stored tasks: `tasks` is the complete list.' }),
    });

    app.get(
      '/v1/sync',
      route('sync', 'Read all changes since your last sync', {
        querystring: Type.Object({ since: Type.Optional(Type.String({ format: 'date-time' })) }),
        data: Changes,
      }),
      async (request, reply) => {
        const caller = callerOf(request);
        const current = await settings.read(caller);
        const { since } = request.query;
        checkOthers(request, { isSyncOfChanges: since !== undefined });
        const changes = await sync.changesSince(
          caller,
          since === undefined ? undefined : parseInstant(since, current.timezone),
        );
        const { serverTime: server_time, reset } = changes;
        return sendPaged(
          request,
          reply,
          [
            { pages: mapPages(changes.tasks, toDetail), schema: taskList },
            { pages: changes.removed, schema: removedList },
          ],
          (tasks, removed) => ok({ tasks, removed, settings: current, server_time, reset }),
        );
      },
    );
  };
