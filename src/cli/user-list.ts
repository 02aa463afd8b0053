import { listPeople } from '../accounts/people.store.ts';
import { isUuid } from '../lib/ids.ts';
import { type Command, UsageError } from './command.ts';
import { withDatabase } from './desk.ts';
import { peopleTable } from './people.ts';

const MOST = 1_000;

export const userList: Command = {
  parameters: [],
  summary: 'List the accounts, the newest last',
  explanation:
    'A page at a time. "Open" counts open tasks; "last sign" is the last day on which an app, a session or an\n' +
    'access token of theirs spoke to the service. Works while the service runs.',
  options: {
    limit: { type: 'string', default: '50', about: `How many, 1 to ${MOST}; 50 unless told` },
    after: { type: 'string', about: 'Begin behind the account with this id' },
  },
  async run(call) {
    const { limit, after } = readOptions(call.options);
    const found = await withDatabase(call, (db) => listPeople(db, { after, limit: limit + 1 }));
    const users = found.slice(0, limit);
    const next = found.length > limit ? (users.at(-1)?.id ?? null) : null;
    const more = next === null ? '' : `\n\nThere are more: crescendo user list --limit ${limit} --after ${next}`;
    return { data: { users, next }, text: users.length === 0 ? 'Nobody.' : `${peopleTable(users)}${more}` };
  },
};

function readOptions({ limit, after }: Readonly<Record<string, unknown>>) {
  const count = /^\d{1,4}$/.test(String(limit)) ? Number(limit) : 0;
  if (count < 1 || count > MOST) throw new UsageError(`--limit wants a whole number from 1 to ${MOST}.`);
  if (after === undefined) return { limit: count, after: undefined };
  if (!isUuid(String(after))) throw new UsageError('--after wants the id of an account.');
  return { limit: count, after: String(after).toLowerCase() };
}
