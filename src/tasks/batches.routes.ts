import type { Routes } from '../http/app.ts';
import { callerOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { component, named, Type } from '../lib/schema.ts';
import { type BatchesService, type Closing, MOST_IN_BATCH } from './batches.service.ts';
import { BatchOut, ListedBatchOut, OccurrenceRequest } from './tasks.schemas.ts';

const route = describeRoutes('tasks', { isCostly: true });
const id = Type.String({ format: 'uuid' });

const BatchRequest = component(
  'BatchRequest',
  Type.Object({
    as: Type.Unsafe<Closing>({ type: 'string', enum: ['done', 'skipped', 'dropped'] }),
    tasks: Type.Array(Type.Object({ id, ...OccurrenceRequest.properties }), { minItems: 1, maxItems: MOST_IN_BATCH }),
  }),
);

export const batchRoutes =
  (batches: BatchesService): Routes =>
  (app) => {
    for (const schema of [BatchRequest, BatchOut, ListedBatchOut]) app.addSchema(schema);
    app.get(
      '/v1/batches',
      route('list_batches', 'List the bulk changes of the last day that can be taken back', {
        data: Type.Array(named(ListedBatchOut)),
      }),
      async (request) => ok(await batches.list(callerOf(request))),
    );
    app.post(
      '/v1/batches',
      route('close_tasks', 'Complete, skip or drop several tasks, so that one call can take it back', {
        body: named(BatchRequest),
        data: named(BatchOut),
      }),
      async (request) => ok(await batches.close(callerOf(request), request.body.as, request.body.tasks)),
    );
    app.post(
      '/v1/batches/:batch_id/undo',
      route('undo_batch', 'Take back a bulk change of the last 24 hours', {
        params: Type.Object({ batch_id: id }),
        data: named(BatchOut),
      }),
      async (request) => ok(await batches.undo(callerOf(request), request.params.batch_id)),
    );
  };
