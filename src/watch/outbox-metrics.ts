import { Gauge, type Registry } from 'prom-client';
import type { Outbox } from './outbox.ts';

type Waiting = Awaited<ReturnType<Outbox['list']>>;

/** `list` resolves with undefined where the database does not answer; then the series are missing. */
export function addOutbox(registry: Registry, list: () => Promise<Waiting | undefined>): void {
  const registers = [registry];
  new Gauge({
    name: 'crescendo_outbox_deliveries',
    help: 'Deliveries that are due to be sent or wait for a later moment; counted up to 10000 and no further.',
    labelNames: ['provider', 'state'],
    registers,
    async collect() {
      const all = await list();
      this.reset();
      for (const { provider, due, later } of all ?? []) {
        this.set({ provider, state: 'due' }, due);
        this.set({ provider, state: 'later' }, later);
      }
    },
  });
  new Gauge({
    name: 'crescendo_outbox_wait_seconds',
    help: 'For how long the delivery that is next in line could have been sent.',
    labelNames: ['provider'],
    registers,
    async collect() {
      const all = await list();
      this.reset();
      for (const { provider, waitSeconds } of all ?? []) this.set({ provider }, waitSeconds);
    },
  });
}
