/** Tasks, their outcomes and their timeline. */
import type { Generated } from 'kysely';

export interface TaskTables {
  tasks: {
    id: string;
    owner_id: string;
    assigner_id: string | null;
    space_id: string | null;
    title: string;
    notes: string | null;
    kind: string;
    due_at: Date | null;
    /** With a time: as the client sent it, with its offset. Without one: the day, at a time in the owner's zone. */
    due_written: string | null;
    has_time: boolean;
    /** When the task becomes overdue: its time, or the end of its day in the owner's zone. */
    overdue_at: Date | null;
    /** JSON, exactly as the client sent it. */
    recurrence: string | null;
    /** The wall-clock date-time from which the rule is counted. */
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
    /** JSON: the state that reopening restores. */
    undo: string | null;
    /** The number of the run, raised whenever one begins. What belongs to a run carries its number. */
    run: Generated<number>;
    /** The ladder: when the run started, how many due nudges it has had (`step`), until when heads-ups are done with. */
    run_started_at: Date;
    step: number;
    heads_up_at: Date | null;
    escalation_stage: number;
    nudge_count: number;
    last_nudge_at: Date | null;
    next_fire_at: Date | null;
    /** When the next nudge would come without a hold. */
    wanted_at: Date | null;
    /** The owner's `plan_version` by which the task was planned. Counts only while the task is open. */
    plan_version: Generated<number>;
    /** The position in a list: open with a date, open without one, closed (`list_rank`); then by time (`list_key`). */
    list_rank: number;
    list_key: number;
    /** The access token whose limit it counts for: that created it, or reopened it. It may have been deleted since. */
    created_by_token: string | null;
    /** The strongest stage its nudges may reach; null for the whole ladder. */
    max_stage: number | null;
    /** The shortest wait between its due nudges in minutes; null where no token has limited it. */
    shortest_wait: Generated<number | null>;
    /** JSON: the ladder chosen for the task, as it was sent. */
    ladder: Generated<string | null>;
    /** The label that chooses the ladder, if somebody else than the owner has changed `kind` since. */
    ladder_label: Generated<string | null>;
    /** JSON: heads-ups besides the one of `lead_time_days`. */
    heads_ups: Generated<string | null>;
    /** The nudge that is wanted at exactly this moment passes quiet hours and pauses. */
    rings_anyway_at: Generated<Date | null>;
    created_at: Date;
    updated_at: Date;
    changed_at: Date;
  };
  outcomes: {
    id: string;
    owner_id: string;
    task_id: string;
    title: string;
    occurrence_due_at: Date | null;
    outcome: string;
    /** From the start of the occurrence to its end. */
    seconds_taken: number;
    recorded_at: Date;
    /** How many occurrences came and passed while this one was open, and the due dates of the first and the last. */
    missed: Generated<number | null>;
    missed_from: Generated<Date | null>;
    missed_to: Generated<Date | null>;
  };
  /** Where an imported task came from, so that a repeated import creates no duplicate. */
  task_origins: {
    owner_id: string;
    /** Its id at the source, or a hash of what identified it there. */
    origin: string;
    task_id: string;
    /** The move from another app that brought it, while Undo can take it back. */
    move_in_id: Generated<string | null>;
    /** The mode that it had: it was overdue, so it gets no nudge before its owner decides. Null once that is settled. */
    undecided_mode: Generated<string | null>;
  };
  /** Who last wrote a text of a task. Text without a row is its owner's own, or imported. */
  text_writers: {
    task_id: string;
    /** `title`, `notes` or `kind`. */
    field: string;
    /** `owner` or `assigner`, whose account may have been deleted since. */
    by: string;
    /** The access token that was used. It may have been deleted since. */
    token_id: string | null;
  };
  /** Running sums, so that the cost of statistics does not grow with the number of tasks. */
  task_counts: {
    user_id: string;
    open: number;
    done: number;
    skipped: number;
    nudges_sent: number;
    seconds_to_done: number;
    /** Tasks, open and closed, that the account created or imported itself: others cannot fill its limit. */
    stored: Generated<number>;
    /** How much time the owner's deliveries have booked ahead, and when that was so, in real time: see `delivery-budget.ts`. */
    booked_ms: Generated<number>;
    booked_at_ms: Generated<number>;
  };
  /**
   * What requests add to the running sums of an account. Concurrent transactions on PostgreSQL use different rows. A
   * row alone means nothing and may be negative: the sum over all of them, and `task_counts`, counts.
   */
  task_count_shards: {
    user_id: string;
    shard: number;
    open: number;
    done: number;
    skipped: number;
    nudges_sent: number;
    seconds_to_done: number;
    stored: Generated<number>;
  };
  /** Tasks that a viewer can no longer see. No foreign key, because the task may have been deleted. */
  task_removals: {
    viewer_id: string;
    task_id: string;
    changed_at: Date;
  };
  /** One row per event of a task. Rows never change, except that a nudge's `devices` columns are filled in later. */
  timeline: {
    id: string;
    task_id: string;
    owner_id: string;
    at: Date;
    kind: string;
    /** `owner`, `assigner` or `stand_in`; null for an action of the service. */
    by: string | null;
    /** The stand-in who was told, or who acted. */
    person_id: Generated<string | null>;
    /** The access token that was used. */
    token_id: string | null;
    stage: number | null;
    /** The run that it happened in, or that it began; null for entries from before runs had numbers. */
    run: Generated<number | null>;
    /** The number of the nudge that it is, or is about. */
    nudge: Generated<number | null>;
    /** The end of a snooze or a hold. */
    until: Date | null;
    /** What held a nudge, comma-separated. */
    holds: string | null;
    occurrence_due_at: Date | null;
    /** The provider of the channel that an action came through, or that a nudge fell to. */
    via: string | null;
    /** Of a nudge that fell to the next tier: since when it was unanswered; null if the tier before it failed for good. */
    since: Date | null;
    /** How many devices and channels the nudge was sent to, and how many sends the provider accepted. Set by housekeeping. */
    devices: number | null;
    devices_reached: number | null;
    /** Why a nudge had neither a device nor a channel to go to. */
    unreached: Generated<string | null>;
    /** The fields that an edit changed, comma-separated. */
    fields: Generated<string | null>;
    /** Of missed occurrences: how many, from `occurrence_due_at` to `until`. */
    missed: Generated<number | null>;
    /** The bulk change that it belongs to. */
    batch_id: Generated<string | null>;
  };
  /** What an edit replaced, so that it can be put back. */
  task_changes: {
    /** The entry of the timeline. */
    entry_id: string;
    task_id: string;
    /** JSON: the replaced columns of the task. */
    before: string;
    changed_at: Date;
  };
  /**
   * Tells a person something about a request, once: a row per message. The engine turns a due row into deliveries, whose
   * `entry_id` is its id.
   */
  request_messages: {
    id: string;
    /** Null if it is about a stand-in. */
    task_id: string | null;
    stand_in_id: Generated<string | null>;
    recipient_id: string;
    /** Who asked, or who was asked. */
    other_id: string;
    kind: RequestMessageKind;
    /** Of `asked`: 0 for the first message, then the number of the repeat. */
    repeat: Generated<number>;
    /** When the engine looks at it next, by the service's clock; null once it was decided. */
    due_at: Date | null;
    /** When it became deliveries; null if it was not sent. */
    sent_at: Date | null;
    /** When the request was answered, taken back or given to somebody else: the message is not true any more. */
    settled_at: Date | null;
    created_at: Date;
  };
  /** Whom an owner has asked to be told if the owner does not react. It counts from `agreed_at` on. */
  stand_ins: {
    id: string;
    owner_id: string;
    person_id: string;
    /** A space of both. It ends when one of them leaves the space. */
    space_id: string;
    /** For one task, or one label; for everything if both are null. */
    task_id: string | null;
    label: string | null;
    /** Counted from 0, the first nudge at the due moment. Null, for one task only: the person is not told of it. */
    from_rung: number | null;
    /** The person agreed that what must not be missed passes their quiet hours. */
    passes_quiet_hours: boolean;
    asked_at: Date;
    agreed_at: Date | null;
  };
  /** The tasks that have reached a stand-in. A row of an earlier run shows nothing. */
  stand_in_tasks: {
    task_id: string;
    person_id: string;
    stand_in_id: string;
    run: number;
    occurrence_due_at: Date | null;
    /** Of the run: the first and the last nudge. */
    told_at: Date;
    last_told_at: Date;
    seen_at: Date | null;
    /** Nothing is sent to this person about the run until then. */
    snoozed_until: Date | null;
    settled_at: Date | null;
    settled_by: string | null;
    /** `done`, `skipped`, `dropped`, or another end of the run. */
    settled_how: string | null;
  };
}

/**
 * `unanswered`, `accepted`, `declined` and `done` go to the person who asked. `stand_in_asked` asks a person to be a
 * stand-in; `stand_in_agreed` tells the owner. `stand_in_done` says who settled a task:
 * to its owner, or to a stand-in who was told of it.
 */
export type RequestMessageKind =
  | 'asked'
  | 'unanswered'
  | 'accepted'
  | 'declined'
  | 'done'
  | 'stand_in_asked'
  | 'stand_in_agreed'
  | 'stand_in_done';
