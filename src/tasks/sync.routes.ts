import { Type } from 'typebox';
import type { Routes } from '../http/app.ts';
import { callerOf } from '../http/authentication.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import type { Caller } from '../lib/caller.ts';
import { instantOut, named } from '../lib/schema.ts';
import type { SyncService } from './sync.service.ts';
import { readInstant } from './task-input.ts';
import { TaskDetailOut, toDetail } from './tasks.schemas.ts';

/** What sync tells of the account beside its tasks; another noun's to read and to describe. */
export interface SyncedSettings {
  readonly schema: ReturnType<typeof Type.Unsafe<object>>;
  read(caller: Caller): Promise<{ readonly timezone: string }>;
}

export const syncRoutes =
  (sync: SyncService, settings: SyncedSettings): Routes =>
  (app) => {
    const Changes = Type.Object({
      tasks: Type.Array(named(TaskDetailOut)),
      removed: Type.Array(Type.String({ format: 'uuid' }), {
        description: 'Tasks you no longer see. Apply after `tasks`.',
      }),
      settings: settings.schema,
      server_time: Type.Unsafe<Date>({ ...instantOut, description: 'The next `since`.' }),
      reset: Type.Boolean({ description: 'Forget what you have: this is everything.' }),
    });

    app.get(
      '/v1/sync',
      {
        schema: {
          ...{ operationId: 'sync', tags: ['tasks'], summary: 'Read everything that changed since you last asked' },
          querystring: Type.Object({ since: Type.Optional(Type.String({ format: 'date-time' })) }),
          response: { 200: envelopeOf(Changes) },
        },
      },
      async (request) => {
        const caller = callerOf(request);
        const own = await settings.read(caller);
        const { since } = request.query;
        const changes = await sync.changesSince(
          caller,
          since === undefined ? undefined : readInstant(since, own.timezone),
        );
        const { tasks, removed, serverTime: server_time, reset } = changes;
        return ok({ tasks: tasks.map(toDetail), removed, settings: own, server_time, reset });
      },
    );
  };
