/** Calendar feeds. */

export interface CalendarTables {
  calendar_feeds: {
    user_id: string;
    token_hash: string;
    created_at: Date;
    /** To the minute. Shows the owner whether a calendar still reads the feed. */
    last_read_at: Date | null;
  };
}
