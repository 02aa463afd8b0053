/**
 * Deletes expired rows, in small batches with pauses, so that no request waits for it: codes,
 * sessions, stored answers, deliveries, tombstones, outages, and billing events that never matched an account.
 * Never deletes a task, an outcome or a timeline: only their owner does.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { emptyLog } from '../db/empty-log.ts';
import type { Db } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import {
  deleteDeadDevices,
  deleteExpired,
  deleteExpiredMoveIns,
  deleteExpiredThrottles,
  deleteOldActivities,
  deleteOldChanges,
  deleteOldOutages,
  deleteOldRequestMessages,
  deleteRemovals,
  deleteSettledStandIns,
  deleteSilentProcesses,
  deleteUnknownBilling,
  sumUpDeliveries,
} from './housekeeping.store.ts';

const BATCH = 200;
const PAUSE_MS = 10;
/** A page of a file that waits takes as long to delete as this many rows. */
const ROWS_PER_PAGE = 10;
/** A stand-in is shown for a day who settled a task. */
const SETTLED_KEPT_MS = 86_400_000;
/** Longer than a Live Activity and the push that ends it can live. */
const ACTIVITY_KEPT_MS = 2 * 86_400_000;
/** A used code stays for a while, so that a second use is noticed and ends the connection. */
const CODE_KEPT_MS = 86_400_000;
/** A process that was killed is of interest to nobody after this. */
const PROCESS_KEPT_MS = 3_600_000;
/** Longer than people are told of an outage. */
const OUTAGE_KEPT_MS = 30 * 86_400_000;
/** A person of an outage takes as long to delete as this many rows. */
const ROWS_PER_PERSON = 20;
const KEPT_MS = 90 * 86_400_000;
/** Longer than a yearly subscription: its buyer may sign up as late as its renewal. */
const UNKNOWN_BILLING_KEPT_MS = 400 * 86_400_000;

/** `taskNow` is the time by the clock that stamps nudges and outcomes; it may run ahead of real time. */
type Chore = (db: Db, now: Date, limit: number, taskNow: Date) => Promise<number>;

const longAgo = (now: Date) => new Date(now.getTime() - KEPT_MS);

const CHORES: readonly Chore[] = [
  (db, now, limit) => deleteExpired(db, 'email_codes', now, limit),
  (db, now, limit) => deleteExpired(db, 'mfa_challenges', now, limit),
  (db, now, limit) => deleteExpired(db, 'sessions', now, limit),
  (db, now, limit) => deleteExpired(db, 'address_changes', now, limit),
  (db, now, limit) => deleteExpired(db, 'idempotency_keys', now, limit),
  (db, now, limit) => deleteExpired(db, 'connection_codes', new Date(now.getTime() - CODE_KEPT_MS), limit),
  (db, now, limit) => deleteExpired(db, 'connection_secrets', now, limit),
  deleteExpiredThrottles,
  async (db, now, limit) => ROWS_PER_PAGE * (await deleteExpiredMoveIns(db, now, limit / ROWS_PER_PAGE)),
  (db, now, limit) => sumUpDeliveries(db, longAgo(now), limit),
  (db, now, limit) => deleteRemovals(db, longAgo(now), limit),
  (db, now, limit) => deleteOldChanges(db, longAgo(now), limit),
  (db, _now, limit, taskNow) => deleteOldRequestMessages(db, longAgo(taskNow), limit),
  (db, now, limit) => deleteDeadDevices(db, longAgo(now), limit),
  (db, _now, limit, taskNow) => deleteSettledStandIns(db, new Date(taskNow.getTime() - SETTLED_KEPT_MS), limit),
  (db, now, limit) => deleteOldActivities(db, new Date(now.getTime() - ACTIVITY_KEPT_MS), limit),
  (db, now, limit) => deleteSilentProcesses(db, new Date(now.getTime() - PROCESS_KEPT_MS), limit),
  async (db, now, limit) => {
    const before = new Date(now.getTime() - OUTAGE_KEPT_MS);
    return ROWS_PER_PERSON * (await deleteOldOutages(db, before, limit / ROWS_PER_PERSON));
  },
  (db, now, limit) => deleteUnknownBilling(db, new Date(now.getTime() - UNKNOWN_BILLING_KEPT_MS), limit),
];

export class Housekeeping {
  readonly #db: Db;
  readonly #wallClock: Clock;
  readonly #clock: Clock;

  constructor(db: Db, wallClock: Clock, clock = wallClock) {
    this.#db = db;
    this.#wallClock = wallClock;
    this.#clock = clock;
  }

  /** Runs every chore until nothing is left to delete. Resolves with the number of deleted rows. On SQLite
   * it then empties the log, where deleted content stays the longest. */
  async runOnce(signal?: AbortSignal): Promise<number> {
    let deleted = 0;
    for (const chore of CHORES) {
      for (let last = BATCH; last >= BATCH && !signal?.aborted; ) {
        last = await chore(this.#db, this.#wallClock.now(), BATCH, this.#clock.now());
        deleted += last;
        if (last >= BATCH) await delay(PAUSE_MS);
      }
    }
    await emptyLog(this.#db);
    return deleted;
  }
}
