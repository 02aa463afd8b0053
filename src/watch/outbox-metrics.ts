import { Gauge, type Registry } from 'prom-client';
import type { OutboxMonitor } from './outbox-monitor.ts';

type Waiting = Awaited<ReturnType<OutboxMonitor['list']>>;

/** `list` resolves with undefined if the database does not answer; then the series are absent. */
export function addOutboxMetrics(registry: Registry, list: () => Promise<Waiting | undefined>): void {
  const registers = [registry];
  new Gauge({
    name: 'crescendo_outbox_deliveries',
    help: 'Deliveries that wait: due now, or at a later time. Counted up to 10000.',
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
    help: 'How long the oldest due delivery has been waiting.',
    labelNames: ['provider'],
    registers,
    async collect() {
      const all = await list();
      this.reset();
      for (const { provider, waitSeconds } of all ?? []) this.set({ provider }, waitSeconds);
    },
  });
}
