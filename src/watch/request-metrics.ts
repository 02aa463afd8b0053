/**
 * Requests, by the pattern of their route and never by their address: a client can invent addresses
 * without end, and each would be a series for ever.
 */
import { Gauge, type Metric, type Registry } from 'prom-client';
import { Durations } from './durations.ts';

const UNKNOWN_ROUTE = 'unknown';
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export class RequestMetrics {
  readonly #durations = new Durations(
    'crescendo_http_request_duration_seconds',
    'How long requests took, from their head to the last byte of the answer.',
  );
  #inFlight = 0;

  constructor(registry: Registry) {
    registry.registerMetric(this.#durations as unknown as Metric);
    const inFlight = () => this.#inFlight;
    new Gauge({
      name: 'crescendo_http_requests_in_flight',
      help: 'Requests that are being answered at the moment.',
      registers: [registry],
      collect() {
        this.set(inFlight());
      },
    });
  }

  began(): void {
    this.#inFlight += 1;
  }

  ended(method: string, route: string, status: number, seconds: number): void {
    this.#inFlight -= 1;
    this.#durations.observe(METHODS.has(method) ? method : 'other', route || UNKNOWN_ROUTE, status, seconds);
  }
}
