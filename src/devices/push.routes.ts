import type { TSchema } from 'typebox';
import type { Routes } from '../http/app.ts';
import { sessionOf } from '../http/authentication.ts';
import { describeRoutes } from '../http/describe-route.ts';
import { ok } from '../http/envelope.ts';
import { named, Type } from '../lib/schema.ts';
import type { ActivitiesService } from './activities.service.ts';
import { LaActivityToken, TestPushOut, VapidKeyOut } from './devices.schemas.ts';
import type { TestPushService } from './test-push.service.ts';

const route = describeRoutes('devices');

interface PushParts<T extends { id: string; owner_id: string; status: string }> {
  readonly testPush: TestPushService;
  readonly activities: ActivitiesService<T>;
  /** The schema of a task, defined by `tasks/`. */
  readonly taskSchema: TSchema;
  /** The key that a browser subscribes with; null if Web Push is not configured. */
  readonly vapidPublicKey: string | null;
}

export const pushRoutes =
  <T extends { id: string; owner_id: string; status: string }>(parts: PushParts<T>): Routes =>
  (app) => {
    for (const schema of [LaActivityToken, TestPushOut, VapidKeyOut]) app.addSchema(schema);
    app.post(
      '/v1/devices/test-push',
      route('test_push', 'Send a test push to each of your valid devices', {
        data: named(TestPushOut),
        refuses: ['too_many_requests'],
      }),
      async (request) => {
        const devices = await parts.testPush.send(sessionOf(request));
        return ok({ sent: devices.filter(({ status }) => status === 'sent').length, devices });
      },
    );
    app.get(
      '/v1/devices/vapid-key',
      route('read_vapid_key', 'Read the VAPID public key with which browsers subscribe', { data: named(VapidKeyOut) }),
      async () => ok({ public_key: parts.vapidPublicKey }),
    );
    app.post(
      '/v1/tasks/:task_id/la-token',
      route('report_activity', "Store the update token of a task's running Live Activity", {
        params: Type.Object({ task_id: Type.String({ format: 'uuid' }) }),
        body: named(LaActivityToken),
        data: parts.taskSchema,
        refuses: ['not_allowed'],
      }),
      async (request) => {
        const { task_id } = request.params;
        return ok(await parts.activities.report(sessionOf(request), task_id, request.body.la_update_token));
      },
    );
  };
