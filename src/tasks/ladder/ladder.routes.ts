import type { Routes } from '../../http/app.ts';
import { callerOf } from '../../http/authentication.ts';
import { describeRoutes } from '../../http/describe-route.ts';
import { ok } from '../../http/envelope.ts';
import { named, Type } from '../../lib/schema.ts';
import { toForecastOut } from '../timeline/timeline.schemas.ts';
import type { ShownLadder } from './fit-ladder.ts';
import { HeadsUps, LadderChoice, LadderPreviewOut, LadderPreviewRequest, TaskLadderOut } from './ladder.schemas.ts';
import type { TaskLadderService } from './ladder.service.ts';

const route = describeRoutes('tasks');
const params = Type.Object({ task_id: Type.String({ format: 'uuid' }) });
const path = '/v1/tasks/:task_id/ladder';
const headsUpPath = '/v1/tasks/:task_id/heads-ups';

const toOut = (shown: ShownLadder) => ({ ...shown, fitted: [...shown.fitted] });

/** Registered after the timeline, which has the record of a forecast. */
export const taskLadderRoutes =
  (ladders: TaskLadderService): Routes =>
  (app) => {
    for (const schema of [TaskLadderOut, LadderChoice, LadderPreviewRequest, LadderPreviewOut, HeadsUps])
      app.addSchema(schema);

    app.get(
      path,
      route('read_task_ladder', 'Read which ladder a task has, and why', { params, data: named(TaskLadderOut) }),
      async (request) => ok(toOut(await ladders.get(callerOf(request), request.params.task_id))),
    );
    app.put(
      path,
      route('set_task_ladder', 'Choose the ladder of your task; it holds from the next nudge on', {
        params,
        body: named(LadderChoice),
        data: named(TaskLadderOut),
        refuses: ['not_allowed', 'task_closed'],
      }),
      async (request) => ok(toOut(await ladders.choose(callerOf(request), request.params.task_id, request.body))),
    );
    app.delete(
      path,
      route('unset_task_ladder', 'Let the label of your task or your default choose its ladder again', {
        params,
        data: named(TaskLadderOut),
        refuses: ['not_allowed', 'task_closed'],
      }),
      async (request) => ok(toOut(await ladders.unchoose(callerOf(request), request.params.task_id))),
    );
    app.post(
      `${path}/preview`,
      route('preview_task_ladder', 'List the nudges of your task as they would be with a ladder, without choosing it', {
        params,
        body: named(LadderPreviewRequest),
        data: named(LadderPreviewOut),
        refuses: ['not_allowed'],
      }),
      async (request) => {
        const { limit = 10, ...choice } = request.body;
        const { nudges, fitted } = await ladders.preview(callerOf(request), request.params.task_id, choice, limit);
        return ok({ nudges: nudges.map(toForecastOut), fitted: [...fitted] });
      },
    );

    app.get(
      headsUpPath,
      route('read_heads_ups', 'List the heads-ups of a task', { params, data: named(HeadsUps) }),
      async (request) => ok({ heads_ups: await ladders.getHeadsUps(callerOf(request), request.params.task_id) }),
    );
    app.put(
      headsUpPath,
      route('set_heads_ups', 'Choose all heads-ups of your task', {
        params,
        body: named(HeadsUps),
        data: named(HeadsUps),
        refuses: ['not_allowed', 'task_closed'],
      }),
      async (request) => {
        const { heads_ups } = request.body;
        return ok({ heads_ups: await ladders.setHeadsUps(callerOf(request), request.params.task_id, heads_ups) });
      },
    );
  };
