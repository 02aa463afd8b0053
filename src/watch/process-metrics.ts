/** Metrics of the process: memory, CPU, garbage collection and event loop delay. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from '../lib/clock.ts';
import { cachedFor } from './cached-for.ts';

let cachedRegistry: Registry | undefined;

/**
 * prom-client's default metrics, collected once even if the process runs several services. Its event loop lag
 * is removed: it never reports less than its own interval, and `EventLoopMetrics` measures the delay anyway.
 */
export function processRegistry(): Registry {
  if (cachedRegistry) return cachedRegistry;
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: UNUSED_MONITOR_INTERVAL_MS });
  for (const { name } of register.getMetricsAsArray()) {
    if (name.startsWith('nodejs_eventloop_lag')) register.removeSingleMetric(name);
  }
  cachedRegistry = register;
  return register;
}

/** prom-client's own event loop monitor keeps running. A long interval keeps it from waking the process often. */
const UNUSED_MONITOR_INTERVAL_MS = 60_000;

/** A constant metric whose labels describe this process, to be joined with other metrics. */
export function addInfo(registry: Registry, labels: Readonly<Record<'version' | 'role' | 'database', string>>): void {
  const info = new Gauge({
    name: 'crescendo_info',
    help: 'Always 1. The labels are the release, the role of the process and the database.',
    labelNames: ['version', 'role', 'database'],
    registers: [registry],
  });
  info.set(labels, 1);
}

const RESOLUTION_MS = 20;
const CACHE_MS = 10_000;

/** Delay of the event loop. A scrape reads the monitor and resets it. */
export class EventLoopMetrics {
  readonly #monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor(registry: Registry, clock: Clock) {
    this.#monitor.enable();
    const readDelays = cachedFor(clock, CACHE_MS, async () => this.#readDelays());
    new Gauge({
      name: 'crescendo_event_loop_delay_seconds',
      help: 'Event loop delay since the last scrape: p50, p99 and max.',
      labelNames: ['statistic'],
      registers: [registry],
      async collect() {
        for (const [statistic, seconds] of Object.entries((await readDelays()) ?? {})) this.set({ statistic }, seconds);
      },
    });
  }

  close(): void {
    this.#monitor.disable();
  }

  #readDelays() {
    const { count } = this.#monitor;
    const toDelaySeconds = (ns: number) => (count === 0 ? 0 : Math.max(0, ns / 1e9 - RESOLUTION_MS / 1_000));
    const [p50, p99] = [this.#monitor.percentile(50), this.#monitor.percentile(99)].map(toDelaySeconds);
    const delays = { p50: p50 ?? 0, p99: p99 ?? 0, max: toDelaySeconds(this.#monitor.max) };
    this.#monitor.reset();
    return delays;
  }
}
