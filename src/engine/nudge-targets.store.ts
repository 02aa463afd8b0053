/** Reads whom a batch nudges, and where: the owners of its tasks with their devices, channels and Live Activities. */
import type { Selectable } from 'kysely';
import { prepared } from '../db/prepared.ts';
import { amongParameter, idsParameter } from '../db/rows.ts';
import type { Database, Db } from '../db/schema.ts';
import { PLAN_SETTINGS, type PlanSettings } from '../escalation/plan-settings.ts';

export type NudgedOwner = PlanSettings & {
  readonly id: string;
  readonly plan_version: number;
  readonly fallback_minutes: number;
  readonly display_name: string | null;
  /** Null if the owner was never nudged. */
  readonly booked_ms: number | null;
  readonly booked_at_ms: number | null;
};

/**
 * Locks the owners' booked time, in the order of their ids: a batch that nudges the same owner at the same time waits
 * for this one, and then starts from what this one has booked.
 */
export async function listOwners(trx: Db, ids: readonly string[]): Promise<NudgedOwner[]> {
  await lockedCounts(trx, idsParameter(trx, ids));
  return owners(trx, idsParameter(trx, ids));
}

const lockedCounts = prepared((trx, ids: unknown) =>
  trx
    .selectFrom('task_counts')
    .select('user_id')
    .where('user_id', ...amongParameter(trx, ids))
    .orderBy('user_id')
    .forUpdate(),
);

const owners = prepared((trx, ids: unknown) =>
  trx
    .selectFrom('users')
    .leftJoin('task_counts', 'task_counts.user_id', 'users.id')
    .select([
      'users.id',
      'users.plan_version',
      'users.fallback_minutes',
      'users.display_name',
      'task_counts.booked_ms',
      'task_counts.booked_at_ms',
      ...PLAN_SETTINGS,
    ])
    .where('users.id', ...amongParameter(trx, ids)),
);

const deviceColumns = [
  'id',
  'user_id',
  'platform',
  'token',
  'push_env',
  'keys',
  'start_token',
  'last_seen_at',
] as const;
export type Device = Pick<Selectable<Database['devices']>, (typeof deviceColumns)[number]>;

export const listValidDevices = (trx: Db, userIds: readonly string[]): Promise<Device[]> =>
  validDevices(trx, idsParameter(trx, userIds));

const validDevices = prepared((trx, userIds: unknown) =>
  trx
    .selectFrom('devices')
    .select(deviceColumns)
    .where('user_id', ...amongParameter(trx, userIds))
    .where('valid', '=', true),
);

export type Channel = Pick<
  Selectable<Database['channels']>,
  'id' | 'user_id' | 'provider' | 'server' | 'stages' | 'tier' | 'automatic' | 'last_mail_at'
>;

/** Channels that are confirmed, and neither switched off nor dead. */
export const listUsableChannels = (trx: Db, userIds: readonly string[]): Promise<Channel[]> =>
  usableChannels(trx, idsParameter(trx, userIds));

const usableChannels = prepared((trx, userIds: unknown) =>
  trx
    .selectFrom('channels')
    .select(['id', 'user_id', 'provider', 'server', 'stages', 'tier', 'automatic', 'last_mail_at'])
    .where('user_id', ...amongParameter(trx, userIds))
    .where('valid', '=', true)
    .where('verified_at', 'is not', null),
);

export type Activity = Selectable<Database['live_activities']>;

/** The Live Activities of these tasks that started at `since` or later and have not ended. */
export const listRunningActivities = (trx: Db, taskIds: readonly string[], since: Date): Promise<Activity[]> =>
  runningActivities(trx, idsParameter(trx, taskIds), since);

const runningActivities = prepared((trx, taskIds: unknown, since: Date) =>
  trx
    .selectFrom('live_activities')
    .selectAll()
    .where('task_id', ...amongParameter(trx, taskIds))
    .where('ended_at', 'is', null)
    .where('started_at', '>', since),
);
