/**
 * Everything that is counted, in one registry. This file brings in prom-client: it is loaded only
 * where somebody may ask for metrics.
 */
import { Registry } from 'prom-client';
import type { Clock } from '../lib/clock.ts';
import type { Gateways } from '../push/gateway.ts';
import { DatabaseMetrics } from './database-metrics.ts';
import { addEngineState, EngineMetrics } from './engine-metrics.ts';
import { keptFor } from './kept.ts';
import type { Outbox } from './outbox.ts';
import { addOutbox } from './outbox-metrics.ts';
import { addInfo, DelayMetrics, processRegistry } from './process-metrics.ts';
import { addGatewayState, PushMetrics } from './push-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';

export interface MetricSources {
  readonly outbox: Outbox;
  readonly gateways: Gateways;
  readonly health: { lagSeconds(): Promise<number>; lastSweepAt(): Date | null };
  /** What reminders live by. */
  readonly clock: Clock;
}

const KEEP_OUTBOX_MS = 10_000;
const KEEP_LAG_MS = 1_000;

export class Metrics {
  readonly #registry = new Registry();
  readonly #wallClock: Clock;
  readonly requests = new RequestMetrics(this.#registry);
  readonly engine = new EngineMetrics(this.#registry);
  readonly pushes = new PushMetrics(this.#registry);
  readonly database = new DatabaseMetrics(this.#registry);
  readonly #delays: DelayMetrics;

  constructor(wallClock: Clock, info: Parameters<typeof addInfo>[1]) {
    this.#wallClock = wallClock;
    addInfo(this.#registry, info);
    this.#delays = new DelayMetrics(this.#registry, wallClock);
  }

  /** To be called once, when all there is to look at exists. */
  lookAt({ outbox, gateways, health, clock }: MetricSources): void {
    const lagSeconds = keptFor(this.#wallClock, KEEP_LAG_MS, () => health.lagSeconds());
    addEngineState(this.#registry, { lagSeconds, lastSweepAt: () => health.lastSweepAt(), clock });
    addGatewayState(this.#registry, gateways);
    const list = keptFor(this.#wallClock, KEEP_OUTBOX_MS, () => outbox.list());
    // A database that has gone silent is waited for once, and not by everything that asks it.
    addOutbox(this.#registry, async () => ((await lagSeconds()) === undefined ? undefined : list()));
  }

  close(): void {
    this.#delays.close();
  }

  /** In Prometheus' text format. */
  read(): Promise<string> {
    return Registry.merge([this.#registry, processRegistry()]).metrics();
  }
}
