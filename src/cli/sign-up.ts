import { COMMAND_LINE, composeAccounts, withDatabase } from './account-admin.ts';
import { type Command, CommandError, UsageError } from './command.ts';

const MEANING = {
  open: 'Anyone can create an account.',
  invite: 'Only invited people can create an account.',
  domains: 'Addresses of SIGN_UP_DOMAINS can create an account.',
} as const;

export const signUp: Command = {
  parameters: ['[open|invite]'],
  summary: 'Show who can create an account, or change it',
  explanation:
    'The same switch as in the app of an administrator. It counts where SIGN_UP is not set. Accounts that exist are not\n' +
    'affected. Works while the service runs.',
  async run(call) {
    const [wanted] = call.positionals;
    if (wanted !== undefined && wanted !== 'open' && wanted !== 'invite')
      throw new UsageError('Say "open" or "invite".');
    return withDatabase(call, async (db) => {
      const { admin } = composeAccounts(call, db);
      const before = await admin.describe();
      if (wanted !== undefined && before.sign_up_fixed)
        throw new CommandError('SIGN_UP is set, and stands above this switch. Change the setting, or remove it.');
      if (wanted !== undefined) await admin.setSignUp({ caller: null, address: COMMAND_LINE }, wanted);
      const { sign_up, sign_up_fixed } = await admin.describe();
      return { data: { sign_up, sign_up_fixed }, text: MEANING[sign_up] };
    });
  },
};
