/** Accounts as whoever runs the service sees them: a line each, and never anything that is theirs alone. */
import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Database } from '../db/schema.ts';
import { SESSION_LIFETIME_MS } from './session-lifetime.ts';

export interface Person {
  readonly id: string;
  readonly email: string | null;
  readonly display_name: string | null;
  readonly plan: string;
  readonly plan_expires_at: Date | null;
  readonly mfa_enabled: boolean;
  readonly open_tasks: number;
  readonly created_at: Date;
  /** When anything of theirs last spoke to the service, to the day; null where that is not known. */
  readonly last_sign_at: Date | null;
}

interface Page {
  /** The last id of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The newest last. Ids begin with the time, so the order of the primary key is that of the accounts. */
export async function listPeople(db: Kysely<Database>, { after, limit }: Page): Promise<Person[]> {
  const page = after === undefined ? select(db) : select(db).where('users.id', '>', after);
  return (await page.orderBy('users.id').limit(limit).execute()).map(toPerson);
}

export async function findPersonById(db: Kysely<Database>, id: string): Promise<Person | undefined> {
  const row = await select(db).where('users.id', '=', id).executeTakeFirst();
  return row && toPerson(row);
}

export async function findPersonByEmail(db: Kysely<Database>, email: string): Promise<Person | undefined> {
  const row = await select(db).where('users.email', '=', email).executeTakeFirst();
  return row && toPerson(row);
}

/** Looks at every address there is, which no index helps with. */
export async function listPeopleByEmailPart(db: Kysely<Database>, part: string, limit: number): Promise<Person[]> {
  const pattern = `%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const matching = select(db).where(sql<SqlBool>`users.email like ${pattern} escape ${'\\'}`);
  return (await matching.orderBy('users.id').limit(limit).execute()).map(toPerson);
}

function select(db: Kysely<Database>) {
  return db
    .selectFrom('users')
    .leftJoin('task_counts', 'task_counts.user_id', 'users.id')
    .select(['users.id', 'email', 'display_name', 'plan', 'plan_expires_at', 'mfa_enabled_at', 'created_at'])
    .select('task_counts.open as open_tasks')
    .select(({ selectFrom }) => [
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
  const { seen_at, token_used_at, session_expires_at, mfa_enabled_at, open_tasks, ...person } = row;
  const signs = [momentOf(seen_at), momentOf(token_used_at), momentOf(session_expires_at, SESSION_LIFETIME_MS)];
  const last = Math.max(...signs);
  return {
    ...person,
    open_tasks: open_tasks ?? 0,
    mfa_enabled: mfa_enabled_at !== null,
    last_sign_at: last === Number.NEGATIVE_INFINITY ? null : new Date(last),
  };
}

/** SQLite gives the largest of some instants as a number. */
const momentOf = (at: Date | number | null, lessMs = 0): number =>
  at === null ? Number.NEGATIVE_INFINITY : new Date(at).getTime() - lessMs;
