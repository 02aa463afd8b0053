/**
 * Requests, labelled with the pattern of their route and never with their path: clients can invent any number
 * of paths, and each would become a permanent series.
 */
import { Gauge, type Metric, type Registry } from 'prom-client';
import { RequestHistogram } from './request-histogram.ts';

const UNKNOWN_ROUTE = 'unknown';
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export class RequestMetrics {
  readonly #durations = new RequestHistogram(
    'crescendo_http_request_duration_seconds',
    'Duration of requests, from their header to the last byte of the answer.',
  );
  #inFlight = 0;

  constructor(registry: Registry) {
    registry.registerMetric(this.#durations as unknown as Metric);
    const inFlight = () => this.#inFlight;
    new Gauge({
      name: 'crescendo_http_requests_in_flight',
      help: 'Requests in flight.',
      registers: [registry],
      collect() {
        this.set(inFlight());
      },
    });
  }

  started(): void {
    this.#inFlight += 1;
  }

  ended(method: string, route: string, status: number, seconds: number): void {
    this.#inFlight -= 1;
    this.#durations.observe(METHODS.has(method) ? method : 'other', route || UNKNOWN_ROUTE, status, seconds);
  }

  refused(method: string): void {
    this.started();
    this.ended(method, '', 503, 0);
  }
}
