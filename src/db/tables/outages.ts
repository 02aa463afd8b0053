/** Times in which no engine was alive. */

export interface OutageTables {
  outages: {
    id: string;
    /** The last sign of life before, and the first one after, by the service's clock. */
    started_at: Date;
    ended_at: Date;
    /** The same in real time. */
    real_started_at: Date;
    real_ended_at: Date;
    /** How many people had late nudges, and how many nudges were late. */
    people: number;
    nudges: number;
  };
  outage_people: {
    user_id: string;
    outage_id: string;
    nudges: number;
    /** When the person had read about it. */
    dismissed_at: Date | null;
  };
  /** The first late nudges of each person. */
  outage_nudges: {
    user_id: string;
    outage_id: string;
    task_id: string;
    planned_at: Date;
  };
}
