import { COMMAND_LINE, changeAccount } from '../account-admin.ts';
import type { Command } from '../command.ts';
import { CONFIRMATION, nameOf, requireConfirmation, withPerson } from './people.ts';

const OPERATOR = { caller: null, address: COMMAND_LINE };

export const userSuspend: Command = {
  parameters: ['ID|EMAIL'],
  summary: 'Suspend an account: nobody uses it, and it is sent no nudges',
  explanation:
    'Sign-in, sessions, access tokens, the calendar feed and the links in messages are refused from the next call on.\n' +
    'Nothing is deleted: "crescendo user lift" makes everything work as before. The owner gets a mail. An audit line is\n' +
    'written to standard error. Works while the service runs.',
  options: CONFIRMATION,
  async run(call) {
    return withPerson(call, async (person, db) => {
      const name = nameOf(person);
      requireConfirmation(call, `This suspends ${name}: nobody can use the account, and it is sent no nudges.`);
      await changeAccount(call, db, ({ admin }) => admin.suspend(OPERATOR, person.id));
      return { data: { user_id: person.id, email: person.email, suspended: true }, text: `${name} is suspended.` };
    });
  },
};

export const userLift: Command = {
  parameters: ['ID|EMAIL'],
  summary: 'Lift the suspension of an account',
  explanation:
    'Sessions, access tokens and links work again. Each task that fell due in the meantime is nudged once, as after a\n' +
    'pause. The owner gets a mail. An audit line is written to standard error. Works while the service runs.',
  async run(call) {
    return withPerson(call, async (person, db) => {
      await changeAccount(call, db, ({ admin }) => admin.lift(OPERATOR, person.id));
      const text =
        person.suspended_at === null
          ? `${nameOf(person)} was not suspended.`
          : `${nameOf(person)} is not suspended any more.`;
      return { data: { user_id: person.id, email: person.email, suspended: false }, text };
    });
  },
};
