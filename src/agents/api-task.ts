/** A task as the API gives it to the tools, and what changes how a task is shown. */
import type { TimeContext } from './format-time.ts';
import type { Recurrence } from './recurrence-input.ts';
import type { ApiHeadsUp } from './shown-heads-ups.ts';
import type { ApiLadder } from './shown-ladder.ts';

/** The fields of an API task that the tools use. The fields of the search are missing if the token cannot read. */
export interface ApiTask {
  readonly id: string;
  readonly title: string;
  readonly notes: string | null;
  readonly kind: string;
  readonly due_at: string | null;
  readonly has_time: boolean;
  readonly mode: string;
  readonly status: string;
  readonly accepted_by_owner: boolean;
  readonly escalation_stage: number;
  readonly nudge_count: number;
  readonly next_fire_at: string | null;
  readonly completed_at: string | null;
  readonly skipped_at: string | null;
  readonly recurrence?: Recurrence | null;
  readonly lead_time_days?: number | null;
  readonly break_quiet_hours?: boolean;
  readonly deferred_until?: string | null;
  readonly max_stage?: number | null;
  readonly space_id?: string | null;
  readonly space_name?: string | null;
  readonly space_written_by?: Writer | null;
  /** The name of the person who assigned it. */
  readonly asked_by?: string | null;
  readonly written_by?: Writer;
  readonly notes_written_by?: Writer | null;
  readonly kind_written_by?: Writer;
  /** What holds its next nudge, where an answer is about this task alone. */
  readonly held?: Held;
  /** In such an answer too. */
  readonly ladder?: ApiLadder;
  /** All of them, where the answer knows more than the one of `lead_time_days`. */
  readonly heads_ups?: readonly ApiHeadsUp[];
}

export interface Writer {
  readonly kind: string;
  readonly name: string | null;
}

/** The user's settings and the token's limits that change how a task reminds. */
export interface ViewContext extends TimeContext {
  /** `22:00 to 07:00`, if the user has quiet hours and the token may read. */
  readonly quietHours: string | undefined;
  /** `09:00`: when all-day tasks remind, if the token may read. */
  readonly dayStart: string | undefined;
  /** The strongest stage that the token can bring about. */
  readonly ceiling: number | null;
}

export interface Held {
  readonly wanted_at: string;
  /** Empty for a token that cannot read. */
  readonly holds: readonly string[];
}
