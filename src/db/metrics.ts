/** What the database layer reports about its own work. The metrics of `watch` implement it. */
export interface DatabaseMetrics {
  /** SQLite: this many writers shared one commit. */
  recordCommit(writers: number, seconds: number): void;
  /** PostgreSQL: the connection pool, to be read at every scrape. */
  observePool(pool: Pool): void;
}

export interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  /** How many callers wait for a connection. */
  readonly waitingCount: number;
  /** How many statements wait for each connection. */
  readonly waitingPerConnection: number;
}
