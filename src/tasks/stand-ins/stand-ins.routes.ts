import type { Routes } from '../../http/app.ts';
import { callerOf, sessionOf } from '../../http/authentication.ts';
import { describeRoutes } from '../../http/describe-route.ts';
import { ok } from '../../http/envelope.ts';
import { checkOthers } from '../../http/limit-costs.ts';
import { named, Type } from '../../lib/schema.ts';
import { OccurrenceRequest } from '../tasks.schemas.ts';
import { type ReachedTasksService, standInCaller } from './reached-tasks.service.ts';
import {
  AgreeRequest,
  StandInOut,
  StandInRequest,
  StandInSnooze,
  StandInTaskOut,
  TaskStandInOut,
} from './stand-ins.schemas.ts';
import type { StandInsService } from './stand-ins.service.ts';

const route = describeRoutes('stand-ins');
const costlyRoute = describeRoutes('stand-ins', { isCostly: true });
const params = Type.Object({ stand_in_id: Type.String({ format: 'uuid' }) });
const taskParams = Type.Object({ task_id: Type.String({ format: 'uuid' }) });

export const standInRoutes =
  (standIns: StandInsService, reached: ReachedTasksService): Routes =>
  (app) => {
    for (const schema of [StandInRequest, AgreeRequest, StandInOut, TaskStandInOut, StandInTaskOut, StandInSnooze])
      app.addSchema(schema);

    app.get(
      '/v1/stand-ins',
      costlyRoute('list_stand_ins', 'List who stands in for you, and whom you stand in for', {
        data: Type.Array(named(StandInOut)),
      }),
      async (request) => ok(await standIns.list(sessionOf(request))),
    );
    app.post(
      '/v1/stand-ins',
      route('ask_stand_in', 'Ask a person to be told if you do not react: for a task, a label or everything', {
        body: named(StandInRequest),
        data: named(StandInOut),
        refuses: ['not_found', 'not_allowed', 'too_many_stand_ins'],
      }),
      async (request) => ok(await standIns.ask(callerOf(request), request.body)),
    );
    app.delete(
      '/v1/stand-ins/:stand_in_id',
      route('end_stand_in', 'Decline, stop standing in, or end that somebody stands in for you', {
        params,
        data: Type.Null(),
        refuses: ['not_found'],
      }),
      async (request) => {
        await standIns.end(sessionOf(request), request.params.stand_in_id);
        return ok(null);
      },
    );
    app.post(
      '/v1/stand-ins/:stand_in_id/agree',
      route('agree_to_stand_in', 'Agree to stand in for the person who asked', {
        params,
        body: named(AgreeRequest),
        data: named(StandInOut),
        refuses: ['not_found', 'not_allowed'],
      }),
      async (request) => {
        const { passes_quiet_hours = false } = request.body;
        return ok(await standIns.agree(sessionOf(request), request.params.stand_in_id, passes_quiet_hours));
      },
    );
    app.get(
      '/v1/tasks/:task_id/stand-ins',
      route('list_stand_ins_of_task', 'List who is told of your task if you do not react, and how far that has come', {
        params: taskParams,
        data: Type.Array(named(TaskStandInOut)),
        refuses: ['not_found'],
      }),
      async (request) => ok(await reached.ofTask(callerOf(request), request.params.task_id)),
    );
    app.get(
      '/v1/stand-in/tasks',
      costlyRoute('list_stand_in_tasks', 'List the tasks that have reached you as a stand-in', {
        data: Type.Array(named(StandInTaskOut)),
      }),
      async (request) => {
        checkOthers(request);
        return ok(await reached.list(sessionOf(request).userId));
      },
    );
    app.get(
      '/v1/stand-in/tasks/:task_id',
      route('read_stand_in_task', 'Read a task that has reached you as a stand-in', {
        params: taskParams,
        data: named(StandInTaskOut),
        refuses: ['not_found'],
      }),
      async (request) => ok(await reached.get(sessionOf(request).userId, request.params.task_id)),
    );
    app.post(
      '/v1/stand-in/tasks/:task_id/complete',
      route('complete_as_stand_in', 'Complete the occurrence that has reached you, for its owner', {
        params: taskParams,
        body: named(OccurrenceRequest),
        data: named(StandInTaskOut),
        refuses: ['not_found', 'task_closed', 'occurrence_passed'],
      }),
      async (request) => {
        const caller = standInCaller(sessionOf(request).userId);
        return ok(await reached.complete(caller, request.params.task_id, request.body.occurrence_due_at));
      },
    );
    app.post(
      '/v1/stand-in/tasks/:task_id/reopen',
      route('reopen_as_stand_in', 'Take back your own Done, within a day', {
        params: taskParams,
        data: Type.Null(),
        refuses: ['not_found', 'nothing_to_reopen'],
      }),
      async (request) => {
        await reached.reopen(standInCaller(sessionOf(request).userId), request.params.task_id);
        return ok(null);
      },
    );
    app.post(
      '/v1/stand-in/tasks/:task_id/seen',
      route('see_as_stand_in', 'Say that you have seen it; the owner is shown when', {
        params: taskParams,
        data: named(StandInTaskOut),
        refuses: ['not_found'],
      }),
      async (request) => {
        const { userId } = sessionOf(request);
        await reached.seen(standInCaller(userId), request.params.task_id);
        return ok(await reached.get(userId, request.params.task_id));
      },
    );
    app.post(
      '/v1/stand-in/tasks/:task_id/snooze',
      route('snooze_as_stand_in', 'Be told nothing more of it until then; its owner is nudged as before', {
        params: taskParams,
        body: named(StandInSnooze),
        data: named(StandInTaskOut),
        refuses: ['not_found', 'task_closed', 'occurrence_passed'],
      }),
      async (request) => {
        const { userId } = sessionOf(request);
        const { until, occurrence_due_at } = request.body;
        await reached.snooze(standInCaller(userId), request.params.task_id, new Date(until), occurrence_due_at);
        return ok(await reached.get(userId, request.params.task_id));
      },
    );
  };
