/** How the database copes: the shared commits of SQLite, the pool of PostgreSQL. */
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { DatabaseFigures, Pool } from '../db/figures.ts';

export class DatabaseMetrics implements DatabaseFigures {
  readonly #units: Histogram;
  readonly #durations: Histogram;
  #pool: Pool | undefined;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#units = new Histogram({
      name: 'crescendo_commit_units',
      help: 'SQLite: how many writers shared one commit.',
      buckets: [1, 2, 5, 10, 50, 200],
      registers,
    });
    this.#durations = new Histogram({
      name: 'crescendo_commit_duration_seconds',
      help: 'SQLite: how long the disk took to make a commit durable, during which the process did nothing else.',
      buckets: [0.0005, 0.002, 0.01, 0.05, 0.25, 1],
      registers,
    });
    this.#addPool(registry);
  }

  committed(units: number, seconds: number): void {
    this.#units.observe(units);
    this.#durations.observe(seconds);
  }

  pooled(pool: Pool): void {
    this.#pool = pool;
  }

  #addPool(registry: Registry): void {
    const registers = [registry];
    const findPool = () => this.#pool;
    new Gauge({
      name: 'crescendo_database_connections',
      help: 'PostgreSQL: connections of this process, by whether they are at work.',
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
      help: 'PostgreSQL: how many pieces of work wait for a connection.',
      registers,
      collect() {
        const pool = findPool();
        if (pool) this.set(pool.waitingCount);
        else this.remove();
      },
    });
  }
}
