import { type Command, CommandError } from './command.ts';
import { accountsAt, COMMAND_LINE, unlessGone, withDatabase } from './desk.ts';
import { getPerson, nameOf } from './people.ts';

export const userMfaOff: Command = {
  parameters: ['ID|EMAIL'],
  summary: 'Turn off the second factor of somebody who has lost it',
  explanation:
    'Make sure first that whoever asks is the owner: afterwards a code sent to the address is enough to sign in.\n' +
    'The recovery codes go, and every session and every sign-in under way ends, so that nobody stays who should not.\n' +
    'Access tokens stay. An audit line is written to standard error. Works while the service runs.',
  options: { yes: { type: 'boolean', about: 'Do it; without this it only says what it would do' } },
  async run(call) {
    const [reference = ''] = call.given;
    return withDatabase(call, async (db) => {
      const person = await getPerson(db, reference);
      const name = nameOf(person);
      if (!person.mfa_enabled) throw new CommandError(`${name} has no second factor.`);
      if (!call.options.yes) {
        throw new CommandError(
          `This turns off the second factor of ${name}, forgets the recovery codes and ends every session. ` +
            'Nothing was changed: add --yes to do it.',
        );
      }
      const { secondFactor } = await accountsAt(call, db);
      await unlessGone(name, secondFactor.disableWithoutProof(person.id, COMMAND_LINE));
      const text = `The second factor of ${name} is off, and nobody is signed in to that account any more.`;
      return { data: { user_id: person.id, email: person.email, mfa_enabled: false }, text };
    });
  },
};
