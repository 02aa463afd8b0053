import type { Kysely } from 'kysely';
import { listPeopleByEmailPart, type Person } from '../accounts/people.store.ts';
import type { Database } from '../db/schema.ts';
import { type Command, CommandError } from './command.ts';
import { withDatabase } from './desk.ts';
import { findPerson, peopleTable } from './people.ts';

const MOST = 50;

export const userFind: Command = {
  parameters: ['TEXT'],
  summary: 'Find accounts by id, address, or part of an address',
  explanation: `Shows up to ${MOST}. Works while the service runs.`,
  async run(call) {
    const [text = ''] = call.given;
    const found = await withDatabase(call, (db) => search(db, text.trim()));
    if (found.length === 0) throw new CommandError(`Nobody is found by "${text}".`);
    const users = found.slice(0, MOST);
    const hasMore = found.length > MOST;
    const more = hasMore ? `\n\nMore than ${MOST} match: say more of the address.` : '';
    return { data: { users, has_more: hasMore }, text: `${peopleTable(users)}${more}` };
  },
};

async function search(db: Kysely<Database>, text: string): Promise<Person[]> {
  if (text === '') return [];
  const exact = await findPerson(db, text);
  return exact ? [exact] : listPeopleByEmailPart(db, text.toLowerCase(), MOST + 1);
}
