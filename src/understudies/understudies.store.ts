/** The SQL of looks: whose held messages have to be looked at, and what is planned and held for them. */
import { type Selectable, sql } from 'kysely';
import { prepared } from '../db/prepared.ts';
import { among } from '../db/rows.ts';
import type { Database, Db } from '../db/schema.ts';
import { PLAN_SETTINGS } from '../escalation/plan-settings.ts';

type Person = Selectable<Database['understudy_people']>;

/** The next people in the order of their ids who have a channel of these providers, or something held. */
export async function listPeople(
  db: Db,
  providers: readonly string[],
  after: string | null,
  limit: number,
): Promise<string[]> {
  const channels = db
    .selectFrom('channels')
    .select('user_id')
    .distinct()
    .where('provider', 'in', providers)
    .$if(after !== null, (query) => query.where('user_id', '>', after as string))
    .orderBy('user_id')
    .limit(limit);
  const known = db
    .selectFrom('understudy_people')
    .select('user_id')
    .$if(after !== null, (query) => query.where('user_id', '>', after as string))
    .orderBy('user_id')
    .limit(limit);
  const rows = [...(await channels.execute()), ...(await known.execute())];
  return [...new Set(rows.map(({ user_id }) => user_id))].toSorted().slice(0, limit);
}

/** People who have to be looked at now. */
export async function listDueLooks(db: Db, now: Date, limit: number): Promise<string[]> {
  const due = db.selectFrom('understudy_people').select('user_id').where('check_at', '<=', now);
  return (await due.orderBy('check_at').limit(limit).execute()).map(({ user_id }) => user_id);
}

export async function findNextLookAt(db: Db): Promise<Date | null> {
  const first = db.selectFrom('understudy_people').select('check_at').orderBy('check_at').limit(1);
  return (await first.executeTakeFirst())?.check_at ?? null;
}

/** Of these people and members of spaces, those who have a channel of these providers, or something held. */
export async function listAmong(db: Db, providers: readonly string[], ids: readonly string[]): Promise<string[]> {
  const members = await db
    .selectFrom('space_members')
    .select('user_id')
    .where('space_id', ...among(db, ids))
    .execute();
  const noted = [...new Set([...ids, ...members.map(({ user_id }) => user_id)])];
  const withChannel = await db
    .selectFrom('channels')
    .select('user_id')
    .where('user_id', ...among(db, noted))
    .where('provider', 'in', providers)
    .execute();
  const known = await db
    .selectFrom('understudy_people')
    .select('user_id')
    .where('user_id', ...among(db, noted))
    .execute();
  return [...new Set([...withChannel, ...known].map(({ user_id }) => user_id))];
}

/** People whose first nudge has moved since they were looked at, or whose time has come. */
export async function listStale(db: Db, ids: readonly string[], now: Date): Promise<string[]> {
  const known = await db
    .selectFrom('understudy_people')
    .select(['user_id', 'first_at', 'check_at', firstNudge('understudy_people.user_id').as('first')])
    .where('user_id', ...among(db, ids))
    .execute();
  // SQLite gives the moment of an expression as a number.
  const isFresh = ({ first_at, first, check_at }: (typeof known)[number]) =>
    check_at > now && (first_at?.getTime() ?? null) === (first === null ? null : new Date(first).getTime());
  const fresh = new Set(known.filter(isFresh).map(({ user_id }) => user_id));
  return ids.filter((id) => !fresh.has(id));
}

const firstNudge = (owner: string) =>
  sql<
    Date | number | null
  >`(select next_fire_at from tasks where owner_id = ${sql.ref(owner)} and next_fire_at is not null
    order by next_fire_at limit 1)`;

/** Locks the person for this transaction. False if another engine looks after them at this moment. */
export async function claimPerson(trx: Db, userId: string, now: Date): Promise<boolean> {
  await personAdded(trx, userId, now);
  return (await personLocked(trx, userId)).length > 0;
}

const personAdded = prepared((db, user_id: string, check_at: Date) =>
  db
    .insertInto('understudy_people')
    .values({ user_id, first_at: null, check_at, state: 'no_channel', channel_id: null, horizon_seconds: null })
    .onConflict((conflict) => conflict.doNothing()),
);

const personLocked = prepared((db, userId: string) =>
  db.selectFrom('understudy_people').select('user_id').where('user_id', '=', userId).forUpdate().skipLocked(),
);

export async function findPerson(db: Db, userId: string) {
  const [person] = await personOf(db, userId);
  return person;
}

const personOf = prepared((db, userId: string) =>
  db
    .selectFrom('users')
    .select([...PLAN_SETTINGS, 'deleted_at'])
    .where('id', '=', userId),
);

/** Confirmed, neither switched off nor dead; the one that nudges use first. */
export const listUsableChannels = prepared((db, userId: string) =>
  db
    .selectFrom('channels')
    .select(['id', 'provider', 'server', 'address', 'private_title'])
    .where('user_id', '=', userId)
    .where('valid', '=', true)
    .where('verified_at', 'is not', null)
    .orderBy('tier')
    .orderBy('created_at')
    .orderBy('id'),
);

/** More than a message can name. */
const NUDGES_READ = 100;

/** The soonest nudges, and the soonest of must-not-miss tasks. */
export async function listPlannedNudges(db: Db, userId: string) {
  const soonest = await plannedOf(db, userId);
  if (soonest.length < NUDGES_READ) return soonest;
  const known = new Set(soonest.map(({ id }) => id));
  return [...soonest, ...(await strongOf(db, userId)).filter(({ id }) => !known.has(id))];
}

const planned = (db: Db, userId: string) =>
  db
    .selectFrom('tasks')
    .select(['id', 'title', 'next_fire_at', 'break_quiet_hours'])
    .where('owner_id', '=', userId)
    .where('next_fire_at', 'is not', null)
    .orderBy('next_fire_at')
    .orderBy('id')
    .limit(sql.lit(NUDGES_READ));
const plannedOf = prepared(planned);
const strongOf = prepared((db, userId: string) => planned(db, userId).where('break_quiet_hours', '=', true));

export const listHeld = prepared((db, userId: string) =>
  db.selectFrom('understudies').selectAll().where('user_id', '=', userId),
);

/** Of a provider that is one server. */
export async function countHeldForOthers(db: Db, userId: string, provider: string): Promise<number> {
  const { held } = await db
    .selectFrom('understudies')
    .select(({ fn }) => fn.countAll<number | string>().as('held'))
    .where('provider', '=', provider)
    .where('server', 'is', null)
    .where('user_id', '!=', userId)
    .executeTakeFirstOrThrow();
  return Number(held);
}

export type Look = Pick<Person, 'check_at' | 'state' | 'channel_id' | 'horizon_seconds'>;
export type NewLook = Omit<Look, 'check_at'> & { readonly checkAt: Date };

export async function findLook(db: Db, userId: string): Promise<Look | undefined> {
  const [look] = await lookOf(db, userId);
  return look;
}

const lookOf = prepared((db, userId: string) =>
  db
    .selectFrom('understudy_people')
    .select(['check_at', 'state', 'channel_id', 'horizon_seconds'])
    .where('user_id', '=', userId),
);

export async function recordLook(trx: Db, userId: string, { checkAt, ...found }: NewLook): Promise<void> {
  await lookRecorded(trx, userId, checkAt, found.state, found.channel_id, found.horizon_seconds);
}

const lookRecorded = prepared(
  (
    db,
    userId: string,
    check_at: Date,
    state: Person['state'],
    channel_id: string | null,
    horizon_seconds: number | null,
  ) => {
    const first_at = sql<Date | null>`${firstNudge('understudy_people.user_id')}`;
    return db
      .updateTable('understudy_people')
      .set({ first_at, check_at, state, channel_id, horizon_seconds })
      .where('user_id', '=', userId);
  },
);

/** Nothing is held for them any more, and nothing will be. */
export async function forgetPerson(trx: Db, userId: string): Promise<void> {
  const held = trx.selectFrom('understudies').select('id').where('user_id', '=', userId);
  await trx
    .deleteFrom('understudy_people')
    .where('user_id', '=', userId)
    .where(({ not, exists }) => not(exists(held)))
    .execute();
}

/** What a provider has probably shown. Tasks that are gone have no timeline. */
export async function insertAnnounced(
  trx: Db,
  entries: readonly { readonly id: string; readonly task_id: string; readonly at: Date; readonly via: string }[],
): Promise<void> {
  for (const { id, task_id, at, via } of entries) {
    await sql`
      insert into timeline (id, task_id, owner_id, at, kind, via, run)
      select ${id}, tasks.id, tasks.owner_id, ${at}, 'understudy', ${via}, tasks.run from tasks
      where tasks.id = ${task_id}`.execute(trx);
  }
}
