/**
 * Notices that the machine's clock was set back, and plans the tasks again that the clock's error had moved.
 * Small corrections are ignored: they delay a nudge by no more than the correction.
 */
import type { Db } from '../db/schema.ts';
import { transact } from '../db/transact.ts';
import { afterSetBack } from '../escalation/after-set-back.ts';
import { planNudge } from '../escalation/plan-nudge.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { toNudgeTask } from '../tasks/plan-task.ts';
import { findNewestEntryAt, listPage, lockMovedTask, storeCorrection } from './set-back-clock.store.ts';

const TOLERANCE_MS = 30_000;

export class SetBackClock {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #logger: Logger;
  /** Undefined before the first check. */
  #latestMs: number | undefined;

  constructor(db: Db, clock: Clock, logger: Logger) {
    this.#db = db;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Call this regularly. Does nothing unless the clock shows an earlier time than before, or than before a restart. */
  async correctPlans(signal: AbortSignal): Promise<void> {
    // The clock may have been set back while the service was stopped.
    this.#latestMs ??= (await findNewestEntryAt(this.#db))?.getTime() ?? Number.NEGATIVE_INFINITY;
    const now = this.#clock.now();
    const byMs = this.#latestMs - now.getTime();
    this.#latestMs = Math.max(this.#latestMs, now.getTime());
    if (byMs <= TOLERANCE_MS) return;
    let corrected = 0;
    for (let after: string | undefined = ''; after !== undefined && !signal.aborted; ) {
      const page = await listPage(this.#db, after, now);
      for (const id of page.movedIds) corrected += await this.#correct(id, now);
      after = page.lastId;
    }
    if (signal.aborted) return;
    this.#latestMs = now.getTime();
    const seconds = Math.round(byMs / 1_000);
    this.#logger.warn({ seconds, tasks: corrected }, 'the clock was set back; tasks it had moved are planned again');
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
      return 1;
    });
  }
}
