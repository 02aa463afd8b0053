import type { Static } from 'typebox';
import type { App, Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { callerLeftSignal } from '../http/caller-left.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { chargeRows } from '../http/limit-costs.ts';
import { MAX_BYTES, named, Type } from '../lib/schema.ts';
import { acceptUploads, requireFile, UploadedFile } from './accept-uploads.ts';
import { MoveInOut, MoveInPreviewOut, MoveInStart, OverdueDecision, UndecidedTasks } from './move-in.schemas.ts';
import { contentsOf, type MoveInService, UNDO_MS } from './move-in.service.ts';
import type { MoveInOverdueService } from './move-in-overdue.service.ts';
import type { MoveInPreviewService } from './move-in-preview.service.ts';
import type { UploadSlots } from './upload-slots.ts';

const route = describeRoutes('account', { isCostly: true });
const FILE_LIMIT_BYTES = 50 * 1024 * 1024;
/** Storing a task costs as much as reading this many. */
const COST_OF_STORING = 5;

const params = Type.Object({ move_in_id: Type.String({ format: 'uuid' }) });

export interface MoveInServices {
  readonly previews: MoveInPreviewService;
  readonly moveIns: MoveInService;
  readonly overdue: MoveInOverdueService;
}

export const moveInRoutes =
  (services: MoveInServices, uploads: UploadSlots): Routes =>
  (app) => {
    for (const schema of [MoveInPreviewOut, MoveInStart, MoveInOut, UndecidedTasks, OverdueDecision])
      app.addSchema(schema);
    // Only this route reads its body as a file, so it has a Fastify context of its own.
    app.register(async (scope) => {
      acceptUploads(scope as App, uploads);
      scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, bytes: Buffer) =>
        bytes.length === 0 ? undefined : new UploadedFile(bytes, 'file'),
      );
      addPreview(scope as App, services.previews);
    });
    addImport(app, services.moveIns);
    addOverdue(app, services);
  };

function addPreview(app: App, previews: MoveInPreviewService): void {
  app.post(
    '/v1/move-in/preview',
    {
      ...route('preview_move_in', 'Preview what a file of another app would bring', {
        description:
          'Takes exports of Todoist, TickTick, Tasks.org, Google Tasks, Vikunja, Remember The Milk and this service, and ' +
          'iCalendar files, and recognises them by their content. Its tasks wait for an hour; nothing is imported yet.',
        querystring: Type.Object({
          name: Type.Optional(
            Type.String({
              maxLength: 300,
              default: '',
              description: 'The name of the file. Todoist names the project nowhere else.',
            }),
          ),
        }),
        body: {
          content: {
            'application/octet-stream': { schema: Type.Unsafe<unknown>({ [MAX_BYTES]: FILE_LIMIT_BYTES }) },
          },
        },
        data: named(MoveInPreviewOut),
        refuses: ['payload_too_large', 'request_in_progress', 'idempotency_key_spent', 'overloaded'],
      }),
      bodyLimit: FILE_LIMIT_BYTES,
    },
    async (request, reply) => {
      const file = requireFile(request.body);
      const { name = '' } = request.query;
      const run = async () => {
        const named = { name, bytes: file.takeBytes() };
        const preview = await previews.preview(sessionOf(request), named, callerLeftSignal(reply));
        chargeRows(request, preview.tasks);
        return preview;
      };
      return ok(await (request.uploadSlot?.use(run) ?? run()));
    },
  );
}

function addImport(app: App, moveIns: MoveInService): void {
  const toOut = (moveIn: Awaited<ReturnType<MoveInService['get']>>): Static<typeof MoveInOut> => {
    const { source, tasks } = contentsOf(moveIn);
    const { started_at } = moveIn;
    const canUndo = started_at !== null && moveIns.canUndo(moveIn);
    return {
      ...moveIn,
      state: moveIn.state === 'reading' ? 'preview' : moveIn.state,
      source,
      tasks,
      undo_until: canUndo ? new Date(started_at.getTime() + UNDO_MS) : null,
    };
  };
  app.get(
    '/v1/move-in',
    route('list_move_ins', 'List your latest imports from other apps, and how far they are', {
      data: Type.Array(named(MoveInOut)),
    }),
    async (request) => ok((await moveIns.list(sessionOf(request))).map(toOut)),
  );
  app.post(
    '/v1/move-in',
    route('start_move_in', 'Import what was previewed', {
      description: 'Returns at once. `GET /v1/move-in` says how far it is.',
      body: named(MoveInStart),
      data: named(MoveInOut),
      refuses: ['request_in_progress', 'too_many_open_tasks', 'too_many_tasks'],
    }),
    async (request) => {
      const { preview_id, which = 'open', labels = [], ladder = null } = request.body;
      const moveIn = await moveIns.start(sessionOf(request), preview_id, { which, labels, ladder }, request.ip);
      chargeRows(request, contentsOf(moveIn).tasks * COST_OF_STORING);
      return ok(toOut(moveIn));
    },
  );
  app.delete(
    '/v1/move-in/:move_in_id',
    route('undo_move_in', 'Take back an import of the last 24 hours, except what was changed since', {
      params,
      data: named(MoveInOut),
      refuses: ['nothing_to_reopen', 'request_in_progress'],
    }),
    async (request) => ok(toOut(await moveIns.undo(sessionOf(request), request.params.move_in_id, request.ip))),
  );
}

function addOverdue(app: App, { moveIns, overdue }: MoveInServices): void {
  app.get(
    '/v1/move-in/:move_in_id/overdue',
    route('list_undecided_tasks', 'List imported tasks that were overdue and wait for your decision', {
      params,
      data: named(UndecidedTasks),
    }),
    async (request) => {
      const { id } = await moveIns.get(sessionOf(request), request.params.move_in_id);
      const { tasks, has_more } = await overdue.list(id);
      chargeRows(request, tasks.length);
      return ok({ tasks: tasks.map((task) => ({ ...task, repeats: task.recurrence !== null })), has_more });
    },
  );
  app.post(
    '/v1/move-in/:move_in_id/overdue',
    route('decide_overdue_tasks', 'Decide about imported tasks that were overdue', {
      params,
      body: named(OverdueDecision),
      data: Type.Object({ decided: Type.Integer() }),
    }),
    async (request) => {
      const caller = sessionOf(request);
      const { id } = await moveIns.get(caller, request.params.move_in_id);
      const { decision, task_ids } = request.body;
      const ids = task_ids.map((taskId) => taskId.toLowerCase());
      const decided = await overdue.decide(caller, id, decision, ids);
      chargeRows(request, decided * COST_OF_STORING);
      return ok({ decided });
    },
  );
}
