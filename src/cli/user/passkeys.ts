import type { Person } from '../../admin/people.store.ts';
import { AppError } from '../../lib/errors.ts';
import { isUuid } from '../../lib/ids.ts';
import type { PasskeysService } from '../../sign-in/passkeys/passkeys.service.ts';
import type { Passkey } from '../../sign-in/passkeys/passkeys.store.ts';
import { COMMAND_LINE, changeAccount, composeAccounts } from '../account-admin.ts';
import { type Command, CommandError, type Report, UsageError } from '../command.ts';
import { formatTable } from '../table.ts';
import { nameOf, withPerson } from './people.ts';

export const userPasskeys: Command = {
  parameters: ['ID|EMAIL'],
  summary: 'Show the passkeys of a user, or remove them',
  explanation:
    'For a user who has lost a device. A removed passkey no longer signs in; sessions that it opened stay until they\n' +
    'are revoked (crescendo user sessions). The last way into an account is not removed. The owner gets a mail. An audit\n' +
    'line is written to standard error. Works while the service runs.',
  options: { remove: { type: 'string', about: 'The id of the passkey to remove, or "all"' } },
  async run(call) {
    const { remove } = call.options;
    if (typeof remove === 'string' && remove !== 'all' && !isUuid(remove))
      throw new UsageError('--remove must be the id of a passkey, or "all".');
    return withPerson(call, async (person, db) => {
      if (typeof remove !== 'string')
        return report(person, await composeAccounts(call, db).passkeys.list({ userId: person.id }));
      return changeAccount(call, db, ({ passkeys }) => removePasskeys(person, passkeys, remove));
    });
  },
};

function report(person: Person, passkeys: readonly Passkey[]): Report {
  const shown = passkeys.map(({ id, name, created_at, last_used_at }) => ({ id, name, created_at, last_used_at }));
  const rows = shown.map(({ id, name, created_at, last_used_at }) => [
    id,
    name,
    created_at.toISOString(),
    last_used_at?.toISOString() ?? '-',
  ]);
  const text = rows.length === 0 ? 'No passkeys.' : formatTable([['id', 'name', 'added', 'last used'], ...rows]);
  return { data: { user_id: person.id, email: person.email, passkeys: shown }, text: `${nameOf(person)}\n${text}` };
}

async function removePasskeys(person: Person, passkeys: PasskeysService, which: string): Promise<Report> {
  try {
    const removed = await passkeys.remove({ userId: person.id }, which.toLowerCase(), COMMAND_LINE);
    const count = removed.length === 1 ? 'one passkey' : `${removed.length} passkeys`;
    const data = { user_id: person.id, email: person.email, removed: removed.length };
    return { data, text: `Removed ${count} of ${nameOf(person)}.` };
  } catch (error) {
    throw (error instanceof AppError && refusal(person, error.code)) || error;
  }
}

function refusal(person: Person, code: string): CommandError | undefined {
  if (code === 'not_found') return new CommandError(`${nameOf(person)} has no such passkey.`);
  if (code !== 'last_way_in') return undefined;
  return new CommandError(`Nothing was removed: ${nameOf(person)} has no other way to sign in.`);
}
