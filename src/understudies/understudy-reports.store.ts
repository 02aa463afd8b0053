/** What is held, for the person and in figures of the whole installation. Reads a bounded number of rows. */
import { type Selectable, sql } from 'kysely';
import type { Database, Db } from '../db/schema.ts';
import type { UnderstudyState } from '../db/tables/understudies.ts';

export type Person = Selectable<Database['understudy_people']>;
export type OwnChannel = Pick<Selectable<Database['channels']>, 'id' | 'provider' | 'server' | 'valid' | 'verified_at'>;

/** Counting stops here, so that a large installation can be asked often. */
const COUNTED_UP_TO = 10_000;
/** Grouping costs more, and blocks the thread on SQLite. */
const NEWEST_GROUPED = 2_000;

export async function findUnderstudyPerson(db: Db, userId: string): Promise<Person | undefined> {
  return db.selectFrom('understudy_people').selectAll().where('user_id', '=', userId).executeTakeFirst();
}

export async function listChannelsOf(db: Db, userId: string): Promise<OwnChannel[]> {
  return db
    .selectFrom('channels')
    .select(['id', 'provider', 'server', 'valid', 'verified_at'])
    .where('user_id', '=', userId)
    .orderBy('tier')
    .orderBy('created_at')
    .orderBy('id')
    .limit(100)
    .execute();
}

/** How many people are in each state. */
export async function countByState(db: Db): Promise<{ state: UnderstudyState; people: number }[]> {
  const some = db.selectFrom('understudy_people').select('state').limit(COUNTED_UP_TO);
  const rows = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => ['state', fn.countAll<number>().as('people')])
    .groupBy('state')
    .execute();
  return rows.map(({ state, people }) => ({ state, people: Number(people) }));
}

export async function countHeldMessages(db: Db): Promise<number> {
  const some = db
    .selectFrom('understudies')
    .select(sql<number>`1`.as('one'))
    .where('held_until', 'is not', null)
    .where('sounds_at', 'is not', null)
    .limit(COUNTED_UP_TO);
  const row = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export interface HoldingServer {
  readonly provider: string;
  readonly server: string | null;
  /** Who have at least one message there. */
  readonly people: number;
  /** Who should have one and have none. */
  readonly failing: number;
  /** Why one of those has none. */
  readonly error: string | null;
  readonly movedAt: Date | null;
}

/** The servers that hold messages, or should, those of most people first. Counts the newest 2,000 messages. */
export async function listHoldingServers(db: Db): Promise<HoldingServer[]> {
  const newest = db
    .selectFrom('understudies')
    .select(['user_id', 'provider', 'server', 'held_until', 'moved_at', 'error'])
    .where('sounds_at', 'is not', null)
    .orderBy('id', 'desc')
    .limit(NEWEST_GROUPED);
  const people = db
    .selectFrom(newest.as('newest'))
    .select(({ fn }) => [
      'provider',
      'server',
      fn.count<number>('held_until').as('held'),
      fn.max('moved_at').as('moved_at'),
      fn.max('error').as('error'),
    ])
    .groupBy(['user_id', 'provider', 'server']);
  const rows = await db
    .selectFrom(people.as('people'))
    .select(({ fn }) => [
      'provider',
      'server',
      sql<number>`sum(case when held > 0 then 1 else 0 end)`.as('people'),
      sql<number>`sum(case when held = 0 and error is not null then 1 else 0 end)`.as('failing'),
      sql<string | null>`max(case when held = 0 then error end)`.as('error'),
      fn.max('moved_at').as('moved_at'),
    ])
    .groupBy(['provider', 'server'])
    .execute();
  const servers = rows.map(({ provider, server, error, moved_at, ...counts }) => ({
    provider,
    server,
    people: Number(counts.people),
    failing: Number(counts.failing),
    error,
    // SQLite gives the moment of an expression as a number.
    movedAt: moved_at === null ? null : new Date(moved_at),
  }));
  return servers.toSorted((a, b) => b.people + b.failing - (a.people + a.failing));
}

/** The shortest time for which the servers of people hold a message; null without anybody. */
export async function findShortestHorizon(db: Db): Promise<number | null> {
  const some = db.selectFrom('understudy_people').select('horizon_seconds').limit(COUNTED_UP_TO);
  const row = await db
    .selectFrom(some.as('some'))
    .select(({ fn }) => fn.min('horizon_seconds').as('shortest'))
    .executeTakeFirst();
  return row?.shortest ?? null;
}
