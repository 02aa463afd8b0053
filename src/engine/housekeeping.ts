/**
 * Clears away what has had its day, in small batches with a pause between them, so that nobody
 * waits for it: spent codes, expired sessions, old answers, old deliveries, old tombstones, billing
 * events that never were anybody's. Never a task, an outcome or a timeline: those are their owner's to delete.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Database } from '../db/schema.ts';
import type { Clock } from '../lib/clock.ts';
import {
  deleteDeadDevices,
  deleteExpired,
  deleteOldActivities,
  deleteRemovals,
  deleteRestedThrottles,
  deleteUnknownBilling,
  sumUpDeliveries,
} from './housekeeping.store.ts';

const BATCH = 200;
const PAUSE_MS = 10;
/** Longer than a card and the end of it can live. */
const CARD_KEPT_MS = 2 * 86_400_000;
const KEPT_MS = 90 * 86_400_000;
/** Longer than a year's subscription: who bought before having an account may sign up as late as at its renewal. */
const UNKNOWN_BILLING_KEPT_MS = 400 * 86_400_000;

type Chore = (db: Kysely<Database>, now: Date, limit: number) => Promise<number>;

const longAgo = (now: Date) => new Date(now.getTime() - KEPT_MS);

const CHORES: readonly Chore[] = [
  (db, now, limit) => deleteExpired(db, 'email_codes', now, limit),
  (db, now, limit) => deleteExpired(db, 'mfa_challenges', now, limit),
  (db, now, limit) => deleteExpired(db, 'sessions', now, limit),
  (db, now, limit) => deleteExpired(db, 'idempotency_keys', now, limit),
  deleteRestedThrottles,
  (db, now, limit) => sumUpDeliveries(db, longAgo(now), limit),
  (db, now, limit) => deleteRemovals(db, longAgo(now), limit),
  (db, now, limit) => deleteDeadDevices(db, longAgo(now), limit),
  (db, now, limit) => deleteOldActivities(db, new Date(now.getTime() - CARD_KEPT_MS), limit),
  (db, now, limit) => deleteUnknownBilling(db, new Date(now.getTime() - UNKNOWN_BILLING_KEPT_MS), limit),
];

export class Housekeeping {
  readonly #db: Kysely<Database>;
  readonly #clock: Clock;

  constructor(db: Kysely<Database>, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Does every chore until there is nothing left of it; resolves with how many rows were cleared away. */
  async runOnce(signal?: AbortSignal): Promise<number> {
    let cleared = 0;
    for (const chore of CHORES) {
      for (let last = BATCH; last >= BATCH && !signal?.aborted; ) {
        last = await chore(this.#db, this.#clock.now(), BATCH);
        cleared += last;
        if (last >= BATCH) await delay(PAUSE_MS);
      }
    }
    return cleared;
  }
}
