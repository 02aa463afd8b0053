/** Pushes by provider, kind and result, and the state of each gateway. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { stopwatch } from '../lib/clock.ts';
import { type Gateway, type Gateways, type Provider, withSend } from '../push/gateway.ts';

export class PushMetrics {
  readonly #pushes: Counter<'provider' | 'kind' | 'result'>;
  readonly #durations: Histogram<'provider'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#pushes = new Counter({
      name: 'crescendo_pushes_total',
      help: 'Attempts to send a push, by result.',
      labelNames: ['provider', 'kind', 'result'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'crescendo_push_duration_seconds',
      help: 'How long a provider took to answer.',
      labelNames: ['provider'],
      buckets: [0.01, 0.05, 0.25, 1, 5],
      registers,
    });
  }

  measured(provider: Provider, gateway: Gateway): Gateway {
    return withSend(gateway, async (push, signal) => {
      const elapsedMs = stopwatch();
      const result = await gateway.send(push, signal);
      this.#durations.observe({ provider }, elapsedMs() / 1_000);
      this.#pushes.inc({ provider, kind: push.kind, result: result.kind });
      return result;
    });
  }
}

export function addGatewayState(registry: Registry, gateways: Gateways): void {
  const registers = [registry];
  const all = Object.entries(gateways) as [Provider, Gateway][];
  new Gauge({
    name: 'crescendo_push_room',
    help: 'How many more pushes would be sent at once instead of waiting in the queue.',
    labelNames: ['provider'],
    registers,
    collect() {
      for (const [provider, gateway] of all) this.set({ provider }, gateway.capacity());
    },
  });
  new Gauge({
    name: 'crescendo_push_refused',
    help: '1 while a provider refuses our credentials and nothing is sent to it, otherwise 0.',
    labelNames: ['provider'],
    registers,
    collect() {
      for (const [provider, gateway] of all) {
        if (gateway.isRefused) this.set({ provider }, gateway.isRefused() ? 1 : 0);
      }
    },
  });
}
