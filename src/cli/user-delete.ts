import { type Command, CommandError } from './command.ts';
import { accountsAt, COMMAND_LINE, unlessGone, withDatabase } from './desk.ts';
import { getPerson, nameOf } from './people.ts';

export const userDelete: Command = {
  parameters: ['ID|EMAIL'],
  summary: 'Delete an account with everything that belongs to it',
  explanation:
    'The same as when its owner deletes it: tasks, devices, sessions and tokens go; tasks given to others stay with\n' +
    'them; spaces go to the oldest member. There is no way back but a backup. An identity provider is told by the\n' +
    'service within minutes. An audit line is written to standard error. Works while the service runs: a large account\n' +
    'goes in small steps, sessions and tokens first; if it is interrupted, repeat it.',
  options: { yes: { type: 'boolean', about: 'Do it; without this it only says what it would do' } },
  async run(call) {
    const [reference = ''] = call.given;
    return withDatabase(call, async (db) => {
      const person = await getPerson(db, reference);
      const name = nameOf(person);
      if (!call.options.yes) {
        const tasks = person.open_tasks === 1 ? '1 open task' : `${person.open_tasks} open tasks`;
        throw new CommandError(
          `This deletes ${name} with ${tasks} and all else that belongs to the account, for good. ` +
            'Nothing was changed: add --yes to do it.',
        );
      }
      const { settings } = await accountsAt(call, db);
      await unlessGone(name, settings.deleteInSteps({ userId: person.id }, COMMAND_LINE));
      return { data: { user_id: person.id, email: person.email, deleted: true }, text: `${name} is deleted.` };
    });
  },
};
