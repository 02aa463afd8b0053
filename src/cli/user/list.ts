import { listPeople } from '../../admin/people.store.ts';
import { isUuid } from '../../lib/ids.ts';
import { withDatabase } from '../account-admin.ts';
import { type Command, UsageError } from '../command.ts';
import { peopleTable, withAdmins } from './people.ts';

const MAX_LIMIT = 1_000;

export const userList: Command = {
  parameters: [],
  summary: 'List the accounts, newest last',
  explanation:
    'Shows one page. "open" counts open tasks; "last sign" is the last day on which an app, a session or an access\n' +
    'token of the account used the service. Works while the service runs.',
  options: {
    limit: { type: 'string', default: '50', about: `Accounts to show, 1 to ${MAX_LIMIT}; the default is 50` },
    after: { type: 'string', about: 'Start after the account with this id' },
  },
  async run(call) {
    const { limit, after } = readOptions(call.options);
    const found = await withDatabase(call, async (db) =>
      withAdmins(call, await listPeople(db, { after, limit: limit + 1 })),
    );
    const users = found.slice(0, limit);
    const next = found.length > limit ? (users.at(-1)?.id ?? null) : null;
    const more = next === null ? '' : `\n\nThere are more: crescendo user list --limit ${limit} --after ${next}`;
    return { data: { users, next }, text: users.length === 0 ? 'No accounts.' : `${peopleTable(users)}${more}` };
  },
};

function readOptions({ limit, after }: Readonly<Record<string, unknown>>) {
  const count = /^\d{1,4}$/.test(String(limit)) ? Number(limit) : 0;
  if (count < 1 || count > MAX_LIMIT) throw new UsageError(`--limit must be a whole number from 1 to ${MAX_LIMIT}.`);
  if (after === undefined) return { limit: count, after: undefined };
  if (!isUuid(String(after))) throw new UsageError('--after must be the id of an account.');
  return { limit: count, after: String(after).toLowerCase() };
}
