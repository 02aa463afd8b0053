/**
 * All metrics, in one registry. This file imports prom-client, so it is loaded only if metrics are enabled.
 */
import { Registry } from 'prom-client';
import type { Clock } from '../lib/clock.ts';
import type { Gateways } from '../push/gateway.ts';
import { cachedFor } from './cached-for.ts';
import { DatabaseMetrics } from './database-metrics.ts';
import { addEngineState, EngineMetrics } from './engine-metrics.ts';
import { MailMetrics } from './mail-metrics.ts';
import { addOutboxMetrics } from './outbox-metrics.ts';
import type { OutboxMonitor } from './outbox-monitor.ts';
import { addInfo, EventLoopMetrics, processRegistry } from './process-metrics.ts';
import { addGatewayState, PushMetrics } from './push-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';
import { addUnderstudyMetrics, type HeldSources } from './understudy-metrics.ts';

export interface MetricSources {
  readonly outbox: OutboxMonitor;
  readonly gateways: Gateways;
  readonly health: { lagSeconds(): Promise<number>; lastSweepAt(): Date | null };
  /** The service clock. */
  readonly clock: Clock;
  readonly held: HeldSources;
}

const CACHE_OUTBOX_MS = 10_000;
const CACHE_HELD_MS = 10_000;
const CACHE_LAG_MS = 1_000;

export class Metrics {
  readonly #registry = new Registry();
  readonly #wallClock: Clock;
  readonly requests = new RequestMetrics(this.#registry);
  readonly engine = new EngineMetrics(this.#registry);
  readonly pushes = new PushMetrics(this.#registry);
  readonly mails = new MailMetrics(this.#registry);
  readonly database = new DatabaseMetrics(this.#registry);
  readonly #eventLoop: EventLoopMetrics;

  constructor(wallClock: Clock, info: Parameters<typeof addInfo>[1]) {
    this.#wallClock = wallClock;
    addInfo(this.#registry, info);
    this.#eventLoop = new EventLoopMetrics(this.#registry, wallClock);
  }

  /** To be called once, when all sources exist. */
  observe({ outbox, gateways, health, clock, held }: MetricSources): void {
    const lagSeconds = cachedFor(this.#wallClock, CACHE_LAG_MS, () => health.lagSeconds());
    addEngineState(this.#registry, { lagSeconds, lastSweepAt: () => health.lastSweepAt(), clock });
    addGatewayState(this.#registry, gateways);
    const list = cachedFor(this.#wallClock, CACHE_OUTBOX_MS, () => outbox.list());
    // While the database does not answer, only the lag query waits for it, not the outbox queries too.
    addOutboxMetrics(this.#registry, async () => ((await lagSeconds()) === undefined ? undefined : list()));
    const read = cachedFor(this.#wallClock, CACHE_HELD_MS, held.read);
    addUnderstudyMetrics(this.#registry, {
      counts: held.counts,
      read: async () => ((await lagSeconds()) === undefined ? undefined : read()),
    });
  }

  close(): void {
    this.#eventLoop.close();
  }

  /** In Prometheus' text format. */
  read(): Promise<string> {
    return Registry.merge([this.#registry, processRegistry()]).metrics();
  }
}
