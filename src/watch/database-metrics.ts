/** The shared commits of SQLite and the connection pool of PostgreSQL. */
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { Pool } from '../db/metrics.ts';

export class DatabaseMetrics {
  readonly #writers: Histogram;
  readonly #durations: Histogram;
  #pool: Pool | undefined;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#writers = new Histogram({
      name: 'crescendo_commit_units',
      help: 'SQLite: writers that shared one commit.',
      buckets: [1, 2, 5, 10, 50, 200],
      registers,
    });
    this.#durations = new Histogram({
      name: 'crescendo_commit_duration_seconds',
      help: 'SQLite: time until a commit was on disk. The process does nothing else during that time.',
      buckets: [0.0005, 0.002, 0.01, 0.05, 0.25, 1],
      registers,
    });
    this.#addPoolMetrics(registry);
  }

  recordCommit(writers: number, seconds: number): void {
    this.#writers.observe(writers);
    this.#durations.observe(seconds);
  }

  observePool(pool: Pool): void {
    this.#pool = pool;
  }

  #addPoolMetrics(registry: Registry): void {
    const registers = [registry];
    const findPool = () => this.#pool;
    new Gauge({
      name: 'crescendo_database_connections',
      help: 'PostgreSQL: connections of this process, busy or idle.',
      labelNames: ['state'],
      registers,
      collect() {
        const pool = findPool();
        if (!pool) return;
        this.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
        this.set({ state: 'idle' }, pool.idleCount);
      },
    });
    new Gauge({
      name: 'crescendo_database_waiting',
      help: 'PostgreSQL: callers that wait for a connection.',
      registers,
      collect() {
        const pool = findPool();
        if (pool) this.set(pool.waitingCount);
        else this.remove();
      },
    });
  }
}
