/** What whoever runs the service sees of it: the part of the wiring that is about figures, traces and signs of life. */
import type { Kysely } from 'kysely';
import type { Database } from './db/schema.ts';
import type { Routes } from './http/app.ts';
import type { Health } from './http/health.ts';
import type { RequestWatch } from './http/request-watch.ts';
import { systemClock } from './lib/clock.ts';
import type { Mailer } from './lib/mailer.ts';
import type { Parts } from './parts.ts';
import type { Gateway, Gateways, Provider } from './push/gateway.ts';
import { Heartbeat } from './watch/heartbeat.ts';
import { metricsRoutes } from './watch/metrics.routes.ts';
import type { Metrics } from './watch/metrics.ts';
import { Outbox } from './watch/outbox.ts';
import { Rounds } from './watch/rounds.ts';
import { tracedGateway, tracedMailer, tracedSweep } from './watch/traced.ts';
import type { Tracing } from './watch/tracing.ts';

type Sweep = <T extends { taken: number; nudges: number; late: number; lateMs: number }>(
  sweep: () => Promise<T>,
) => Promise<T>;

export class Watch {
  readonly #parts: Parts;
  readonly #metrics: Metrics | undefined;
  readonly #tracing: Tracing | undefined;
  #rounds: Rounds | undefined;

  constructor(parts: Parts, metrics: Metrics | undefined, tracing: Tracing | undefined) {
    this.#parts = parts;
    this.#metrics = metrics;
    this.#tracing = tracing;
  }

  get requests(): RequestWatch {
    return { figures: this.#metrics?.requests, tracer: this.#tracing };
  }

  get database() {
    return { figures: this.#metrics?.database, tracer: this.#tracing };
  }

  get aroundSweep(): Sweep | undefined {
    const [metrics, tracing] = [this.#metrics, this.#tracing];
    const traced: Sweep = tracing ? tracedSweep(tracing) : (sweep) => sweep();
    if (!metrics) return tracing && traced;
    return (sweep) => metrics.engine.around(() => traced(sweep));
  }

  mailer(mailer: Mailer): Mailer {
    return this.#tracing ? tracedMailer(mailer, this.#tracing) : mailer;
  }

  gateways(gateways: Gateways): Gateways {
    const all = Object.entries(gateways) as [Provider, Gateway][];
    return Object.fromEntries(all.map(([provider, gateway]) => [provider, this.#watched(provider, gateway)]));
  }

  #watched(provider: Provider, gateway: Gateway): Gateway {
    const counted = this.#metrics?.pushes.counted(provider, gateway) ?? gateway;
    return this.#tracing ? tracedGateway(provider, counted, this.#tracing) : counted;
  }

  /** Once all there is to look at exists: the routes that tell of it. */
  lookAt(db: Kysely<Database>, gateways: Gateways, health: Health): Routes[] {
    const { config, clock, wallClock, logger, extra } = this.#parts;
    const { METRICS_TOKEN: token, HEARTBEAT_URL: url, ROLE } = config;
    const outbox = new Outbox(db, wallClock, logger);
    const heartbeat = url && new Heartbeat({ url, clock: wallClock, logger, judge: () => health.judge() });
    this.#rounds = new Rounds(extra?.roundsClock ?? systemClock(), logger, [
      ...(heartbeat ? [(stopped: AbortSignal) => heartbeat.beat(stopped)] : []),
      // Whoever sends is who can be blamed for what is not sent.
      ...(ROLE === 'api' ? [] : [() => outbox.look()]),
    ]);
    const metrics = this.#metrics;
    if (!metrics || !token) return [];
    metrics.lookAt({ outbox, gateways, health, clock });
    return [metricsRoutes(token, () => metrics.read())];
  }

  start(): void {
    this.#rounds?.start();
  }

  /** While what is looked at still exists. */
  async stop(): Promise<void> {
    await this.#rounds?.stop();
  }

  /** At the very end, so that the trace of the last request gets out too. */
  async close(): Promise<void> {
    this.#metrics?.close();
    await this.#tracing?.stop();
  }
}

/** Libraries are loaded where they are wanted: most who run the service for themselves want neither. */
export const openWatch = async (parts: Parts): Promise<Watch> =>
  new Watch(parts, await openMetrics(parts), await openTracing(parts));

async function openMetrics({ config, version, wallClock }: Parts): Promise<Metrics | undefined> {
  const { METRICS_TOKEN, ROLE: role, DATABASE_URL } = config;
  if (!METRICS_TOKEN) return undefined;
  const { Metrics } = await import('./watch/metrics.ts');
  return new Metrics(wallClock, { version, role, database: DATABASE_URL.engine });
}

async function openTracing({ config, version, logger }: Parts): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SERVICE_NAME: serviceName } = config;
  if (!endpoint) return undefined;
  const { Tracing } = await import('./watch/tracing.ts');
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio } = config;
  return new Tracing({ endpoint, serviceName, version, sampler, ratio, logger });
}
