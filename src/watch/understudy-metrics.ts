/** Messages that providers hold in case the service falls silent. */
import { Counter, Gauge, type Registry } from 'prom-client';

interface HeldCounts {
  readonly people: readonly { readonly state: string; readonly people: number }[];
  readonly messages: number;
}

const EVENTS = ['placed', 'moved', 'cancelled', 'sounded', 'failed'] as const;

export interface HeldSources {
  /** What became of them since the start; undefined if this process has no engine. */
  readonly counts: Readonly<Record<(typeof EVENTS)[number], number>> | undefined;
  readonly read: () => Promise<HeldCounts>;
}

/** The states of people who have fewer messages than usual have a series from the start, for alarms. */
const STATES = ['held', 'one', 'none_left'];

/** `read` resolves with undefined if the database does not answer; then the gauges are absent. */
export function addUnderstudyMetrics(
  registry: Registry,
  { counts, read }: { counts: HeldSources['counts']; read: () => Promise<HeldCounts | undefined> },
): void {
  const registers = [registry];
  new Counter({
    name: 'crescendo_understudies_total',
    help: 'Messages held elsewhere: placed, moved, cancelled, sounded because the service was silent, or failed to be.',
    labelNames: ['event'],
    registers,
    collect() {
      this.reset();
      for (const event of counts ? EVENTS : []) this.inc({ event }, counts?.[event]);
    },
  });
  new Gauge({
    name: 'crescendo_understudies_held',
    help: 'Messages that are held elsewhere now. Counted up to 10000.',
    registers,
    async collect() {
      const now = await read();
      if (now) this.set(now.messages);
      else this.remove();
    },
  });
  new Gauge({
    name: 'crescendo_understudy_people',
    help: 'People by what is held for them. Counted up to 10000.',
    labelNames: ['state'],
    registers,
    async collect() {
      const now = await read();
      this.reset();
      for (const state of now ? STATES : []) {
        this.set({ state }, now?.people.find((one) => one.state === state)?.people ?? 0);
      }
    },
  });
}
