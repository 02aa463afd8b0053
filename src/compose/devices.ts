/** Composes devices: registration, acknowledgements, test pushes and Live Activities. */

import { acknowledgementRoutes } from '../deliveries/acknowledgements.routes.ts';
import { AcknowledgementsService } from '../deliveries/acknowledgements.service.ts';
import { ActivitiesService } from '../devices/activities.service.ts';
import { deviceRoutes } from '../devices/devices.routes.ts';
import { DevicesService } from '../devices/devices.service.ts';
import { pushRoutes } from '../devices/push.routes.ts';
import { TestPushService } from '../devices/test-push.service.ts';
import type { Routes } from '../http/app.ts';
import type { SessionCaller } from '../lib/caller.ts';
import { named } from '../lib/schema.ts';
import { isRecentSignIn } from '../lib/session-lifetime.ts';
import { isAllowedEndpoint } from '../outbound/endpoint.ts';
import type { AccountNotices } from '../sign-in/account-notices.ts';
import type { WakeUp } from '../tasks/task-changes.ts';
import { TaskOut } from '../tasks/tasks.schemas.ts';
import type { TasksService } from '../tasks/tasks.service.ts';
import type { Parts, Shared } from './parts.ts';
import type { composePush } from './push.ts';

export function composeDevices(
  { config, clock, wallClock }: Parts,
  { db, throttle }: Pick<Shared, 'db' | 'throttle'>,
  { gateways, vapid }: ReturnType<typeof composePush>,
  tasks: TasksService,
  wakeUp: WakeUp,
  notices: AccountNotices,
): { readonly service: DevicesService; readonly testPush: TestPushService; readonly routes: Routes[] } {
  const rules = {
    isAllowedEndpoint: (endpoint: string) => isAllowedEndpoint(endpoint, config.WEB_PUSH_HOSTS),
    maxDevices: config.MAX_DEVICES_PER_ACCOUNT,
  };
  // A phone registers right after its sign-in. In an old session a new device is unusual, and its owner is told.
  const added = ({ userId, sessionId, provenAt }: SessionCaller, { client_name }: { client_name: string | null }) => {
    if (isRecentSignIn(provenAt, wallClock.now())) return;
    notices.send(userId, { kind: 'device_added', name: client_name }, sessionId);
  };
  const service = new DevicesService(db, wallClock, rules, () => wakeUp(), added);
  const testPush = new TestPushService(db, wallClock, gateways, (userId) =>
    throttle.enforce('testPushesPerAccount', userId),
  );
  const routes = [
    deviceRoutes(service),
    acknowledgementRoutes(new AcknowledgementsService(db, clock)),
    pushRoutes({
      testPush,
      activities: new ActivitiesService(db, wallClock, tasks, () => wakeUp()),
      taskSchema: named(TaskOut),
      vapidPublicKey: vapid?.publicKey ?? null,
    }),
  ];
  return { service, testPush, routes };
}
