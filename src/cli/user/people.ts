/** Finds the account that the operator names, by id or whole address. A part of an address never selects an account. */

import { type AdminReason, findAdminReason } from '../../admin/administrators.ts';
import { findPersonByEmail, findPersonById, listPeople, type Person } from '../../admin/people.store.ts';
import { adminRulesOf } from '../../compose/admin-rules.ts';
import type { Db } from '../../db/schema.ts';
import { normalizeEmail } from '../../lib/email.ts';
import { AppError, InvalidInput } from '../../lib/errors.ts';
import { isUuid } from '../../lib/ids.ts';
import { withDatabase } from '../account-admin.ts';
import { type Call, CommandError } from '../command.ts';
import { formatTable } from '../table.ts';

/** Passes the account that the command's first parameter names. */
export async function withPerson<T>(call: Call, work: (person: Person, db: Db) => Promise<T>): Promise<T> {
  const [reference = ''] = call.positionals;
  return withDatabase(call, async (db) => {
    const person = await requirePerson(db, reference);
    return work(person, db).catch((error: unknown) => {
      // The account services throw this if the account was deleted after it was found.
      if (!(error instanceof AppError) || error.code !== 'unauthenticated') throw error;
      throw new CommandError(`${nameOf(person)} was deleted while this command ran.`);
    });
  });
}

const MAX_SUGGESTIONS = 10;

/** Throws a `CommandError` with suggestions. */
export async function requirePerson(db: Db, reference: string): Promise<Person> {
  const found = await findPerson(db, reference);
  if (found) return found;
  const similar = await listPeople(db, { search: reference.trim().toLowerCase(), limit: MAX_SUGGESTIONS + 1 });
  if (similar.length === 0) throw notFound(reference);
  const names = similar.slice(0, MAX_SUGGESTIONS).map(nameOf);
  const more = similar.length > MAX_SUGGESTIONS ? ' and more' : '';
  throw new CommandError(
    `"${reference}" is only part of an address: ${names.join(', ')}${more}. Give the whole address or the id.`,
  );
}

export const notFound = (text: string) => new CommandError(`No account matches "${text}".`);

export async function findPerson(db: Db, reference: string): Promise<Person | undefined> {
  if (isUuid(reference)) return findPersonById(db, reference.toLowerCase());
  const email = findEmail(reference);
  return email === undefined ? undefined : findPersonByEmail(db, email);
}

function findEmail(text: string): string | undefined {
  try {
    return normalizeEmail(text);
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}

/** Without --yes, a command that cannot be undone only says what it would do. */
export const CONFIRMATION = {
  yes: { type: 'boolean', about: 'Do it; without this the command only says what it would do' },
} as const;

export function requireConfirmation({ options }: Call, consequence: string): void {
  if (!options.yes) throw new CommandError(`${consequence} Nothing was changed: add --yes to do it.`);
}

export const nameOf = ({ id, email }: Person): string => (email === null ? id : `${email} (${id})`);

const HEAD = ['id', 'email', 'created', 'plan', '2nd factor', 'open', 'last sign', 'state'];

type ShownPerson = Person & { readonly admin: AdminReason | null };

/** Tells for each account whether it is an administrator, and why. */
export function withAdmins(call: Call, people: readonly Person[]): ShownPerson[] {
  const rules = adminRulesOf(call.config());
  return people.map((person) => ({ ...person, admin: findAdminReason(person, rules) }));
}

export function peopleTable(people: readonly ShownPerson[]): string {
  return formatTable([HEAD, ...people.map(toRow)]);
}

function toRow(person: ShownPerson): string[] {
  const { id, email, created_at, plan, mfa_enabled, open_tasks, last_sign_at } = person;
  return [
    id,
    email ?? '-',
    toDay(created_at),
    plan,
    mfa_enabled ? 'on' : 'off',
    String(open_tasks),
    toDay(last_sign_at),
    stateOf(person),
  ];
}

const stateOf = ({ suspended_at, admin }: ShownPerson): string =>
  suspended_at !== null ? 'suspended' : admin === null ? '-' : 'admin';

const toDay = (at: Date | null): string => at?.toISOString().slice(0, 10) ?? '-';
