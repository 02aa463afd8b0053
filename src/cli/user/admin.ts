import type { AdminReason } from '../../admin/administrators.ts';
import { COMMAND_LINE, composeAccounts } from '../account-admin.ts';
import type { Command } from '../command.ts';
import { nameOf, withPerson } from './people.ts';

const STILL: Readonly<Record<AdminReason, string>> = {
  setting: 'ADMINS has its address',
  provider: 'it is in an administrators group of the identity provider',
  command_line: 'it was named here, or entered the word of the terminal',
  first_account: 'it was the first account of a service that only its own network can reach, before a word was needed',
};

export const userAdmin: Command = {
  parameters: ['ID|EMAIL'],
  summary: 'Make an account an administrator, or take that back',
  explanation:
    'An administrator sees people, invitations and the health of the service in the app, and never anybody else’s\n' +
    'tasks. The setting ADMINS and the groups of an identity provider name administrators too. An audit line is\n' +
    'written to standard error. Works while the service runs.',
  options: { off: { type: 'boolean', about: 'Take it back' } },
  async run(call) {
    return withPerson(call, async (person, db) => {
      const { admin } = composeAccounts(call, db);
      const reason = await admin.setAdmin({ caller: null, address: COMMAND_LINE }, person.id, !call.options.off);
      const data = { user_id: person.id, email: person.email, admin: reason };
      if (reason === null && !call.options.off)
        return { data, text: `${nameOf(person)} is an administrator once its suspension is lifted.` };
      if (reason === null) return { data, text: `${nameOf(person)} is no administrator.` };
      if (!call.options.off) return { data, text: `${nameOf(person)} is an administrator.` };
      return { data, text: `${nameOf(person)} still is an administrator: ${STILL[reason]}.`, failed: true };
    });
  },
};
