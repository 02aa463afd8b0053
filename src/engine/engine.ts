/**
 * The engine: sweep, messages about requests, dispatch, follow-ups, understudies, signs of life and housekeeping, each in a
 * loop of its own. Any number of processes may run it on one PostgreSQL. There is no leader: each engine claims only rows that no other has locked or leased.
 *
 *              due                     outbox                      provider
 *   tasks ──── sweep ───▶ timeline, deliveries ──── dispatch ────▶ accepted, gone, …
 *     ▲   (one transaction)        │ pending ▲                        │
 *     │                            │         └──── retry, lease over ─┤
 *     └── next_fire_at moves on    └─ task closed: cancelled          └──▶ result writer ──▶ deliveries
 *
 * `why-not-now.md` lists every mechanism that may delay a nudge, in the order in which they apply.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Db, isPostgres } from '../db/schema.ts';
import { SchemaWatch, type Work, whileTablesAreKnown } from '../db/schema-watch.ts';
import type { Slices } from '../follow-ups/follow-ups.ts';
import { FollowUps } from '../follow-ups/run-follow-ups.ts';
import { adaptiveBatchSize, fixedBatchSize, sliceOf } from '../lib/batch-size.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { Loop } from '../lib/loop.ts';
import { SignsOfLife } from '../outages/signs-of-life.ts';
import type { Gateways } from '../push/gateway.ts';
import { Holders } from '../understudies/holders.ts';
import { Understudies } from '../understudies/understudies.ts';
import { type UnderstudyCounts, UnderstudySender } from '../understudies/understudy-sender.ts';
import { Dispatch } from './dispatch.ts';
import { Housekeeping } from './housekeeping.ts';
import { LatenessMonitor } from './lateness-monitor.ts';
import { RequestSweep } from './request-sweep.ts';
import { SetBackClock } from './set-back-clock.ts';
import { findNextFireAt } from './sweep.store.ts';
import { type AddOwnChannels, type AroundSweep, Sweep } from './sweep.ts';

export interface EngineParts {
  readonly db: Db;
  /** The service's clock, for due times and nudges. */
  readonly clock: Clock;
  /** Real time, for leases, retries and providers. */
  readonly wallClock: Clock;
  readonly gateways: Gateways;
  /** How many deliveries an account may have per minute. */
  readonly deliveriesPerMinute: number;
  readonly addOwnChannels: AddOwnChannels;
  /** Do the rest of changes that are too large for one transaction. */
  readonly slices: Slices;
  /** By default it expects the tables of this release. */
  readonly schema?: SchemaWatch | undefined;
  readonly logger: Logger;
  readonly aroundSweep?: AroundSweep | undefined;
  /** How much faster the service's clock runs than real time. */
  readonly clockSpeed?: number | undefined;
  /** Names a task in messages that hide its title. */
  readonly codeOf?: ((taskId: string) => string) | undefined;
  /** How many messages were sent today within the budget of this name. */
  readonly countOfDay?: ((key: string) => Promise<number>) | undefined;
  /** Nobody with held messages is left longer than this without a look. Set by tests only. */
  readonly lookEveryMs?: number | undefined;
  /** Set by tests only. */
  readonly machineClock?: Clock | undefined;
  /** Set by tests only. */
  readonly followUps?: { readonly rows: number; readonly mayRun: () => boolean } | undefined;
}

/** The deliveries of an engine that died are free again after this long; others find them one check later at most. */
const LEASE_MS = 8_000;
const SEND_WITHIN_MS = 6_000;
/** The longest time without a check, because a wake-up can get lost. */
export const CHECK_EVERY_MS = 2_000;
const HOUSEKEEPING_EVERY_MS = 600_000;
const CONTENTION_DELAY_MS = 20;
/** On PostgreSQL. Planning 500 tasks at once would block the event loop for 25 ms. */
const ROWS_PER_SLICE = 100;

export class Engine {
  readonly #parts: EngineParts;
  readonly #sweep: Sweep;
  readonly #dispatch: Dispatch;
  readonly #sweeping: Loop;
  readonly #telling: Loop;
  readonly #followingUp: Loop;
  readonly #understudying: Loop;
  readonly #placing: Loop;
  readonly #living: Loop;
  readonly #housekeeping: Loop;
  readonly #holders: Holders;
  readonly #understudies: Understudies;
  readonly #sender: UnderstudySender;
  /** Of held messages, since the start. */
  readonly held: UnderstudyCounts = { placed: 0, moved: 0, cancelled: 0, sounded: 0, failed: 0 };
  readonly #setBackClock: SetBackClock;
  readonly #signsOfLife: SignsOfLife;
  readonly lateness: LatenessMonitor;

  constructor(parts: EngineParts) {
    this.#parts = parts;
    const { db, clock, wallClock, gateways, logger } = parts;
    const newBatchSize = () => (isPostgres(db) ? fixedBatchSize : adaptiveBatchSize());
    const times = { leaseMs: LEASE_MS, sendWithinMs: SEND_WITHIN_MS, checkEveryMs: CHECK_EVERY_MS };
    const schema = parts.schema ?? new SchemaWatch(logger);
    const { clockSpeed = 1, codeOf = () => '', countOfDay = async () => 0, lookEveryMs } = parts;
    const shared = { db, clock, wallClock, clockSpeed, schema, logger, ...times };
    this.lateness = new LatenessMonitor(logger);
    this.#setBackClock = new SetBackClock(db, clock, logger);
    this.#dispatch = new Dispatch(gateways, {
      ...shared,
      batchSize: newBatchSize(),
      resultBatchSize: newBatchSize(),
    });
    this.#sweep = new Sweep({
      ...shared,
      batchSize: newBatchSize(),
      deliveriesPerMinute: parts.deliveriesPerMinute,
      addOwnChannels: parts.addOwnChannels,
      dispatcher: this.#dispatch,
      around: parts.aroundSweep,
    });
    const loop = { clock, logger };
    const onKnownTables = (work: Work) => whileTablesAreKnown(schema, work);
    this.#sweeping = new Loop({
      ...loop,
      name: 'sweep',
      checkEveryMs: CHECK_EVERY_MS,
      work: onKnownTables((signal) => this.#sweepAll(signal)),
    });
    const requests = new RequestSweep({ ...shared, dispatcher: this.#dispatch, addOwnChannels: parts.addOwnChannels });
    this.#telling = new Loop({
      ...loop,
      name: 'requests',
      checkEveryMs: CHECK_EVERY_MS,
      work: onKnownTables((signal) => requests.runAll(signal)),
    });
    this.#signsOfLife = new SignsOfLife({ ...shared, machineClock: parts.machineClock });
    // A long sweep must not look like an outage.
    this.#living = new Loop({
      clock: wallClock,
      logger,
      name: 'signs of life',
      checkEveryMs: CHECK_EVERY_MS,
      work: onKnownTables(async () => {
        await this.#signsOfLife.show();
        return null;
      }),
    });
    const holding = { ...shared, gateways, counts: this.held };
    const isNudging = () => !this.#sweeping.isIdle();
    this.#holders = new Holders({ ...holding, countOfDay });
    this.#understudies = new Understudies({
      ...holding,
      holders: this.#holders,
      lookEveryMs,
      isNudging,
      onWish: () => this.#placing.wake(),
    });
    this.#sender = new UnderstudySender({
      ...holding,
      codeOf,
      onAnswered: () => this.#placing.wake(),
      isNudging,
      mayHold: async (wish) => {
        const mayHold = await this.#holders.mayHold(wish);
        if (!mayHold) this.noteChanges([wish.user_id]);
        return mayHold;
      },
      onTooFar: (server, userId, delayMs) => {
        this.#holders.noteTooFar(server, delayMs);
        this.noteChanges([userId]);
      },
      onUnfit: (channelId, userId) => {
        this.#holders.noteUnfit(channelId);
        this.noteChanges([userId]);
      },
    });
    this.#understudying = new Loop({
      ...loop,
      name: 'understudies',
      checkEveryMs: CHECK_EVERY_MS,
      work: onKnownTables((signal) => this.#understudies.runAll(signal)),
    });
    this.#placing = new Loop({
      clock: wallClock,
      logger,
      name: 'understudy sender',
      checkEveryMs: CHECK_EVERY_MS,
      work: onKnownTables((signal) => this.#sender.runAll(signal)),
    });
    const { slices, followUps: limits } = parts;
    const newSlice = () => (isPostgres(db) ? sliceOf(ROWS_PER_SLICE) : adaptiveBatchSize());
    const followUps = new FollowUps(db, slices, schema, () => (limits ? sliceOf(limits.rows) : newSlice()));
    this.#followingUp = new Loop({
      ...loop,
      name: 'follow-ups',
      checkEveryMs: CHECK_EVERY_MS,
      work: onKnownTables(async (signal) => {
        while (!signal.aborted && (limits?.mayRun() ?? true) && (await followUps.runOnce())) {
          // A slice may have planned a nudge for now.
          this.#sweeping.wake();
        }
        return null;
      }),
    });
    const housekeeping = new Housekeeping(db, wallClock, clock);
    this.#housekeeping = new Loop({
      ...loop,
      name: 'housekeeping',
      checkEveryMs: HOUSEKEEPING_EVERY_MS,
      work: onKnownTables(async (signal) => {
        await schema.check(db);
        if (!schema.isOutdated) await housekeeping.runOnce(signal);
        return null;
      }),
    });
  }

  start(): void {
    this.#dispatch.start();
    this.#sweeping.start();
    this.#telling.start();
    this.#followingUp.start();
    if (this.#holders.isOn) {
      this.#understudying.start();
      this.#placing.start();
    }
    this.#living.start();
    this.#housekeeping.start();
  }

  /** Claims nothing new. Resolves when every push in flight is answered and its result stored. */
  async stop(): Promise<void> {
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#sender.stop();
    await this.#dispatch.stop();
    await this.#signsOfLife.end();
  }

  /** Something of these people, or in these spaces, changed: what is held for them may have to. */
  noteChanges(ids: Iterable<string>): void {
    if (!this.#holders.isOn) return;
    this.#understudies.note(ids);
    this.#understudying.wake();
  }

  /** A task becomes due at `at`. Without `at`, the tasks, the outbox and the follow-ups are checked now. */
  wakeUp(at?: Date): void {
    this.#sweeping.wake(at);
    if (at !== undefined) return;
    this.#dispatch.wakeUp();
    this.#telling.wake();
    this.#followingUp.wake();
  }

  /** Resolves when nothing is due and nothing is in flight. */
  async settled(): Promise<void> {
    for (let checks = 0; !this.#isIdle(); checks += 1) {
      // SQLite needs a few event-loop turns; for PostgreSQL, polling without a pause would use a whole core.
      await (checks < 100 ? new Promise(setImmediate) : delay(1));
    }
  }

  #isIdle(): boolean {
    return this.#loops.every((loop) => loop.isIdle()) && this.#sender.isIdle && this.#dispatch.isIdle();
  }

  get #loops(): readonly Loop[] {
    return [
      this.#sweeping,
      this.#telling,
      this.#followingUp,
      this.#understudying,
      this.#placing,
      this.#living,
      this.#housekeeping,
    ];
  }

  async #sweepAll(signal: AbortSignal): Promise<Date | null> {
    const { clock, db } = this.#parts;
    await this.#setBackClock.correctPlans(signal);
    while (!signal.aborted) {
      // Before a sweep plans the nudges anew that are late after an outage.
      await this.#signsOfLife.show();
      const next = await findNextFireAt(db);
      if (!next || next > clock.now()) {
        this.lateness.swept(clock.now(), 0);
        return next;
      }
      const taken = await this.#sweep.runAll(signal, ({ lateMs }) => this.lateness.swept(clock.now(), lateMs));
      // Another engine has locked the tasks that are due but were not claimed.
      if (taken === 0) await delay(CONTENTION_DELAY_MS);
    }
    return null;
  }
}
