/** What the database tells of its own work, for whoever counts it. */
export interface DatabaseFigures {
  /** SQLite: so many units became durable with one commit. */
  committed(units: number, seconds: number): void;
  /** PostgreSQL: here is the pool, to be looked at whenever somebody asks. */
  pooled(pool: Pool): void;
}

export interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  /** Who waits for a connection. */
  readonly waitingCount: number;
}
