/** The settings of an account by which imported tasks are planned, for tests of pure files. */
import type { Owner } from '../../src/tasks/tasks.store.ts';

export const importOwner = (changes: Partial<Owner> = {}): Owner => ({
  id: '00000000-0000-7000-8000-000000000001',
  timezone: 'UTC',
  quiet_hours_start: null,
  quiet_hours_end: null,
  day_start: '09:00',
  pause_from: null,
  pause_until: null,
  keep_must_not_miss: true,
  planned_pause_from: null,
  planned_pause_until: null,
  planned_keep_must_not_miss: null,
  suspended_at: null,
  ladders: null,
  plan_version: 1,
  ...changes,
});
