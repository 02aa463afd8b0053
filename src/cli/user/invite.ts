import { baseUrlOf } from '../../config.ts';
import { AppError, InvalidInput } from '../../lib/errors.ts';
import { disabledMailer, type Mailer } from '../../lib/mailer.ts';
import { COMMAND_LINE, composeAccounts, withDatabase, withMailer } from '../account-admin.ts';
import { type Call, type Command, CommandError } from '../command.ts';

export const userInvite: Command = {
  parameters: ['EMAIL'],
  summary: 'Invite an address to create an account, whatever SIGN_UP says',
  explanation:
    'The address is admitted for two weeks, and told so by mail if SMTP_URL is set. The mail holds no secret: only who\n' +
    'proves to own the address gets the account. Works while the service runs.',
  async run(call) {
    const { email, expires_at, mailed } = await withDatabase(call, (db) =>
      withMailer(call, (mailer) => invite(call, composeAccounts(call, db, mailerOf(call, mailer)).admin)),
    );
    const { PORT } = call.config();
    const url = `${baseUrlOf(call.config(), PORT)}/app`;
    const day = expires_at.toISOString().slice(0, 10);
    const text = mailed
      ? `${email} is invited until ${day}, and was told by mail.`
      : `${email} is invited until ${day}. No mail was sent: tell the person to sign in at ${url}.`;
    return { data: { email, expires_at, mailed, url }, text };
  },
};

/** Without a mail server nothing is mailed, and the answer says so. */
const mailerOf = (call: Call, mailer: Mailer): Mailer => (call.config().SMTP_URL ? mailer : disabledMailer());

async function invite(call: Call, admin: ReturnType<typeof composeAccounts>['admin']) {
  const [email = ''] = call.positionals;
  try {
    return await admin.invite({ caller: null, address: COMMAND_LINE }, email);
  } catch (error) {
    if (error instanceof InvalidInput) throw new CommandError(`"${email}" is not an email address.`);
    if (error instanceof AppError && error.status < 500) throw new CommandError(error.message);
    throw error;
  }
}
