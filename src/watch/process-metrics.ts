/** The process itself: memory, CPU, garbage collection, and how late its event loop is. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from '../lib/clock.ts';
import { keptFor } from './kept.ts';

let ofThisProcess: Registry | undefined;

/**
 * What prom-client brings, gathered once however many services a process holds. Its own measure of
 * the event loop is left out: it never reads less than its interval, and ours is measured anyway.
 */
export function processRegistry(): Registry {
  if (ofThisProcess) return ofThisProcess;
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: LONGEST_INTERVAL_MS });
  for (const { name } of register.getMetricsAsArray()) {
    if (name.startsWith('nodejs_eventloop_lag')) register.removeSingleMetric(name);
  }
  ofThisProcess = register;
  return register;
}

/** So that what is left out at least hardly ever wakes the process. */
const LONGEST_INTERVAL_MS = 60_000;

/** Which release this is, as the value of nothing: to be joined with whatever changed when it came. */
export function addInfo(registry: Registry, labels: Readonly<Record<'version' | 'role' | 'database', string>>): void {
  const info = new Gauge({
    name: 'crescendo_info',
    help: 'Always 1: the release, what this process does, and where its data lies.',
    labelNames: ['version', 'role', 'database'],
    registers: [registry],
  });
  info.set(labels, 1);
}

const RESOLUTION_MS = 20;
const KEEP_MS = 10_000;

/**
 * Measured apart from what turns requests away: that one forgets twice a second, and Node cannot add
 * up two such measurements.
 */
export class DelayMetrics {
  readonly #monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor(registry: Registry, clock: Clock) {
    this.#monitor.enable();
    const read = keptFor(clock, KEEP_MS, async () => this.#read());
    new Gauge({
      name: 'crescendo_event_loop_delay_seconds',
      help: 'How late the event loop was since the last scrape: half of the time, in the worst hundredth, at worst.',
      labelNames: ['quantile'],
      registers: [registry],
      async collect() {
        for (const [quantile, seconds] of Object.entries((await read()) ?? {})) this.set({ quantile }, seconds);
      },
    });
  }

  close(): void {
    this.#monitor.disable();
  }

  #read() {
    const { count } = this.#monitor;
    const late = (ns: number) => (count === 0 ? 0 : Math.max(0, ns / 1e9 - RESOLUTION_MS / 1_000));
    const [p50, p99] = [this.#monitor.percentile(50), this.#monitor.percentile(99)].map(late);
    const read = { p50: p50 ?? 0, p99: p99 ?? 0, max: late(this.#monitor.max) };
    this.#monitor.reset();
    return read;
  }
}
