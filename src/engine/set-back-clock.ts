/**
 * Notices that the machine's clock was set back, and plans the tasks again that the clock's error had moved.
 * Small corrections are ignored: they delay a nudge by no more than the correction.
 *
 * Other processes follow the database's clock up to a minute later (ADR 34). What they start meanwhile begins in the future
 * as well, so the tasks are looked at once more after that. If the clock was set back while this process was down, it does
 * not notice, and only what the others wrote shows it.
 */
import type { Db } from '../db/schema.ts';
import { announce, transact } from '../db/transact.ts';
import { afterSetBack } from '../escalation/after-set-back.ts';
import { planNudge } from '../escalation/plan-nudge.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { toNudgeTask } from '../tasks/plan-task.ts';
import { audienceOf } from '../tasks/visibility.ts';
import { findNewestEntryAt, listPage, lockMovedTask, storeCorrection } from './set-back-clock.store.ts';

const TOLERANCE_MS = 30_000;
/** Every process has read the database's clock by then. */
const FOLLOWED_AFTER_MS = 75_000;

export class SetBackClock {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Undefined before the first check. */
  #latestMs: number | undefined;
  #againAtMs = Number.POSITIVE_INFINITY;
  #wasSetBack = false;

  constructor(db: Db, clock: Clock, logger: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Call this regularly. Does nothing unless the clock shows an earlier time than before, or than before a restart. */
  async correctPlans(signal: AbortSignal): Promise<void> {
    const isFirst = this.#latestMs === undefined;
    // The clock may have been set back while the service was stopped.
    this.#latestMs ??= (await this.#findNewestMs()) ?? Number.NEGATIVE_INFINITY;
    const now = this.#clock.now();
    if (isFirst) this.#againAtMs = now.getTime() + FOLLOWED_AFTER_MS;
    const byMs = this.#latestMs - now.getTime();
    this.#latestMs = Math.max(this.#latestMs, now.getTime());
    if (byMs > TOLERANCE_MS) {
      const tasks = await this.#correctFrom(now, now, signal);
      if (signal.aborted) return;
      this.#latestMs = now.getTime();
      this.#againAtMs = now.getTime() + FOLLOWED_AFTER_MS;
      this.#wasSetBack = true;
      const seconds = Math.round(byMs / 1_000);
      this.#logger.warn({ seconds, tasks }, 'the clock was set back; tasks it had moved are planned again');
    } else if (now.getTime() >= this.#againAtMs) {
      // A process that is in step may be a little ahead.
      const latest = new Date(now.getTime() + TOLERANCE_MS);
      const isAhead = this.#wasSetBack || ((await this.#findNewestMs()) ?? 0) > latest.getTime();
      const tasks = isAhead ? await this.#correctFrom(latest, now, signal) : 0;
      if (signal.aborted) return;
      this.#againAtMs = Number.POSITIVE_INFINITY;
      this.#wasSetBack = false;
      if (tasks > 0) this.#logger.warn({ tasks }, 'tasks of a process that followed the clock later are planned again');
    }
  }

  async #findNewestMs(): Promise<number | undefined> {
    return (await findNewestEntryAt(this.#db))?.getTime();
  }

  /** Corrects the tasks with traces after `latest`. Returns how many there were. */
  async #correctFrom(latest: Date, now: Date, signal: AbortSignal): Promise<number> {
    let corrected = 0;
    for (let after: string | undefined = ''; after !== undefined && !signal.aborted; ) {
      const page = await listPage(this.#db, after, latest);
      for (const id of page.movedIds) corrected += await this.#correct(id, now);
      after = page.lastId;
    }
    return corrected;
  }

  async #correct(id: string, now: Date): Promise<number> {
    return transact(this.#db, async (trx) => {
      const found = await lockMovedTask(trx, id, now);
      if (!found) return 0;
      const { task, owner } = found;
      const corrected = afterSetBack(toNudgeTask(task, owner), owner, now);
      const next = planNudge(corrected, owner, now);
      await storeCorrection(trx, id, now, {
        run_started_at: corrected.runStartedAt,
        last_nudge_at: corrected.lastNudgeAt,
        heads_up_at: corrected.headsUpAt,
        step: corrected.step,
        escalation_stage: corrected.step === 0 ? 0 : task.escalation_stage,
        next_fire_at: next?.at ?? null,
        wanted_at: next?.wantedAt ?? null,
      });
      announce(trx, audienceOf(task));
      return 1;
    });
  }
}
