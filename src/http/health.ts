/**
 * Whether the service can do its work: the one judgement behind `/health` and the dead-man's ping.
 *
 * It asks two things that this process, or this installation as a whole, can be blamed for: does the
 * database answer, and are nudges on time. It does not ask whether deliveries stand in the outbox.
 * What stands there waits for a provider, which is the same for every process: a load balancer that
 * heard of it would take all of them away at once, and people could not even tick off their tasks
 * while Apple is down. A standing outbox is told in the log and by `/metrics`.
 */
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';

export interface HealthSources {
  /** Rejects when the database does not answer. */
  readonly pingDatabase: () => Promise<void>;
  /** What reminders live by, and when the next of them is due: any process can tell whether it is late. */
  readonly clock: Clock;
  readonly findNextFireAt: () => Promise<Date | null>;
  /** Null where this process has no engine. */
  readonly lastSweepAt: () => Date | null;
}

/** A reminder that comes later than this is a fault that somebody must hear of. */
const LATE_SECONDS = 60;

/** Shorter than the patience of the usual load balancer. */
const PING_TIMEOUT_MS = 2_000;

export class Health {
  readonly #sources: HealthSources;

  constructor(sources: HealthSources) {
    this.#sources = sources;
  }

  lastSweepAt(): Date | null {
    return this.#sources.lastSweepAt();
  }

  /** How late the most overdue nudge is. Throws `database_unavailable`, after a short while at the latest. */
  async lagSeconds(): Promise<number> {
    const { pingDatabase, findNextFireAt, clock } = this.#sources;
    await within(PING_TIMEOUT_MS, pingDatabase());
    const next = await within(PING_TIMEOUT_MS, findNextFireAt());
    return Math.max(0, clock.now().getTime() - (next?.getTime() ?? Number.POSITIVE_INFINITY)) / 1_000;
  }

  /** Resolves with the lag where all is well; throws what is not. */
  async judge(): Promise<number> {
    const lagSeconds = await this.lagSeconds();
    if (lagSeconds > LATE_SECONDS) throw new AppError('engine_late');
    return lagSeconds;
  }
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new AppError('database_unavailable', { retryAfterSeconds: 2 })), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
