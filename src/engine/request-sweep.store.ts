/** The SQL of the sweep of messages about requests. */
import { sql } from 'kysely';
import { prepared, preparedFirst } from '../db/prepared.ts';
import { amongParameter, idsParameter, preparedRows } from '../db/rows.ts';
import type { Db } from '../db/schema.ts';
import type { Sent } from '../tasks/requests/request-messages.ts';

export async function findNextRequestMessageAt(db: Db): Promise<Date | null> {
  return (await firstDue(db))?.due_at ?? null;
}

const firstDue = preparedFirst((db) =>
  db.selectFrom('request_messages').select('due_at').where('due_at', 'is not', null).orderBy('due_at').limit(1),
);

/** Claims the due messages that no other engine has locked. */
export async function claimRequestMessages(trx: Db, now: Date, limit: number): Promise<string[]> {
  return (await messagesClaimed(trx, now, limit)).map(({ id }) => id);
}

export async function claimRequestMessage(trx: Db, id: string, now: Date): Promise<string[]> {
  const rows = await dueMessages(trx, now).where('id', '=', id).execute();
  return rows.map((row) => row.id);
}

const dueMessages = (trx: Db, now: Date) =>
  trx.selectFrom('request_messages').select('id').where('due_at', '<=', now).forUpdate().skipLocked();

const messagesClaimed = prepared((trx, now: Date, limit: number) =>
  dueMessages(trx, now).orderBy('due_at').orderBy('id').limit(limit),
);

/** What was sent to these people since then. */
export async function listSentMessages(trx: Db, recipientIds: readonly string[], since: Date): Promise<Sent[]> {
  const rows = await sentTo(trx, idsParameter(trx, recipientIds), since);
  return rows.flatMap(({ sent_at, ...row }) => (sent_at ? [{ ...row, sent_at }] : []));
}

const sentTo = prepared((trx, recipientIds: unknown, since: Date) =>
  trx
    .selectFrom('request_messages')
    .select(['task_id', 'recipient_id', 'other_id', 'kind', 'sent_at'])
    .where('recipient_id', ...amongParameter(trx, recipientIds))
    .where('sent_at', '>', since),
);

/** The people who share spaces with more than one other person. */
export async function listWithOthers(trx: Db, userIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await withOthers(trx, idsParameter(trx, userIds));
  return new Set(rows.map(({ user_id }) => user_id));
}

const withOthers = prepared((trx, userIds: unknown) =>
  trx
    .selectFrom('space_members as own')
    .innerJoin('space_members as other', 'other.space_id', 'own.space_id')
    .select('own.user_id')
    .where('own.user_id', ...amongParameter(trx, userIds))
    .whereRef('other.user_id', '<>', 'own.user_id')
    .groupBy('own.user_id')
    .having(({ fn }) => fn.count('other.user_id').distinct(), '>', 1),
);

export interface Decided {
  readonly id: string;
  readonly due_at: Date | null;
  readonly sent_at: Date | null;
  readonly settled_at: Date | null;
}

const DECIDED = { id: 'uuid', due_at: 'timestamptz', sent_at: 'timestamptz', settled_at: 'timestamptz' } as const;

export async function recordDecided(trx: Db, decided: readonly Decided[]): Promise<void> {
  if (decided.length > 0) await decidedRecorded(trx, decided);
}

const decidedRecorded = preparedRows<keyof typeof DECIDED>(
  'decided',
  DECIDED,
  (_, decided) => sql`
    update request_messages set due_at = decided.due_at, sent_at = decided.sent_at, settled_at = decided.settled_at
    from ${decided} where request_messages.id = decided.id`,
);

/** Does nothing if it was decided in the meantime. */
export async function postponeRequestMessage(db: Db, id: string, until: Date): Promise<void> {
  const waiting = db.updateTable('request_messages').set({ due_at: until }).where('id', '=', id);
  await waiting.where('due_at', 'is not', null).execute();
}
