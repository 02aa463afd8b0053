/** Tasks, what became of them, and what happened to them. */

export interface TasksTable {
  id: string;
  owner_id: string;
  assigner_id: string | null;
  space_id: string | null;
  title: string;
  notes: string | null;
  kind: string;
  due_at: Date | null;
  /** `due_at` as it was written, offset and all: the date of a task without a time is the one written there. */
  due_written: string | null;
  has_time: boolean;
  /** From when on the task is overdue: its time, or the end of its day in the owner's zone. */
  overdue_at: Date | null;
  /** JSON, letter for letter as it was sent. */
  recurrence: string | null;
  /** The wall-clock date-time that the rule is counted from. */
  series_first: string | null;
  occurrence_number: number;
  /** Creation, or the end of the previous occurrence. */
  occurrence_started_at: Date;
  lead_time_days: number | null;
  mode: string;
  break_quiet_hours: boolean;
  status: string;
  accepted_by_owner: boolean;
  deferred_until: Date | null;
  completed_at: Date | null;
  skipped_at: Date | null;
  closed_at: Date | null;
  /** JSON: what reopening would bring back. */
  undo: string | null;
  /** The ladder: when the run began, how many due nudges it has had, its last heads-up. */
  run_started_at: Date;
  step: number;
  heads_up_at: Date | null;
  escalation_stage: number;
  nudge_count: number;
  last_nudge_at: Date | null;
  next_fire_at: Date | null;
  /** When that nudge would come if nothing held it. */
  wanted_at: Date | null;
  /** The place in a list: open and dated, open and undated, closed; then by moment. */
  list_rank: number;
  list_key: number;
  /** The access token it was created with, which may be gone by now. */
  created_by_token: string | null;
  /** The strongest stage its nudges may reach; null for the whole ladder. */
  max_stage: number | null;
  created_at: Date;
  updated_at: Date;
  changed_at: Date;
}

export interface OutcomesTable {
  id: string;
  owner_id: string;
  task_id: string;
  title: string;
  occurrence_due_at: Date | null;
  outcome: string;
  /** From the beginning of the occurrence to its end. */
  seconds_taken: number;
  recorded_at: Date;
}

/** What a task that lived elsewhere was there, so that bringing it in again makes nothing twice. */
export interface TaskOriginsTable {
  owner_id: string;
  /** Its id there, or a hash of what it was known by. */
  origin: string;
  task_id: string;
}

/** Running sums, so that statistics cost the same however much lies behind them. */
export interface TaskCountsTable {
  user_id: string;
  open: number;
  done: number;
  skipped: number;
  nudges_sent: number;
  seconds_to_done: number;
}

/** Tasks that left a viewer's sight. The task may be gone altogether, so nothing refers to it. */
export interface TaskRemovalsTable {
  viewer_id: string;
  task_id: string;
  changed_at: Date;
}

/** What happened to a task, one row each; never changed afterwards, except that a nudge's result is summed up. */
export interface TimelineTable {
  id: string;
  task_id: string;
  owner_id: string;
  at: Date;
  kind: string;
  /** `owner` or `assigner`; null for what the service did by itself. */
  by: string | null;
  /** The access token through which it was done. */
  token_id: string | null;
  stage: number | null;
  /** The end of a snooze or a hold. */
  until: Date | null;
  /** What held a nudge, comma-separated. */
  holds: string | null;
  occurrence_due_at: Date | null;
  /** To how many devices a nudge went, and how many providers took it: filled when its deliveries are cleared away. */
  devices: number | null;
  devices_reached: number | null;
}
