import { findAdminReason } from '../../admin/administrators.ts';
import { findPersonById } from '../../admin/people.store.ts';
import { adminRulesOf } from '../../compose/admin-rules.ts';
import { AppError, InvalidInput } from '../../lib/errors.ts';
import { COMMAND_LINE, changeAccount } from '../account-admin.ts';
import { type Command, CommandError } from '../command.ts';
import { CONFIRMATION, nameOf, requireConfirmation, withPerson } from './people.ts';

export const userAddress: Command = {
  parameters: ['ID|EMAIL', 'NEW_EMAIL'],
  summary: 'Change the email address of an account',
  explanation:
    'For a person who can no longer read the old mailbox; everybody else changes it in Settings. First make sure that the\n' +
    'request comes from the owner: afterwards a code sent to the new address is enough to sign in. Ends every session, and\n' +
    'the links by which former addresses could take the account back. Both addresses get a mail. If ADMINS has the new\n' +
    'address, the account administers. An audit line is written to standard error. Works while the service runs.',
  options: CONFIRMATION,
  async run(call) {
    return withPerson(call, async (person, db) => {
      const [, wanted = ''] = call.positionals;
      const name = nameOf(person);
      requireConfirmation(call, `This gives ${name} the address ${wanted} and ends every session.`);
      const email = await changeAccount(call, db, ({ addresses }) =>
        addresses.changeWithoutProof(person.id, wanted, COMMAND_LINE),
      ).catch((error: unknown) => {
        if (error instanceof InvalidInput) throw new CommandError(`"${wanted}" is not an email address.`);
        if (!(error instanceof AppError) || error.code !== 'account_exists') throw error;
        throw new CommandError(`${wanted} belongs to an account, or did in the last seven days. Nothing was changed.`);
      });
      const changed = await findPersonById(db, person.id);
      const admin = changed ? findAdminReason(changed, adminRulesOf(call.config())) : null;
      const text = `${name} now has the address ${email}, and all its sessions have ended.`;
      const isNamed = admin === 'setting' ? ' ADMINS names the address, so the account administers.' : '';
      return { data: { user_id: person.id, email, admin }, text: text + isNamed };
    });
  },
};
