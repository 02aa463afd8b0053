/** Apps that sync by CalDAV. */
import type { Generated } from 'kysely';

export interface CaldavTables {
  /** A task that an app has sent or deleted. */
  caldav_entries: {
    task_id: string;
    /** The owner of the task. */
    user_id: string;
    /** The last part of its address, which the app chose. */
    name: string;
    uid: string;
    /** JSON: what the task has no field for, and the lines of its fields. Null if an app only deleted it. */
    kept: string | null;
    kept_hash: string | null;
    /** An app has deleted the task after it was done, so apps do not see it while it is. */
    is_deleted: Generated<boolean>;
  };
  caldav_settings: {
    user_id: string;
    /** A task with a high priority must not be missed. */
    high_is_must_not_miss: boolean;
    /** How long after the due moment the alarm in the app rings; null for no alarm. */
    alarm_minutes: number | null;
  };
}
