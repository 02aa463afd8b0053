/**
 * The single list of account settings that decide when nudges come.
 *
 * The planner's type has no other setting. All code that selects, copies or compares these settings
 * uses this list, so a setting added here is loaded everywhere a task is planned, and changing it
 * replans the account's tasks. That keeps `next_fire_at` correct.
 */
import type { Selectable } from 'kysely';
import type { UsersTable } from '../db/tables/accounts.ts';

export const PLAN_SETTINGS = [
  'timezone',
  'quiet_hours_start',
  'quiet_hours_end',
  'day_start',
  'pause_from',
  'pause_until',
  'keep_must_not_miss',
  'planned_pause_from',
  'planned_pause_until',
  'planned_keep_must_not_miss',
  'suspended_at',
  'ladders',
] as const satisfies readonly (keyof UsersTable)[];

/** Times of day are wall-clock times, "HH:MM". Quiet hours apply if both are set and differ. */
export type PlanSettings = Readonly<Pick<Selectable<UsersTable>, (typeof PLAN_SETTINGS)[number]>>;

/** Whether a change of settings can move a nudge. */
export const differsInPlan = (before: PlanSettings, after: PlanSettings): boolean =>
  PLAN_SETTINGS.some((name) => comparable(before[name]) !== comparable(after[name]));

const comparable = (setting: PlanSettings[keyof PlanSettings]) =>
  setting instanceof Date ? setting.getTime() : setting;
