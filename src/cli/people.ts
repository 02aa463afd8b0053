/** Finds the account that somebody at the terminal means. Never guesses: a part of an address names nobody. */
import type { Kysely } from 'kysely';
import { normalEmail } from '../accounts/email-address.ts';
import { findPersonByEmail, findPersonById, listPeopleByEmailPart, type Person } from '../accounts/people.store.ts';
import type { Database } from '../db/schema.ts';
import { InvalidInput } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { CommandError } from './command.ts';
import { tableOf } from './table.ts';

const MOST_NAMED = 10;

export async function getPerson(db: Kysely<Database>, reference: string): Promise<Person> {
  const found = await findPerson(db, reference);
  if (found) return found;
  const similar = await listPeopleByEmailPart(db, reference.trim().toLowerCase(), MOST_NAMED + 1);
  if (similar.length === 0) throw new CommandError(`Nobody is found by "${reference}".`);
  const names = similar.slice(0, MOST_NAMED).map(nameOf);
  const more = similar.length > MOST_NAMED ? ' and more' : '';
  throw new CommandError(
    `"${reference}" is nobody's whole address. It is part of ${names.join(', ')}${more}: name one.`,
  );
}

/** By id or by the whole address. */
export async function findPerson(db: Kysely<Database>, reference: string): Promise<Person | undefined> {
  if (isUuid(reference)) return findPersonById(db, reference.toLowerCase());
  const email = findEmail(reference);
  return email === undefined ? undefined : findPersonByEmail(db, email);
}

function findEmail(text: string): string | undefined {
  try {
    return normalEmail(text);
  } catch (error) {
    if (error instanceof InvalidInput) return undefined;
    throw error;
  }
}

export const nameOf = ({ id, email }: Person): string => (email === null ? id : `${email} (${id})`);

const HEAD = ['id', 'email', 'created', 'plan', '2nd factor', 'open', 'last sign'];

export function peopleTable(people: readonly Person[]): string {
  return tableOf([HEAD, ...people.map(rowOf)]);
}

function rowOf({ id, email, created_at, plan, mfa_enabled, open_tasks, last_sign_at }: Person): string[] {
  const marks = [plan, mfa_enabled ? 'on' : 'off', String(open_tasks), dayOf(last_sign_at)];
  return [id, email ?? '-', dayOf(created_at), ...marks];
}

const dayOf = (at: Date | null): string => at?.toISOString().slice(0, 10) ?? '-';
