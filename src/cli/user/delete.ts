import { COMMAND_LINE, changeAccount } from '../account-admin.ts';
import type { Command } from '../command.ts';
import { CONFIRMATION, nameOf, requireConfirmation, withPerson } from './people.ts';

export const userDelete: Command = {
  parameters: ['ID|EMAIL'],
  summary: 'Delete an account with everything that belongs to it',
  explanation:
    'The same as deleting the account in the app: tasks, devices, sessions and tokens are deleted; tasks given to\n' +
    'others stay with them; spaces pass to their oldest member. Only a backup brings the account back. The service\n' +
    'notifies the identity provider within minutes. An audit line is written to standard error. Works while the\n' +
    'service runs: a large account is deleted in small steps, the first of which ends all access. If the command is\n' +
    'interrupted, the service deletes the rest.',
  options: CONFIRMATION,
  async run(call) {
    return withPerson(call, async (person, db) => {
      const name = nameOf(person);
      const tasks = person.open_tasks === 1 ? '1 open task' : `${person.open_tasks} open tasks`;
      requireConfirmation(
        call,
        `This deletes ${name} with ${tasks} and everything else that belongs to the account. It cannot be undone.`,
      );
      await changeAccount(call, db, ({ settings }) => settings.deleteInSlices({ userId: person.id }, COMMAND_LINE));
      return { data: { user_id: person.id, email: person.email, deleted: true }, text: `${name} is deleted.` };
    });
  },
};
