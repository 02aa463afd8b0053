/**
 * Knows when the last sweep ran and since when the engine is late. Logs one line when the engine falls behind and one
 * when it has caught up.
 *
 * An account with very many due tasks causes its own wait for turns, so its lateness counts only beyond `OWN_WAIT_MS`.
 * The lateness of all other accounts counts in full, so a stopped engine is noticed at once.
 */
import type { Db } from '../db/schema.ts';
import { LogOnChange } from '../lib/log-on-change.ts';
import type { Logger } from '../lib/logger.ts';
import { countDue, findMostOverdue } from './lateness.store.ts';

/** A nudge sent later than this after its moment is late. */
export const LATE_MS = 10_000;
/** Several times as long as the engine needs to nudge for all tasks that an account can have. */
export const OWN_WAIT_MS = 120_000;
/** Well below `LATE_MS`, so that the log does not flip while the engine works off a backlog. */
const ON_TIME_MS = 1_000;

export class LatenessMonitor {
  readonly #log: LogOnChange;
  lastSweepAt: Date | null = null;

  constructor(logger: Logger) {
    this.#log = new LogOnChange(logger, { failing: 'the engine is late', working: 'the engine has caught up' });
  }

  swept(at: Date, lateMs: number): void {
    this.lastSweepAt = at;
    const lag_seconds = Math.round(lateMs / 1_000);
    if (lateMs > LATE_MS) this.#log.failed({ lag_seconds });
    else if (lateMs <= ON_TIME_MS) this.#log.worked({ lag_seconds });
  }
}

/** An account with more due tasks than this does not fit into one batch. */
const MANY = 500;
/** How many due tasks are read to count the due tasks of one account. Bounds the cost of a health check. */
const MAX_READ = 10_000;
/** With more such accounts at once, the engine is simply too slow for the installation. */
const MAX_ACCOUNTS = 10;

/** Null if nothing is due. While the engine is on time, this reads a single row. */
export async function findLateSince(db: Db, now: Date): Promise<Date | null> {
  const waiting: string[] = [];
  let since: Date | null = null;
  for (;;) {
    const first = await findMostOverdue(db, now, waiting);
    if (!first) return since;
    const isLate = now.getTime() - first.at.getTime() > LATE_MS;
    if (!isLate || waiting.length === MAX_ACCOUNTS || (await countDue(db, first.owner_id, now, MAX_READ)) <= MANY) {
      return since && since < first.at ? since : first.at;
    }
    waiting.push(first.owner_id);
    // The first one is the most overdue of them all.
    since ??= new Date(first.at.getTime() + OWN_WAIT_MS);
  }
}
