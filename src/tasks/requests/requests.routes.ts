import type { Routes } from '../../http/app.ts';
import { sessionOf } from '../../http/authentication.ts';
import { describeRoutes } from '../../http/describe-route.ts';
import { ok } from '../../http/envelope.ts';
import { checkOthers } from '../../http/limit-costs.ts';
import { named, Type } from '../../lib/schema.ts';
import { TaskDetailOut, toDetail } from '../tasks.schemas.ts';
import type { TasksService } from '../tasks.service.ts';
import { AskRequest, RequestMessages, RequestOut } from './requests.schemas.ts';
import type { RequestsService } from './requests.service.ts';

const route = describeRoutes('tasks');
const costlyRoute = describeRoutes('tasks', { isCostly: true });
const account = describeRoutes('account');

export const requestRoutes =
  (requests: RequestsService, tasks: TasksService): Routes =>
  (app) => {
    for (const schema of [RequestOut, AskRequest, RequestMessages]) app.addSchema(schema);
    app.get(
      '/v1/requests',
      costlyRoute('list_requests', 'List the requests that wait for an answer, to you and from you', {
        data: Type.Array(named(RequestOut)),
      }),
      async (request) => {
        checkOthers(request);
        return ok(await requests.list(sessionOf(request)));
      },
    );
    app.post(
      '/v1/tasks/:task_id/ask',
      route('ask_other', 'Take a request back and ask another member of the space, or do it yourself', {
        params: Type.Object({ task_id: Type.String({ format: 'uuid' }) }),
        body: named(AskRequest),
        data: named(TaskDetailOut),
        refuses: [
          'not_found',
          'not_allowed',
          'task_closed',
          'task_not_pending',
          'too_many_pending',
          'too_many_open_tasks',
          'too_many_tasks',
        ],
      }),
      async (request) =>
        ok(toDetail(await tasks.ask(sessionOf(request), request.params.task_id, request.body.owner_id))),
    );
    app.get(
      '/v1/me/request-messages',
      account('read_request_messages', 'Read whether messages about requests are sent to you', {
        data: named(RequestMessages),
      }),
      async (request) => ok({ enabled: await requests.getSwitch(sessionOf(request)) }),
    );
    app.put(
      '/v1/me/request-messages',
      account('set_request_messages', 'Switch messages about requests on or off', {
        body: named(RequestMessages),
        data: named(RequestMessages),
      }),
      async (request) => {
        await requests.setSwitch(sessionOf(request), request.body.enabled);
        return ok({ enabled: request.body.enabled });
      },
    );
  };
