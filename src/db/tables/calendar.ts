/** Where calendars read. */

export interface CalendarFeedsTable {
  user_id: string;
  token_hash: string;
  created_at: Date;
  /** To the minute: for a person deciding whether anything still reads there. */
  last_read_at: Date | null;
}
