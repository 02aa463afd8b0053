/** Accounts as the operator sees them: one line each, without private content. */
import { type SqlBool, sql } from 'kysely';
import type { Db } from '../../db/schema.ts';
import { openTasks } from '../../db/task-counts.ts';
import { SESSION_LIFETIME_MS } from '../../lib/session-lifetime.ts';

export interface Person {
  readonly id: string;
  readonly email: string | null;
  readonly display_name: string | null;
  readonly plan: string;
  readonly plan_expires_at: Date | null;
  readonly mfa_enabled: boolean;
  readonly open_tasks: number;
  readonly created_at: Date;
  /** The last day on which an app, a session or an access token used the service; null where unknown. */
  readonly last_sign_at: Date | null;
}

interface Page {
  /** The last id of the previous page. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** Newest last: ids start with the time of creation, so this is the order of the primary key. */
export async function listPeople(db: Db, { after, limit }: Page): Promise<Person[]> {
  const page = after === undefined ? select(db) : select(db).where('users.id', '>', after);
  return (await page.orderBy('users.id').limit(limit).execute()).map(toPerson);
}

export async function findPersonById(db: Db, id: string): Promise<Person | undefined> {
  const row = await select(db).where('users.id', '=', id).executeTakeFirst();
  return row && toPerson(row);
}

export async function findPersonByEmail(db: Db, email: string): Promise<Person | undefined> {
  const row = await select(db).where('users.email', '=', email).executeTakeFirst();
  return row && toPerson(row);
}

/** Scans every address: no index supports this search. */
export async function listPeopleByEmailPart(db: Db, part: string, limit: number): Promise<Person[]> {
  const pattern = `%${part.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
  const matching = select(db).where(sql<SqlBool>`users.email like ${pattern} escape ${'\\'}`);
  return (await matching.orderBy('users.id').limit(limit).execute()).map(toPerson);
}

function select(db: Db) {
  return db
    .selectFrom('users')
    .where('deleted_at', 'is', null)
    .select(['users.id', 'email', 'display_name', 'plan', 'plan_expires_at', 'mfa_enabled_at', 'created_at'])
    .select(openTasks.as('open_tasks'))
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
  const last = Math.max(toMs(seen_at), toMs(token_used_at), toMs(session_expires_at) - SESSION_LIFETIME_MS);
  return {
    ...person,
    open_tasks: open_tasks ?? 0,
    mfa_enabled: mfa_enabled_at !== null,
    last_sign_at: last === Number.NEGATIVE_INFINITY ? null : new Date(last),
  };
}

/** SQLite returns the maximum of a timestamp column as a number. */
const toMs = (at: Date | number | null): number => (at === null ? Number.NEGATIVE_INFINITY : new Date(at).getTime());
