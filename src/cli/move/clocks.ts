/**
 * Sync is counted by the database's clock, and every client holds a moment by the old one. A change
 * that PostgreSQL stamps with an earlier moment than that would never be told, so the copy is not
 * finished before PostgreSQL's clock has passed the moment at which the old service had stopped.
 */
import type { Kysely } from 'kysely';
import type { Database } from '../../db/schema.ts';
import type { Clock } from '../../lib/clock.ts';
import { CommandError } from '../command.ts';
import { readTime } from './target.store.ts';

/** A clock this far behind is a mistake, and not worth waiting for. */
const MOST_BEHIND_MS = 60_000;

export async function refuseSlowClock(db: Kysely<Database>, stoppedAt: Date): Promise<void> {
  const behindMs = stoppedAt.getTime() - (await readTime(db)).getTime();
  if (behindMs > MOST_BEHIND_MS) {
    throw new CommandError(
      `PostgreSQL's clock is ${Math.round(behindMs / 1_000)} s behind this machine's: set one of them right first.`,
    );
  }
}

export async function outwaitClock(
  db: Kysely<Database>,
  stoppedAt: Date,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const behindMs = stoppedAt.getTime() - (await readTime(db)).getTime();
  if (behindMs >= 0) await clock.sleepUntil(new Date(clock.now().getTime() + behindMs + 1), signal);
}
