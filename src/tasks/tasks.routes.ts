import type { App, Routes } from '../http/app.ts';
import { callerOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { checkOthers } from '../http/limit-costs.ts';
import { sendPaged } from '../http/streamed-answer.ts';
import type { ErrorCode } from '../lib/errors.ts';
import { instantOut, named, Type } from '../lib/schema.ts';
import { decodeTaskCursor, encodeTaskCursor } from './cursors.ts';
import { refuseFreeForm, understandingOf } from './task-input.ts';
import type { Task } from './task-state.ts';
import {
  MoveRequest,
  OccurrenceRequest,
  PreviewRequest,
  RingAnywayRequest,
  SnoozeRequest,
  TaskCreate,
  TaskDetailOut,
  TaskEdit,
  TaskEditOut,
  TaskOut,
  TaskUpdate,
  toDetail,
} from './tasks.schemas.ts';
import type { TasksService } from './tasks.service.ts';
import { shownFields } from './timeline/changes.ts';

const route = describeRoutes('tasks');
const costlyRoute = describeRoutes('tasks', { isCostly: true });
const params = Type.Object({ task_id: Type.String({ format: 'uuid' }) });
const taskOut = named(TaskOut);
const taskList = Type.Array(taskOut);

export const taskRoutes =
  (tasks: TasksService): Routes =>
  (app) => {
    for (const schema of [TaskCreate, TaskUpdate, OccurrenceRequest, SnoozeRequest, MoveRequest]) app.addSchema(schema);
    for (const schema of [RingAnywayRequest, PreviewRequest, TaskEdit, TaskOut, TaskDetailOut, TaskEditOut])
      app.addSchema(schema);
    addListRoute(app, tasks);
    addCreateAndEditRoutes(app, tasks);
    addCloseAndSnoozeRoutes(app, tasks);
    addEndSnoozeRoute(app, tasks);
    addMoveRoute(app, tasks);
    addPreviewRoute(app, tasks);
    addEditRoute(app, tasks);
    addEndAssignmentRoute(app, tasks);
    addRingAnywayRoutes(app, tasks);
    addRestoreRoute(app, tasks);
    for (const [name, summary, refuses] of SIMPLE_ACTIONS) addSimpleActionRoute(app, tasks, name, summary, refuses);
  };

function addListRoute(app: App, tasks: TasksService): void {
  app.get(
    '/v1/tasks',
    costlyRoute('list_tasks', 'List your tasks, the next due first', {
      querystring: Type.Object({
        status: Type.Optional(
          Type.String({
            maxLength: 100,
            description: 'A task status, or `pending`, `overdue` or `snoozed`. Any other value returns an empty list.',
          }),
        ),
        assigned: Type.Optional(
          Type.Boolean({ description: 'If true, list the tasks that you assigned to others instead of your own.' }),
        ),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 1000, description: 'Without a limit the answer has all tasks.' }),
        ),
        cursor: Type.Optional(
          Type.String({ maxLength: 200, description: 'The X-Next-Cursor header of the previous page.' }),
        ),
      }),
      data: taskList,
    }),
    async (request, reply) => {
      const { status, assigned = false, limit, cursor } = request.query;
      const after = cursor === undefined ? undefined : decodeTaskCursor(cursor);
      if (assigned) checkOthers(request);
      const list = await tasks.list(callerOf(request), { status, assigned, limit, after });
      if (list.next) reply.header('x-next-cursor', encodeTaskCursor(list.next));
      return sendPaged(request, reply, [{ pages: list.tasks, schema: taskList }], (rows) => ok(rows));
    },
  );
}

function addCreateAndEditRoutes(app: App, tasks: TasksService): void {
  app.post(
    '/v1/tasks',
    route('create_task', 'Create a task, or assign one to another person', {
      body: named(TaskCreate),
      data: taskOut,
      refuses: [
        'not_found',
        'not_allowed',
        'too_many_pending',
        'too_many_open_tasks',
        'too_many_tasks',
        'idempotency_key_reused',
      ],
      sends: ['X-Recurrence'],
    }),
    async (request, reply) => {
      const { kind = 'todo', has_time = false, mode = 'escalate', break_quiet_hours = false, ...rest } = request.body;
      if (request.headers.prefer === 'handling=strict') refuseFreeForm(rest.recurrence ?? null);
      const task = await tasks.create(callerOf(request), { ...rest, kind, has_time, mode, break_quiet_hours });
      return ok(withRecurrenceHeader(reply, task));
    },
  );
  app.get(
    '/v1/tasks/:task_id',
    route('read_task', 'Read a task in detail', { params, data: named(TaskDetailOut), sends: ['X-Recurrence'] }),
    async (request, reply) =>
      ok(toDetail(withRecurrenceHeader(reply, await tasks.get(callerOf(request), request.params.task_id)))),
  );
  app.patch(
    '/v1/tasks/:task_id',
    route('update_task', 'Change a task; omitted fields keep their values', {
      params,
      body: named(TaskUpdate),
      data: taskOut,
      refuses: ['not_allowed', 'task_closed'],
      sends: ['X-Recurrence'],
    }),
    async (request, reply) => {
      if (request.headers.prefer === 'handling=strict') refuseFreeForm(request.body.recurrence ?? null);
      return ok(
        withRecurrenceHeader(reply, await tasks.update(callerOf(request), request.params.task_id, request.body)),
      );
    },
  );
}

interface WithHeaders {
  header(name: string, value: string): unknown;
}

/** Tells the client that the task will not repeat, or not by all of the recurrence that was sent and is stored. */
function withRecurrenceHeader<T extends Pick<Task, 'recurrence'>>(reply: WithHeaders, task: T): T {
  const understanding = task.recurrence === null ? 'understood' : understandingOf(task.recurrence);
  if (understanding !== 'understood') reply.header('x-recurrence', understanding);
  return task;
}

const CLOSING_REFUSALS: readonly ErrorCode[] = ['not_allowed', 'task_closed', 'occurrence_passed'];

function addCloseAndSnoozeRoutes(app: App, tasks: TasksService): void {
  for (const [name, summary] of [
    ['complete', 'Complete a task, or its current occurrence'],
    ['skip', 'Skip a task, or its current occurrence, and record it as not done'],
  ] as const) {
    app.post(
      `/v1/tasks/:task_id/${name}`,
      route(`${name}_task`, summary, {
        params,
        body: named(OccurrenceRequest),
        data: taskOut,
        refuses: CLOSING_REFUSALS,
      }),
      async (request) => {
        const { occurrence_due_at: occurrenceDueAt } = request.body;
        return ok(await tasks.act(callerOf(request), request.params.task_id, { name, occurrenceDueAt }));
      },
    );
  }
  app.post(
    '/v1/tasks/:task_id/snooze',
    route('snooze_task', 'Snooze a task until an instant', {
      params,
      body: named(SnoozeRequest),
      data: taskOut,
      refuses: CLOSING_REFUSALS,
    }),
    async (request) => {
      const { until, occurrence_due_at: occurrenceDueAt } = request.body;
      return ok(await tasks.act(callerOf(request), request.params.task_id, { name: 'snooze', until, occurrenceDueAt }));
    },
  );
}

function addEndSnoozeRoute(app: App, tasks: TasksService): void {
  app.delete(
    '/v1/tasks/:task_id/snooze',
    route('end_snooze', 'Take back a snooze that still lasts', {
      params,
      data: taskOut,
      refuses: ['not_allowed', 'task_closed', 'task_not_accepted'],
    }),
    async (request) => ok(await tasks.endSnooze(callerOf(request), request.params.task_id)),
  );
}

function addMoveRoute(app: App, tasks: TasksService): void {
  app.post(
    '/v1/tasks/:task_id/move',
    route('move_task', 'Move the current occurrence of a task; later ones stay where the rule has them', {
      params,
      body: named(MoveRequest),
      data: taskOut,
      refuses: CLOSING_REFUSALS,
    }),
    async (request) => {
      const { occurrence_due_at: occurrenceDueAt, ...move } = request.body;
      return ok(await tasks.move(callerOf(request), request.params.task_id, { ...move, occurrenceDueAt }));
    },
  );
}

function addPreviewRoute(app: App, tasks: TasksService): void {
  app.post(
    '/v1/tasks/:task_id/preview',
    route('preview_task', 'List the next dates of a task as they would be after an edit, without making it', {
      params,
      body: named(PreviewRequest),
      data: Type.Array(instantOut, {
        maxItems: 5,
        description: 'The dates after the present one, if each is done when it is due.',
      }),
    }),
    async (request) => ok(await tasks.preview(callerOf(request), request.params.task_id, request.body)),
  );
}

function addEditRoute(app: App, tasks: TasksService): void {
  app.post(
    '/v1/tasks/:task_id/edit',
    route('edit_task', 'Change a task in one step, and read what was there before', {
      params,
      body: named(TaskEdit),
      data: named(TaskEditOut),
      refuses: ['not_allowed', 'task_closed'],
      sends: ['X-Recurrence'],
    }),
    async (request, reply) => {
      if (request.headers.prefer === 'handling=strict') refuseFreeForm(request.body.recurrence ?? null);
      const { task, replaced } = await tasks.edit(callerOf(request), request.params.task_id, request.body);
      return ok({ task: withRecurrenceHeader(reply, task), before: shownFields(replaced) });
    },
  );
}

function addEndAssignmentRoute(app: App, tasks: TasksService): void {
  app.delete(
    '/v1/tasks/:task_id/assigner',
    route('end_assignment', 'End the say of the person who assigned a task to you; the task stays yours', {
      params,
      data: taskOut,
      refuses: ['not_allowed', 'task_closed'],
    }),
    async (request) => ok(await tasks.endAssignment(callerOf(request), request.params.task_id)),
  );
}

const RING_REFUSALS: readonly ErrorCode[] = ['not_allowed', 'task_closed', 'task_not_accepted'];

function addRingAnywayRoutes(app: App, tasks: TasksService): void {
  const path = '/v1/tasks/:task_id/ring-anyway';
  app.post(
    path,
    route('ring_anyway', 'Let one nudge of your task pass quiet hours and pauses, at the moment you name', {
      params,
      body: named(RingAnywayRequest),
      data: taskOut,
      refuses: RING_REFUSALS,
    }),
    async (request) => ok(await tasks.ringAnyway(callerOf(request), request.params.task_id, request.body.at)),
  );
  app.delete(
    path,
    route('undo_ring_anyway', 'Let quiet hours and pauses hold that nudge of your task again', {
      params,
      data: taskOut,
      refuses: RING_REFUSALS,
    }),
    async (request) => ok(await tasks.ringAnyway(callerOf(request), request.params.task_id, null)),
  );
}

function addRestoreRoute(app: App, tasks: TasksService): void {
  app.post(
    '/v1/tasks/:task_id/timeline/:entry_id/restore',
    route('restore_task', 'Put back what an edit of your task replaced, up to 90 days later', {
      params: Type.Object({ ...params.properties, entry_id: Type.String({ format: 'uuid' }) }),
      data: taskOut,
      refuses: ['not_allowed', 'nothing_to_restore', 'task_closed'],
    }),
    async (request) => ok(await tasks.restore(callerOf(request), request.params.task_id, request.params.entry_id)),
  );
}

type SimpleAction = 'drop' | 'accept' | 'decline' | 'reopen';

const SIMPLE_ACTIONS: readonly [SimpleAction, string, readonly ErrorCode[]][] = [
  ['drop', 'Cancel a task without recording an outcome', ['not_allowed', 'task_closed']],
  ['accept', 'Accept a task that was assigned to you', ['not_allowed', 'task_closed']],
  ['decline', 'Decline a task that was assigned to you', ['not_allowed', 'task_closed']],
  [
    'reopen',
    'Undo the last complete, skip or drop of a task',
    ['not_allowed', 'nothing_to_reopen', 'too_many_open_tasks'],
  ],
];

function addSimpleActionRoute(
  app: App,
  tasks: TasksService,
  name: SimpleAction,
  summary: string,
  refuses: readonly ErrorCode[],
): void {
  app.post(
    `/v1/tasks/:task_id/${name}`,
    route(`${name}_task`, summary, { params, data: taskOut, refuses }),
    async (request) => ok(await tasks.act(callerOf(request), request.params.task_id, { name })),
  );
}
