/**
 * Finds out whether the mail server would take a mail, and sends none: signs in, names the sender and the recipients, and
 * takes both back (RSET). A server that accepts the password may still refuse every mail.
 */
import { domainToASCII } from 'node:url';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import SMTPTransport from 'nodemailer/lib/smtp-transport';
import { MAIL_TIMEOUTS, mailTlsOptions } from './mailer.ts';

export interface TriedMail {
  /** The server's answers, such as `250 2.1.0 Ok`. */
  readonly sender: string;
  /** In the order of the recipients. Empty if the sender was refused. */
  readonly recipients: readonly string[];
}

export const isAccepted = (answer: string): boolean => answer.startsWith('2');

/** Rejects with nodemailer's error if the server cannot be reached or refuses the user. */
export async function tryMail(url: string, from: string, to: readonly string[]): Promise<TriedMail> {
  const transport = new SMTPTransport({ url, ...mailTlsOptions(url), ...MAIL_TIMEOUTS });
  const connection = new SMTPConnection(transport.options);
  const lost = Promise.withResolvers<never>();
  connection.once('error', lost.reject);
  connection.once('end', () => lost.reject(new Error('the server closed the connection')));
  const orLost = <T>(work: Promise<T>) => Promise.race([work, lost.promise]);
  try {
    await orLost(new Promise<void>((resolve, reject) => connection.connect((e) => (e ? reject(e) : resolve()))));
    const auth = transport.getAuth({});
    if (auth && connection.allowsAuth) await orLost(logIn(connection, auth));
    const tried = await orLost(tryEnvelope(connection, from, to));
    connection.quit();
    return tried;
  } catch (error) {
    connection.close();
    throw error;
  }
}

type Auth = Parameters<SMTPConnection['login']>[0];

const logIn = (connection: SMTPConnection, auth: Auth) =>
  new Promise<void>((resolve, reject) => connection.login(auth, (error) => (error ? reject(error) : resolve())));

async function tryEnvelope(connection: SMTPConnection, from: string, to: readonly string[]): Promise<TriedMail> {
  const sender = await ask(connection, `MAIL FROM:<${inAscii(from)}>`);
  const recipients: string[] = [];
  if (isAccepted(sender)) {
    for (const address of to) recipients.push(await ask(connection, `RCPT TO:<${inAscii(address)}>`));
  }
  await ask(connection, 'RSET');
  return { sender, recipients };
}

/** The library names sender and recipients only together with a message, so the commands are written on its connection. */
interface CommandLine {
  _sendCommand(command: string): void;
  readonly _responseActions: ((answer: string) => void)[];
}

function ask(connection: SMTPConnection, command: string): Promise<string> {
  const line = connection as unknown as CommandLine;
  return new Promise((resolve) => {
    line._responseActions.push((answer) => resolve(answer.replaceAll(/\s+/g, ' ').trim()));
    line._sendCommand(command);
  });
}

/** Domains in other letters are sent as mail servers know them. */
function inAscii(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1)) || address.slice(at + 1)}`;
}
