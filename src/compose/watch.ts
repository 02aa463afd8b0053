/** Composes what the operator observes: metrics, traces, the heartbeat and the checks that run every minute. */
import type { Db } from '../db/schema.ts';
import type { Routes } from '../http/app.ts';
import type { Health } from '../http/health.ts';
import type { RequestObservers } from '../http/observe-requests.ts';
import { systemClock } from '../lib/clock.ts';
import type { Loop } from '../lib/loop.ts';
import type { Mailer } from '../lib/mailer.ts';
import type { Gateway, Gateways, Provider } from '../push/gateway.ts';
import { Heartbeat } from '../watch/heartbeat.ts';
import { metricsRoutes } from '../watch/metrics.routes.ts';
import type { Metrics } from '../watch/metrics.ts';
import { minuteChecks } from '../watch/minute-checks.ts';
import { OutboxMonitor } from '../watch/outbox-monitor.ts';
import { tracedGateway, tracedMailer, tracedSweep } from '../watch/spans.ts';
import type { Tracing } from '../watch/tracing.ts';
import type { HeldSources } from '../watch/understudy-metrics.ts';
import type { Parts } from './parts.ts';

type Sweep = <T extends { taken: number; nudges: number; late: number; lateMs: number }>(
  sweep: () => Promise<T>,
) => Promise<T>;

export class Watch {
  readonly #parts: Parts;
  readonly #metrics: Metrics | undefined;
  readonly #tracing: Tracing | undefined;
  #checks: Loop | undefined;

  constructor(parts: Parts, metrics: Metrics | undefined, tracing: Tracing | undefined) {
    this.#parts = parts;
    this.#metrics = metrics;
    this.#tracing = tracing;
  }

  get requests(): RequestObservers {
    return { metrics: this.#metrics?.requests, tracer: this.#tracing };
  }

  get database() {
    return { metrics: this.#metrics?.database, tracer: this.#tracing };
  }

  get aroundSweep(): Sweep | undefined {
    const [metrics, tracing] = [this.#metrics, this.#tracing];
    const traced: Sweep = tracing ? tracedSweep(tracing) : (sweep) => sweep();
    if (!metrics) return tracing && traced;
    return (sweep) => metrics.engine.measure(() => traced(sweep));
  }

  mailer(mailer: Mailer): Mailer {
    const counted = this.#metrics?.mails.counted(mailer) ?? mailer;
    return this.#tracing ? tracedMailer(counted, this.#tracing) : counted;
  }

  gateways(gateways: Gateways): Gateways {
    const all = Object.entries(gateways) as [Provider, Gateway][];
    return Object.fromEntries(all.map(([provider, gateway]) => [provider, this.#instrument(provider, gateway)]));
  }

  #instrument(provider: Provider, gateway: Gateway): Gateway {
    const counted = this.#metrics?.pushes.measured(provider, gateway) ?? gateway;
    return this.#tracing ? tracedGateway(provider, counted, this.#tracing) : counted;
  }

  /** Sets up the checks and returns the metrics route. Called once the parts that they observe exist. */
  observe(db: Db, gateways: Gateways, health: Health, held: HeldSources): Routes[] {
    const { config, clock, wallClock, logger, extra } = this.#parts;
    const { METRICS_TOKEN: token, HEARTBEAT_URL: url, ROLE } = config;
    const outbox = new OutboxMonitor(db, wallClock, logger, Object.keys(gateways));
    const heartbeat = url && new Heartbeat({ url, logger, checkHealth: () => health.check() });
    const checks = [
      ...(heartbeat ? [(stopped: AbortSignal) => heartbeat.beat(stopped)] : []),
      // A process without an engine sends nothing, so it cannot tell why deliveries wait.
      ...(ROLE === 'api' ? [] : [() => outbox.check()]),
    ];
    if (checks.length > 0) this.#checks = minuteChecks(extra?.checksClock ?? systemClock(), logger, checks);
    const metrics = this.#metrics;
    if (!metrics || !token) return [];
    metrics.observe({ outbox, gateways, health, clock, held });
    return [metricsRoutes(token, () => metrics.read())];
  }

  start(): void {
    this.#checks?.start();
  }

  /** Called before the parts that the checks observe are closed. */
  async stop(): Promise<void> {
    await this.#checks?.stop();
  }

  /** Called last, so that the trace of the last request is still exported. */
  async close(): Promise<void> {
    this.#metrics?.close();
    await this.#tracing?.stop();
  }
}

/** The libraries are loaded only if configured: most self-hosted services use neither. */
export const openWatch = async (parts: Parts): Promise<Watch> =>
  new Watch(parts, await openMetrics(parts), await openTracing(parts));

async function openMetrics({ config, version, wallClock }: Parts): Promise<Metrics | undefined> {
  const { METRICS_TOKEN, ROLE: role, DATABASE_URL } = config;
  if (!METRICS_TOKEN) return undefined;
  const { Metrics } = await import('../watch/metrics.ts');
  return new Metrics(wallClock, { version, role, database: DATABASE_URL.engine });
}

async function openTracing({ config, version, logger }: Parts): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = config;
  if (!endpoint) return undefined;
  const { Tracing } = await import('../watch/tracing.ts');
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = config;
  return new Tracing({ endpoint, serviceName, version, sampler, ratio, logger });
}
