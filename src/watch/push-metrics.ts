/** Pushes, by provider, by kind and by the word that came back. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { stopwatch } from '../lib/clock.ts';
import type { Gateway, Gateways, Provider } from '../push/gateway.ts';

export class PushMetrics {
  readonly #pushes: Counter<'provider' | 'kind' | 'result'>;
  readonly #durations: Histogram<'provider'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#pushes = new Counter({
      name: 'crescendo_pushes_total',
      help: 'Pushes that were handed to a provider, by what it made of them; one that is tried again counts again.',
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

  counted(provider: Provider, gateway: Gateway): Gateway {
    return {
      ...(gateway.isRefused && { isRefused: () => gateway.isRefused?.() ?? false }),
      room: () => gateway.room(),
      close: () => gateway.close(),
      send: async (push, signal) => {
        const elapsedMs = stopwatch();
        const result = await gateway.send(push, signal);
        this.#durations.observe({ provider }, elapsedMs() / 1_000);
        this.#pushes.inc({ provider, kind: push.kind, result: result.kind });
        return result;
      },
    };
  }
}

export function addGatewayState(registry: Registry, gateways: Gateways): void {
  const registers = [registry];
  const all = Object.entries(gateways) as [Provider, Gateway][];
  new Gauge({
    name: 'crescendo_push_room',
    help: 'How many more pushes would go out at once instead of waiting their turn.',
    labelNames: ['provider'],
    registers,
    collect() {
      for (const [provider, gateway] of all) this.set({ provider }, gateway.room());
    },
  });
  new Gauge({
    name: 'crescendo_push_refused',
    help: 'Whether a provider refuses our credentials, so that nothing is sent to it: 1 or 0.',
    labelNames: ['provider'],
    registers,
    collect() {
      for (const [provider, gateway] of all) {
        if (gateway.isRefused) this.set({ provider }, gateway.isRefused() ? 1 : 0);
      }
    },
  });
}
