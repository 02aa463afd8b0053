/** Accounts as an administrator sees them: when and how they are used, in dates and counts, and nothing that they wrote. */
import { type SqlBool, sql } from 'kysely';
import type { Db } from '../db/schema.ts';
import { SESSION_LIFETIME_MS } from '../lib/session-lifetime.ts';
import { openTasks } from '../tasks/task-counts.sql.ts';

export interface Person {
  readonly id: string;
  readonly email: string | null;
  readonly display_name: string | null;
  readonly plan: string;
  readonly plan_expires_at: Date | null;
  readonly mfa_enabled: boolean;
  readonly open_tasks: number;
  /** How many devices and channels a nudge can be sent to. */
  readonly working_targets: number;
  readonly is_admin: boolean;
  readonly admin_by_provider: boolean;
  readonly first_account: boolean;
  readonly suspended_at: Date | null;
  readonly created_at: Date;
  /** The last day on which an app, a session or an access token used the service; null where unknown. */
  readonly last_sign_at: Date | null;
}

export interface PeopleQuery {
  /** The last id of the previous page. */
  readonly after?: string | undefined;
  /** A part of the address, in lower case. No index supports this search: it scans every address. */
  readonly search?: string | undefined;
  readonly limit: number;
}

/** Newest last: ids start with the time of creation, so this is the order of the primary key. */
export async function listPeople(db: Db, { after, search = '', limit }: PeopleQuery): Promise<Person[]> {
  const page = after === undefined ? select(db) : select(db).where('users.id', '>', after);
  const pattern = `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const matching = search === '' ? page : page.where(sql<SqlBool>`users.email like ${pattern} escape ${'\\'}`);
  return (await matching.orderBy('users.id').limit(limit).execute()).map(toPerson);
}

export async function findPersonById(db: Db, id: string): Promise<Person | undefined> {
  const row = await select(db).where('users.id', '=', id).executeTakeFirst();
  return row && toPerson(row);
}

export async function findPersonByEmail(db: Db, email: string): Promise<Person | undefined> {
  const row = await select(db).where('users.email', '=', email).executeTakeFirst();
  return row && toPerson(row);
}

export async function countPeople(db: Db): Promise<number> {
  const count = db.selectFrom('users').where('deleted_at', 'is', null);
  const { people } = await count.select(({ fn }) => fn.countAll<number>().as('people')).executeTakeFirstOrThrow();
  return Number(people);
}

/** `waiting`: a channel whose owner has not confirmed it. `broken`: switched off, or its provider calls it dead. */
type TargetState = 'working' | 'waiting' | 'broken';

export interface TargetCount {
  /** The platform of devices, or the provider of channels. */
  readonly kind: string;
  readonly state: TargetState;
  readonly count: number;
}

/** What reaches a person, without addresses, names or tokens. */
export async function countTargets(db: Db, userId: string): Promise<TargetCount[]> {
  const ofDevice = sql<TargetState>`case when valid then 'working' else 'broken' end`;
  const ofChannel = sql<TargetState>`
    case when not valid then 'broken' when verified_at is null then 'waiting' else 'working' end`;
  const count = sql<number>`count(*)`;
  const devices = await db
    .selectFrom('devices')
    .where('user_id', '=', userId)
    .select(['platform as kind', ofDevice.as('state'), count.as('count')])
    .groupBy(['platform', 'valid'])
    .orderBy('platform')
    .execute();
  const channels = await db
    .selectFrom('channels')
    .where('user_id', '=', userId)
    .select(['provider as kind', ofChannel.as('state'), count.as('count')])
    .groupBy(['provider', ofChannel])
    .orderBy('provider')
    .execute();
  return [...devices, ...channels].map((row) => ({ ...row, count: Number(row.count) }));
}

/** How many people stand in for this one, and for how many they do. */
export async function countStandIns(
  db: Db,
  userId: string,
): Promise<{ asked: number; agreed: number; stands_in: number }> {
  const count = (condition: ReturnType<typeof sql>) => sql<number>`sum(case when ${condition} then 1 else 0 end)`;
  const counts = await db
    .selectFrom('stand_ins')
    .where('from_rung', 'is not', null)
    .where(({ eb, or }) => or([eb('owner_id', '=', userId), eb('person_id', '=', userId)]))
    .select([
      count(sql`owner_id = ${userId} and agreed_at is null`).as('asked'),
      count(sql`owner_id = ${userId} and agreed_at is not null`).as('agreed'),
      count(sql`person_id = ${userId} and agreed_at is not null`).as('stands_in'),
    ])
    .executeTakeFirst();
  const { asked, agreed, stands_in } = counts ?? {};
  return { asked: Number(asked ?? 0), agreed: Number(agreed ?? 0), stands_in: Number(stands_in ?? 0) };
}

/** Sessions that have not expired, and access tokens. */
export async function countAccess(db: Db, userId: string, now: Date): Promise<{ sessions: number; tokens: number }> {
  const sessions = db.selectFrom('sessions').where('user_id', '=', userId).where('expires_at', '>', now);
  const tokens = db.selectFrom('access_tokens').where('user_id', '=', userId);
  const count = sql<number>`count(*)`.as('count');
  return {
    sessions: Number((await sessions.select(count).executeTakeFirstOrThrow()).count),
    tokens: Number((await tokens.select(count).executeTakeFirstOrThrow()).count),
  };
}

export async function setAdmin(db: Db, id: string, isAdmin: boolean): Promise<void> {
  await db.updateTable('users').set({ is_admin: isAdmin }).where('id', '=', id).execute();
}

const adminFacts = (db: Db) =>
  db
    .selectFrom('users')
    .select(['id', 'email', 'is_admin', 'admin_by_provider', 'first_account', 'suspended_at'])
    .where('deleted_at', 'is', null);

export async function findAdminFacts(db: Db, id: string) {
  return adminFacts(db).where('id', '=', id).executeTakeFirst();
}

/** Everyone who could be an administrator, and few others. */
export async function listAdminCandidates(db: Db, emails: readonly string[]) {
  return adminFacts(db)
    .where(({ eb, or }) =>
      or([
        eb('is_admin', '=', true),
        eb('admin_by_provider', '=', true),
        eb('first_account', '=', true),
        ...(emails.length === 0 ? [] : [eb('email', 'in', emails)]),
      ]),
    )
    .execute();
}

/** Locks the rows in the order of their ids, so that two administrators who act on each other wait and do not deadlock. */
export async function lockAdminFacts(trx: Db, ids: readonly string[]) {
  return adminFacts(trx).where('id', 'in', ids).orderBy('id').forUpdate().execute();
}

function select(db: Db) {
  return db
    .selectFrom('users')
    .where('deleted_at', 'is', null)
    .select(['users.id', 'email', 'display_name', 'plan', 'plan_expires_at', 'mfa_enabled_at', 'created_at'])
    .select(['is_admin', 'admin_by_provider', 'first_account', 'suspended_at'])
    .select(openTasks.as('open_tasks'))
    .select(({ selectFrom }) => [
      selectFrom('devices')
        .whereRef('devices.user_id', '=', 'users.id')
        .where('devices.valid', '=', true)
        .select(sql<number>`count(*)`.as('count'))
        .as('devices'),
      selectFrom('channels')
        .whereRef('channels.user_id', '=', 'users.id')
        .where('channels.valid', '=', true)
        .where('channels.verified_at', 'is not', null)
        .select(sql<number>`count(*)`.as('count'))
        .as('channels'),
      selectFrom('devices')
        .whereRef('devices.user_id', '=', 'users.id')
        .select(({ fn }) => fn.max('last_seen_at').as('at'))
        .as('seen_at'),
      selectFrom('access_tokens')
        .whereRef('access_tokens.user_id', '=', 'users.id')
        .select(({ fn }) => fn.max('last_used_at').as('at'))
        .as('token_used_at'),
      selectFrom('sessions')
        .whereRef('sessions.user_id', '=', 'users.id')
        .select(({ fn }) => fn.max('expires_at').as('at'))
        .as('session_expires_at'),
    ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

function toPerson(row: Row): Person {
  const { seen_at, token_used_at, session_expires_at, mfa_enabled_at, open_tasks, devices, channels, ...person } = row;
  const last = Math.max(toMs(seen_at), toMs(token_used_at), toMs(session_expires_at) - SESSION_LIFETIME_MS);
  return {
    ...person,
    open_tasks: Number(open_tasks ?? 0),
    working_targets: Number(devices ?? 0) + Number(channels ?? 0),
    mfa_enabled: mfa_enabled_at !== null,
    last_sign_at: last === Number.NEGATIVE_INFINITY ? null : new Date(last),
  };
}

/** SQLite returns the maximum of a timestamp column as a number. */
const toMs = (at: Date | number | null): number => (at === null ? Number.NEGATIVE_INFINITY : new Date(at).getTime());
