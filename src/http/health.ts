/**
 * Checks whether the service works, for `/health` and for the heartbeat.
 *
 * It checks two things: the database answers, and nudges are on time. It ignores deliveries that are stuck
 * in the outbox. They wait for a provider, for all processes alike: a load balancer would remove every
 * process at once, and people could not even complete their tasks while Apple is down. The log and
 * `/metrics` report stuck deliveries.
 */
import type { Clock } from '../lib/clock.ts';
import { AppError } from '../lib/errors.ts';

export interface HealthSources {
  /** Rejects when the database does not answer. */
  readonly pingDatabase: () => Promise<void>;
  /** The service clock, which nudges follow. */
  readonly clock: Clock;
  /** Since when nudges of the whole installation are late, so a process without an engine sees lateness too. */
  readonly findLateSince: (now: Date) => Promise<Date | null>;
  /** Whether a newer release has changed the tables, so that this process does nothing more. */
  readonly isOutdated: () => boolean;
  /** How many processes run beside this one that go on sending on newer tables. */
  readonly olderProcesses: () => number;
  /** Null if this process has no engine. */
  readonly lastSweepAt: () => Date | null;
}

/** A nudge that is later than this makes the service unhealthy. */
const LATE_SECONDS = 60;

/** Of both queries together. Shorter than the usual time-out of a load balancer. */
const ANSWER_WITHIN_MS = 2_000;

export class Health {
  readonly #sources: HealthSources;
  #measuring: Promise<number> | undefined;

  constructor(sources: HealthSources) {
    this.#sources = sources;
  }

  lastSweepAt(): Date | null {
    return this.#sources.lastSweepAt();
  }

  olderProcesses(): number {
    return this.#sources.olderProcesses();
  }

  /**
   * How late the most overdue nudge is. Throws `database_unavailable` if the database does not answer in time. Calls
   * at the same time share one measurement, because anyone may call `/health`, and as often as they like.
   */
  lagSeconds(): Promise<number> {
    this.#measuring ??= within(ANSWER_WITHIN_MS, this.#measure()).finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  async #measure(): Promise<number> {
    const { pingDatabase, findLateSince, clock } = this.#sources;
    await pingDatabase();
    const now = clock.now();
    const since = await findLateSince(now);
    return Math.max(0, now.getTime() - (since?.getTime() ?? Number.POSITIVE_INFINITY)) / 1_000;
  }

  /** Resolves with the lag if the service is healthy; throws the error otherwise. */
  async check(): Promise<number> {
    if (this.#sources.isOutdated()) throw new AppError('newer_release');
    const lagSeconds = await this.lagSeconds();
    if (lagSeconds > LATE_SECONDS) throw new AppError('engine_late');
    return lagSeconds;
  }
}

async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const giveUp = () => late.reject(new AppError('database_unavailable', { retryAfterSeconds: 2 }));
  // In a busy process the answer may have arrived and not been read yet. It is read before the immediate runs.
  const timer = setTimeout(() => setImmediate(giveUp), limitMs);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
