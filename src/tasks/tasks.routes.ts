import { Type } from 'typebox';
import type { App, Routes } from '../http/app.ts';
import { callerOf } from '../http/authentication.ts';
import { envelopeOf, ok } from '../http/envelope.ts';
import type { ErrorCode } from '../lib/errors.ts';
import { named } from '../lib/schema.ts';
import { cursorAfter, readCursor } from './list-cursor.ts';
import {
  OccurrenceRequest,
  SnoozeRequest,
  TaskCreate,
  TaskDetailOut,
  TaskOut,
  TaskUpdate,
  toDetail,
} from './tasks.schemas.ts';
import type { TasksService } from './tasks.service.ts';

const tags = ['tasks'];
const params = Type.Object({ task_id: Type.String({ format: 'uuid' }) });
const lean = { 200: envelopeOf(named(TaskOut)) };

export const taskRoutes =
  (tasks: TasksService): Routes =>
  (app) => {
    for (const schema of [TaskCreate, TaskUpdate, OccurrenceRequest, SnoozeRequest]) app.addSchema(schema);
    for (const schema of [TaskOut, TaskDetailOut]) app.addSchema(schema);
    addList(app, tasks);
    addCreateAndEdit(app, tasks);
    addClosing(app, tasks);
    for (const [name, summary, refuses] of SIMPLE_ACTIONS) addSimpleAction(app, tasks, name, summary, refuses);
  };

function addList(app: App, tasks: TasksService): void {
  app.get(
    '/v1/tasks',
    {
      schema: {
        ...{ operationId: 'list_tasks', tags, summary: 'List your tasks by their next moment of interest' },
        querystring: Type.Object({
          status: Type.Optional(
            Type.String({
              description: 'A status, or `pending`, `overdue`, `snoozed`; any other gives an empty list.',
            }),
          ),
          assigned: Type.Optional(Type.Boolean({ description: 'Those you assigned to others instead.' })),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
          cursor: Type.Optional(Type.String({ maxLength: 200, description: 'From the header X-Next-Cursor.' })),
        }),
        response: { 200: envelopeOf(Type.Array(named(TaskOut))) },
      },
    },
    async (request, reply) => {
      const { status, assigned = false, limit, cursor } = request.query;
      const after = cursor === undefined ? undefined : readCursor(cursor);
      const page = await tasks.list(callerOf(request), { status, assigned, limit, after });
      const last = page.at(-1);
      if (limit !== undefined && page.length === limit && last) reply.header('x-next-cursor', cursorAfter(last));
      return ok(page);
    },
  );
}

function addCreateAndEdit(app: App, tasks: TasksService): void {
  app.post(
    '/v1/tasks',
    {
      config: {
        refuses: ['not_found', 'not_allowed', 'too_many_pending', 'too_many_open_tasks', 'idempotency_key_reused'],
      },
      schema: {
        ...{ operationId: 'create_task', tags, summary: 'Create a task, or ask another person to take it' },
        body: named(TaskCreate),
        response: lean,
      },
    },
    async (request) => {
      const { kind = 'todo', has_time = false, mode = 'escalate', break_quiet_hours = false, ...rest } = request.body;
      return ok(await tasks.create(callerOf(request), { ...rest, kind, has_time, mode, break_quiet_hours }));
    },
  );
  app.get(
    '/v1/tasks/:task_id',
    {
      schema: {
        ...{ operationId: 'read_task', tags, summary: 'Read one task in full' },
        params,
        response: { 200: envelopeOf(named(TaskDetailOut)) },
      },
    },
    async (request) => ok(toDetail(await tasks.get(callerOf(request), request.params.task_id))),
  );
  app.patch(
    '/v1/tasks/:task_id',
    {
      config: { refuses: ['not_allowed', 'task_closed'] },
      schema: {
        ...{ operationId: 'update_task', tags, summary: 'Change a task; what is left out stays' },
        params,
        body: named(TaskUpdate),
        response: lean,
      },
    },
    async (request) => ok(await tasks.update(callerOf(request), request.params.task_id, request.body)),
  );
}

const CLOSING: readonly ErrorCode[] = ['not_allowed', 'task_closed', 'occurrence_passed'];

function addClosing(app: App, tasks: TasksService): void {
  for (const [name, summary] of [
    ['complete', 'Complete the task, or this occurrence of it'],
    ['skip', 'Close it without doing it, as an honest miss'],
  ] as const) {
    app.post(
      `/v1/tasks/:task_id/${name}`,
      {
        config: { refuses: CLOSING },
        schema: { operationId: `${name}_task`, tags, summary, params, body: named(OccurrenceRequest), response: lean },
      },
      async (request) => {
        const { occurrence_due_at: occurrenceDueAt } = request.body;
        return ok(await tasks.act(callerOf(request), request.params.task_id, { name, occurrenceDueAt }));
      },
    );
  }
  app.post(
    '/v1/tasks/:task_id/snooze',
    {
      config: { refuses: CLOSING },
      schema: {
        ...{ operationId: 'snooze_task', tags, summary: 'Defer the task until an instant' },
        params,
        body: named(SnoozeRequest),
        response: lean,
      },
    },
    async (request) => {
      const { until, occurrence_due_at: occurrenceDueAt } = request.body;
      return ok(await tasks.act(callerOf(request), request.params.task_id, { name: 'snooze', until, occurrenceDueAt }));
    },
  );
}

type SimpleAction = 'drop' | 'accept' | 'decline' | 'reopen';

const SIMPLE_ACTIONS: readonly [SimpleAction, string, readonly ErrorCode[]][] = [
  ['drop', 'Cancel the task and record nothing', ['not_allowed', 'task_closed']],
  ['accept', 'Accept a task that was assigned to you', ['not_allowed', 'task_closed']],
  ['decline', 'Decline a task that was assigned to you', ['not_allowed', 'task_closed']],
  ['reopen', 'Take back the last complete, skip or drop', ['not_allowed', 'nothing_to_reopen', 'too_many_open_tasks']],
];

function addSimpleAction(
  app: App,
  tasks: TasksService,
  name: SimpleAction,
  summary: string,
  refuses: readonly ErrorCode[],
): void {
  app.post(
    `/v1/tasks/:task_id/${name}`,
    { config: { refuses }, schema: { operationId: `${name}_task`, tags, summary, params, response: lean } },
    async (request) => ok(await tasks.act(callerOf(request), request.params.task_id, { name })),
  );
}
