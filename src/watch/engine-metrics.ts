/** Metrics of the engine: each batch of due tasks, and whether nudges are on time. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Clock, stopwatch } from '../lib/clock.ts';

interface Swept {
  readonly taken: number;
  readonly nudges: number;
  readonly late: number;
}

export class EngineMetrics {
  readonly #nudges: Counter;
  readonly #late: Counter;
  readonly #durations: Histogram;
  readonly #sizes: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#nudges = new Counter({
      name: 'crescendo_nudges_total',
      help: 'Nudges that became due and were recorded for sending.',
      registers,
    });
    this.#late = new Counter({
      name: 'crescendo_nudges_late_total',
      help: 'Nudges that were recorded more than ten seconds late.',
      registers,
    });
    this.#durations = new Histogram({
      name: 'crescendo_sweep_duration_seconds',
      help: 'Time to turn one batch of due tasks into nudges.',
      buckets: [0.002, 0.01, 0.05, 0.25, 1, 5],
      registers,
    });
    this.#sizes = new Histogram({
      name: 'crescendo_sweep_tasks',
      help: 'Due tasks in one batch.',
      buckets: [1, 10, 50, 100, 200, 500],
      registers,
    });
  }

  /** Runs one batch. An empty batch is not measured. */
  async measure<T extends Swept>(sweep: () => Promise<T>): Promise<T> {
    const elapsedMs = stopwatch();
    const swept = await sweep();
    if (swept.taken === 0) return swept;
    this.#durations.observe(elapsedMs() / 1_000);
    this.#sizes.observe(swept.taken);
    if (swept.nudges > 0) this.#nudges.inc(swept.nudges);
    if (swept.late > 0) this.#late.inc(swept.late);
    return swept;
  }
}

interface EngineState {
  /** Undefined if the database does not answer. */
  readonly lagSeconds: () => Promise<number | undefined>;
  /** Null if this process has no engine. */
  readonly lastSweepAt: () => Date | null;
  readonly clock: Clock;
}

/** The values that `/health` decides by. */
export function addEngineState(registry: Registry, { lagSeconds, lastSweepAt, clock }: EngineState): void {
  const registers = [registry];
  new Gauge({
    name: 'crescendo_database_up',
    help: '1 if the database answers, otherwise 0.',
    registers,
    async collect() {
      this.set((await lagSeconds()) === undefined ? 0 : 1);
    },
  });
  new Gauge({
    name: 'crescendo_engine_lag_seconds',
    help: 'How late the most overdue nudge of the whole installation is. Absent while the database does not answer.',
    registers,
    async collect() {
      this.reset();
      const lag = await lagSeconds();
      if (lag === undefined) this.remove();
      else this.set(lag);
    },
  });
  new Gauge({
    name: 'crescendo_engine_last_sweep_age_seconds',
    help: 'Time since the engine of this process last looked for due tasks. Absent if the process has no engine.',
    registers,
    collect() {
      const at = lastSweepAt();
      if (at === null) this.remove();
      else this.set(Math.max(0, clock.now().getTime() - at.getTime()) / 1_000);
    },
  });
}
