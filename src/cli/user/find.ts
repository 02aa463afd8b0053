import { listPeople, type Person } from '../../admin/people.store.ts';
import type { Db } from '../../db/schema.ts';
import { withDatabase } from '../account-admin.ts';
import type { Command } from '../command.ts';
import { findPerson, notFound, peopleTable, withAdmins } from './people.ts';

const MAX_SHOWN = 50;

export const userFind: Command = {
  parameters: ['TEXT'],
  summary: 'Find accounts by id, email address, or part of an address',
  explanation: `Shows up to ${MAX_SHOWN} accounts. Works while the service runs.`,
  async run(call) {
    const [text = ''] = call.positionals;
    const found = await withDatabase(call, async (db) => withAdmins(call, await search(db, text.trim())));
    if (found.length === 0) throw notFound(text);
    const users = found.slice(0, MAX_SHOWN);
    const hasMore = found.length > MAX_SHOWN;
    const more = hasMore ? `\n\nMore than ${MAX_SHOWN} accounts match: give more of the address.` : '';
    return { data: { users, has_more: hasMore }, text: `${peopleTable(users)}${more}` };
  },
};

async function search(db: Db, text: string): Promise<Person[]> {
  if (text === '') return [];
  const exact = await findPerson(db, text);
  return exact ? [exact] : listPeople(db, { search: text.toLowerCase(), limit: MAX_SHOWN + 1 });
}
