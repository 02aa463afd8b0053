/**
 * Notices that no engine was alive for a while. Each engine writes the same sign of life. The first one that finds an old
 * sign stores an outage, and which planned nudges are late by then; the others wait for it. It has to happen before a
 * sweep, which plans those nudges anew.
 *
 * A process that was suspended with its machine, or had no database, finds its own sign old. So does one whose clock was
 * set forward, and the nudges in between are late then, too. A clock that was set back is no outage.
 */
import { setImmediate } from 'node:timers/promises';
import { type Db, isPostgres } from '../db/schema.ts';
import { type SchemaWatch, TablesChangeError } from '../db/schema-watch.ts';
import { transact } from '../db/transact.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import {
  insertLateNudges,
  insertOutage,
  insertPeople,
  lockSign,
  renewSign,
  type Sign,
  storeSums,
} from './outages.store.ts';

interface SignsOfLifeParts {
  readonly db: Db;
  /** The service's clock. */
  readonly clock: Clock;
  /** Real time, which decides whether there was an outage. */
  readonly wallClock: Clock;
  readonly clockSpeed: number;
  /** Tells a process for how long it has shown no sign itself. Set by tests only. */
  readonly machineClock?: Clock | undefined;
  readonly schema: SchemaWatch;
  readonly logger: Logger;
}

const SIGN_EVERY_MS = 30_000;
/** Longer than any restart, or than a database needs to come back. */
const SILENT_MS = 300_000;
/** A nudge that comes within this is not late. */
const LATE_AFTER_MS = 60_000;
/** SQLite works in this thread: so many people take a few milliseconds. */
const [PEOPLE_AT_ONCE, PEOPLE_AT_ONCE_ON_POSTGRES] = [50, 5_000];
const EVER = new Date(0);
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

export class SignsOfLife {
  readonly #parts: SignsOfLifeParts;
  readonly #machineClock: Clock;
  #shownMs = Number.NEGATIVE_INFINITY;
  #showing: Promise<void> | undefined;

  constructor(parts: SignsOfLifeParts) {
    this.#parts = parts;
    this.#machineClock = parts.machineClock ?? systemClock();
  }

  /** Call this often, and before each sweep. It costs nothing unless the last sign is half a minute old. */
  async show(): Promise<void> {
    if (this.#hasShownWithin(SIGN_EVERY_MS)) return;
    this.#showing ??= this.#renew().finally(() => {
      this.#showing = undefined;
    });
    await this.#showing;
  }

  /** The last sign of an engine that stops, so that a short restart is short. */
  async end(): Promise<void> {
    const { db, schema } = this.#parts;
    if (schema.isOutdated || !this.#hasShownWithin(SILENT_MS)) return;
    // A database that does not answer must not keep the process from stopping.
    await renewSign(db, this.#newSign(), EVER).catch(() => undefined);
  }

  #hasShownWithin(ms: number): boolean {
    const silentMs = this.#machineClock.now().getTime() - this.#shownMs;
    return silentMs >= 0 && silentMs < ms;
  }

  #newSign(): Sign {
    return { at: this.#parts.clock.now(), realAt: this.#parts.wallClock.now() };
  }

  async #renew(): Promise<void> {
    const { db, logger } = this.#parts;
    const shownMs = this.#machineClock.now().getTime();
    const sign = this.#newSign();
    // An engine that was alive itself knows that there was no silence.
    const oldest = this.#hasShownWithin(SILENT_MS) ? EVER : new Date(sign.realAt.getTime() - SILENT_MS);
    try {
      if (!(await renewSign(db, sign, oldest))) await this.#noteSilence(sign, oldest);
    } catch (error) {
      // Nobody could sweep, either.
      if (error instanceof TablesChangeError || (error instanceof AppError && error.code === 'database_unavailable'))
        throw error;
      // Nudges must not wait for what is only told about them.
      logger.error({ err: error }, 'a sign of life could not be stored');
    }
    this.#shownMs = shownMs;
  }

  async #noteSilence(sign: Sign, oldest: Date): Promise<void> {
    const { db, schema, logger } = this.#parts;
    const outage = await transact(db, async (trx) => {
      await schema.hold(trx);
      const last = await lockSign(trx, sign);
      const isOutage = last.realAt < oldest && last.at < sign.at;
      const stored = isOutage ? await this.#store(trx, last, sign) : undefined;
      await renewSign(trx, sign, EVER);
      return stored;
    });
    if (outage) logger[outage.nudges > 0 ? 'warn' : 'info'](outage, 'no engine was alive for a while');
  }

  async #store(trx: Db, last: Sign, { at, realAt }: Sign) {
    const times = { started_at: last.at, ended_at: at, real_started_at: last.realAt, real_ended_at: realAt };
    const id = newId();
    await insertOutage(trx, { id, ...times, people: 0, nudges: 0 });
    const sums = await this.#storeLate(trx, id, new Date(at.getTime() - LATE_AFTER_MS * this.#parts.clockSpeed));
    await storeSums(trx, id, sums);
    return { started_at: last.at, ended_at: at, ...sums };
  }

  async #storeLate(trx: Db, id: string, before: Date): Promise<{ people: number; nudges: number }> {
    const limit = isPostgres(trx) ? PEOPLE_AT_ONCE_ON_POSTGRES : PEOPLE_AT_ONCE;
    const sums = { people: 0, nudges: 0 };
    for (let after = LOWEST_ID; ; ) {
      const people = await insertPeople(trx, id, before, after, limit);
      const ids = people.map(({ user_id }) => user_id).toSorted();
      if (ids.length > 0) await insertLateNudges(trx, id, before, ids);
      sums.people += ids.length;
      sums.nudges += people.reduce((sum, { nudges }) => sum + nudges, 0);
      if (ids.length < limit) return sums;
      after = ids.at(-1) ?? after;
      // Others are served between two parts.
      await setImmediate();
    }
  }
}
