/**
 * The engine: sweep, dispatch and housekeeping, each in a loop of its own. It may run in any number
 * of processes on one PostgreSQL; none leads, and each takes what no other has in hand.
 *
 *              due                     outbox                      provider
 *   tasks ──── sweep ───▶ timeline, deliveries ──── dispatch ────▶ accepted, gone, …
 *     ▲   (one transaction)        │ pending ▲                        │
 *     │                            │         └──── retry, lease over ─┤
 *     └── next_fire_at moves on    └─ task dealt with: cancelled      └──▶ ledger ──▶ deliveries
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { isPostgres } from '../db/engine-of.ts';
import type { Database } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import type { Gateways } from '../push/gateway.ts';
import { Dispatch } from './dispatch.ts';
import { Housekeeping } from './housekeeping.ts';
import { Loop } from './loop.ts';
import { slicedPace, steadyPace } from './pace.ts';
import { SelfWatch } from './self-watch.ts';
import { findNextFireAt } from './sweep.store.ts';
import { type AroundSweep, Sweep } from './sweep.ts';

export interface EngineParts {
  readonly db: Kysely<Database>;
  /** What reminders live by. */
  readonly clock: Clock;
  /** What leases, retries and providers live by. */
  readonly wallClock: Clock;
  readonly gateways: Gateways;
  readonly logger: Logger;
  readonly aroundSweep?: AroundSweep | undefined;
}

/** A dead engine's deliveries are free again after this long; others find them at the latest one look later. */
const LEASE_MS = 8_000;
const SEND_WITHIN_MS = 6_000;
/** How long a wake-up may get lost before somebody looks anyway. */
export const LOOK_EVERY_MS = 2_000;
const KEEP_HOUSE_EVERY_MS = 600_000;
const CROWDED_PAUSE_MS = 20;

export class Engine {
  readonly #parts: EngineParts;
  readonly #sweep: Sweep;
  readonly #dispatch: Dispatch;
  readonly #sweeping: Loop;
  readonly #keepingHouse: Loop;
  readonly watch: SelfWatch;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    const { db, clock, wallClock, gateways, logger } = parts;
    const newPace = () => (isPostgres(db) ? steadyPace : slicedPace());
    const times = { leaseMs: LEASE_MS, sendWithinMs: SEND_WITHIN_MS, lookEveryMs: LOOK_EVERY_MS };
    const shared = { db, clock, wallClock, logger, ...times };
    this.watch = new SelfWatch(logger);
    this.#dispatch = new Dispatch(gateways, { ...shared, pace: newPace(), ledgerPace: newPace() });
    this.#sweep = new Sweep({ ...shared, pace: newPace(), dock: this.#dispatch, around: parts.aroundSweep });
    const loop = { clock, logger };
    this.#sweeping = new Loop({
      ...loop,
      name: 'sweep',
      lookEveryMs: LOOK_EVERY_MS,
      work: (signal) => this.#sweepAll(signal),
    });
    const housekeeping = new Housekeeping(db, wallClock);
    this.#keepingHouse = new Loop({
      ...{ ...loop, name: 'housekeeping', lookEveryMs: KEEP_HOUSE_EVERY_MS },
      work: async (signal) => {
        await housekeeping.runOnce(signal);
        return null;
      },
    });
  }

  start(): void {
    this.#dispatch.start();
    this.#sweeping.start();
    this.#keepingHouse.start();
  }

  /** Takes nothing new, and resolves when what is in flight is answered and written down. */
  async stop(): Promise<void> {
    await Promise.all([this.#sweeping.stop(), this.#keepingHouse.stop()]);
    await this.#dispatch.stop();
  }

  /** A task wants to be looked at then; without a moment, something may have moved. */
  wakeUp(at?: Date): void {
    this.#sweeping.ring(at);
    if (at === undefined) this.#dispatch.wakeUp();
  }

  /** Resolves when nothing is due and nothing is in flight. */
  async settled(): Promise<void> {
    for (let looks = 0; !this.#isIdle(); looks += 1) {
      // On SQLite it is a matter of turns of the event loop; on PostgreSQL looking all the time would take a core.
      await (looks < 100 ? new Promise(setImmediate) : delay(1));
    }
  }

  #isIdle(): boolean {
    return this.#sweeping.isIdle() && this.#keepingHouse.isIdle() && this.#dispatch.isIdle();
  }

  async #sweepAll(signal: AbortSignal): Promise<Date | null> {
    const { clock, db } = this.#parts;
    while (!signal.aborted) {
      const next = await findNextFireAt(db);
      if (!next || next > clock.now()) {
        this.watch.swept(clock.now(), 0, 0);
        return next;
      }
      const taken = await this.#sweep.runAll(signal, ({ lateMs, nudges }) =>
        this.watch.swept(clock.now(), lateMs, nudges),
      );
      // What is due and not to be had, another engine has in hand.
      if (taken === 0) await delay(CROWDED_PAUSE_MS);
    }
    return null;
  }
}
