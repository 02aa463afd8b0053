import { COMMAND_LINE, changeAccount } from '../account-admin.ts';
import { type Command, CommandError } from '../command.ts';
import { CONFIRMATION, nameOf, requireConfirmation, withPerson } from './people.ts';

export const userMfaOff: Command = {
  parameters: ['ID|EMAIL'],
  summary: 'Turn off the second factor of a user who has lost it',
  explanation:
    'First make sure that the request comes from the owner: afterwards a code sent to the email address is enough\n' +
    'to sign in. Deletes the recovery codes, and ends every session and every sign-in in progress, so that no intruder\n' +
    'stays signed in. Access tokens stay. The owner gets a mail. An audit line is written to standard error. Works while the service runs.',
  options: CONFIRMATION,
  async run(call) {
    return withPerson(call, async (person, db) => {
      const name = nameOf(person);
      if (!person.mfa_enabled) throw new CommandError(`${name} has no second factor.`);
      requireConfirmation(
        call,
        `This turns off the second factor of ${name}, deletes the recovery codes and ends every session.`,
      );
      await changeAccount(call, db, ({ secondFactor }) => secondFactor.disableWithoutProof(person.id, COMMAND_LINE));
      const text = `The second factor of ${name} is off, and all its sessions have ended.`;
      return { data: { user_id: person.id, email: person.email, mfa_enabled: false }, text };
    });
  },
};
