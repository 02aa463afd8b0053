/** The deliberate breaks, by room. */
import type { RoomBreak } from './room-break.ts';
import { ACCOUNTS } from './rooms/accounts.ts';
import { ADMIN } from './rooms/admin.ts';
import { BILLING } from './rooms/billing.ts';
import { CHANNELS } from './rooms/channels.ts';
import { DELIVERIES } from './rooms/deliveries.ts';
import { DEVICES } from './rooms/devices.ts';
import { ENGINE } from './rooms/engine.ts';
import { FOLLOW_UPS } from './rooms/follow-ups.ts';
import { IDEMPOTENCY } from './rooms/idempotency.ts';
import { KEYS } from './rooms/keys.ts';
import { LADDERS } from './rooms/ladders.ts';
import { LIMITS } from './rooms/limits.ts';
import { LIVE } from './rooms/live.ts';
import { OUTBOUND } from './rooms/outbound.ts';
import { SPACES } from './rooms/spaces.ts';
import { TASKS } from './rooms/tasks.ts';

export const ROOMS: Readonly<Record<string, readonly RoomBreak[]>> = {
  'follow-ups': FOLLOW_UPS,
  idempotency: IDEMPOTENCY,
  ladders: LADDERS,
  live: LIVE,
  outbound: OUTBOUND,
  devices: DEVICES,
  limits: LIMITS,
  spaces: SPACES,
  accounts: ACCOUNTS,
  admin: ADMIN,
  billing: BILLING,
  keys: KEYS,
  engine: ENGINE,
  channels: CHANNELS,
  deliveries: DELIVERIES,
  tasks: TASKS,
};
