/** The deliberate breaks, by room. */
import type { RoomBreak } from './room-break.ts';
import { ACCOUNTS } from './rooms/accounts.ts';
import { ADMIN } from './rooms/admin.ts';
import { AGENTS } from './rooms/agents.ts';
import { ARCHIVE } from './rooms/archive.ts';
import { BILLING } from './rooms/billing.ts';
import { CALDAV } from './rooms/caldav.ts';
import { CALENDAR } from './rooms/calendar.ts';
import { CHANNELS } from './rooms/channels.ts';
import { CLI } from './rooms/cli.ts';
import { COMPOSE } from './rooms/compose.ts';
import { CONNECTIONS } from './rooms/connections.ts';
import { DB } from './rooms/db.ts';
import { DELIVERIES } from './rooms/deliveries.ts';
import { DEVICES } from './rooms/devices.ts';
import { ENGINE } from './rooms/engine.ts';
import { FALLS } from './rooms/falls.ts';
import { FOLLOW_UPS } from './rooms/follow-ups.ts';
import { HTTP } from './rooms/http.ts';
import { IDEMPOTENCY } from './rooms/idempotency.ts';
import { KEYS } from './rooms/keys.ts';
import { LADDERS } from './rooms/ladders.ts';
import { LIB } from './rooms/lib.ts';
import { LIMITS } from './rooms/limits.ts';
import { LINKS } from './rooms/links.ts';
import { LIVE } from './rooms/live.ts';
import { OUTAGES } from './rooms/outages.ts';
import { OUTBOUND } from './rooms/outbound.ts';
import { OUTBOX } from './rooms/outbox.ts';
import { PUSH } from './rooms/push.ts';
import { ROW_LOCKS } from './rooms/row-locks.ts';
import { SCHEMA } from './rooms/schema.ts';
import { SECOND_FACTOR } from './rooms/second-factor.ts';
import { SENDERS } from './rooms/senders.ts';
import { SHARED_TASKS } from './rooms/shared-tasks.ts';
import { SIGN_IN } from './rooms/sign-in.ts';
import { SIGN_UP } from './rooms/sign-up.ts';
import { SPACES } from './rooms/spaces.ts';
import { SWEEP } from './rooms/sweep.ts';
import { TASK_CHANGES } from './rooms/task-changes.ts';
import { TASKS } from './rooms/tasks.ts';
import { UNDERSTUDIES } from './rooms/understudies.ts';
import { VIEWERS } from './rooms/viewers.ts';
import { WATCH } from './rooms/watch.ts';
import { WEB } from './rooms/web.ts';
import { WEB_NUDGES } from './rooms/web-nudges.ts';
import { WEB_PAGES } from './rooms/web-pages.ts';

export const ROOMS: Readonly<Record<string, readonly RoomBreak[]>> = {
  'follow-ups': FOLLOW_UPS,
  idempotency: IDEMPOTENCY,
  ladders: LADDERS,
  live: LIVE,
  outbound: OUTBOUND,
  outbox: OUTBOX,
  devices: DEVICES,
  limits: LIMITS,
  spaces: SPACES,
  accounts: ACCOUNTS,
  admin: ADMIN,
  billing: BILLING,
  keys: KEYS,
  engine: [...ENGINE, ...SWEEP],
  channels: [...CHANNELS, ...LINKS],
  deliveries: [...DELIVERIES, ...FALLS],
  tasks: [...TASKS, ...TASK_CHANGES, ...VIEWERS],
  'shared-tasks': SHARED_TASKS,
  agents: AGENTS,
  archive: ARCHIVE,
  caldav: CALDAV,
  calendar: CALENDAR,
  cli: CLI,
  compose: COMPOSE,
  connections: CONNECTIONS,
  db: [...DB, ...SCHEMA],
  http: HTTP,
  lib: LIB,
  outages: OUTAGES,
  push: [...PUSH, ...SENDERS],
  'row-locks': ROW_LOCKS,
  'sign-in': [...SIGN_IN, ...SECOND_FACTOR, ...SIGN_UP],
  understudies: UNDERSTUDIES,
  watch: WATCH,
  web: [...WEB, ...WEB_PAGES, ...WEB_NUDGES],
};
