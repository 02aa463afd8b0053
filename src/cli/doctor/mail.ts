/** Checks the mail server, which sign-in codes depend on. */
import { findSettingWarnings } from '../../compose/start-warnings.ts';
import type { Config } from '../../config.ts';
import { requiresStartTls } from '../../lib/mailer.ts';
import { type Check, type Finding, fault, fine, reasonOf, warning } from './check.ts';

const smtp: Check = {
  name: 'mail',
  settings: ['SMTP_URL', 'MAIL_FROM', 'ADMINS', 'PRINT_MAIL', 'BASE_URL'],
  // Longer than the limits of the transport, whose errors say more precisely what was too slow.
  limitMs: 30_000,
  run: async ({ config }) => {
    const { SMTP_URL } = config;
    const off = findSettingWarnings(config).find(({ setting }) => setting === 'SMTP_URL');
    if (off) return warning(off.says, off.remedy);
    if (SMTP_URL === undefined) {
      return warning(
        'SMTP_URL is not set: sign-in codes are printed to the terminal',
        'Set SMTP_URL if anyone but you signs in by mail.',
      );
    }
    const { host } = new URL(SMTP_URL);
    try {
      return await tryToMail(SMTP_URL, host, config);
    } catch (error) {
      return requiresStartTls(SMTP_URL) && isTlsMissing(error)
        ? describeMissingTls(host)
        : describeFailure(host, error);
    }
  },
};

const MAX_TRIED = 5;

/** Names nobody's address: who administers is not printed. */
async function tryToMail(url: string, host: string, { MAIL_FROM, ADMINS = [] }: Config): Promise<Finding> {
  const from = addressIn(MAIL_FROM);
  const to = ADMINS.length > 0 ? ADMINS.slice(0, MAX_TRIED) : [from];
  const whom = ADMINS.length > 0 ? 'ADMINS' : 'MAIL_FROM itself';
  // Loaded only here, because the library is large.
  const { isAccepted, tryMail } = await import('../../lib/try-mail.ts');
  const { sender, recipients } = await tryMail(url, from, to);
  if (!isAccepted(sender)) {
    return describeRefusal(
      sender,
      `${host} refuses the sender in MAIL_FROM: ${sender}`,
      'Set MAIL_FROM to an address that the user in SMTP_URL may send from.',
    );
  }
  const refused = recipients.findIndex((answer) => !isAccepted(answer));
  if (refused === -1) return fine(`${host} accepts mail from MAIL_FROM to ${whom} (tried, and nothing was sent)`);
  const [answer = '', address = ''] = [recipients[refused], to[refused]];
  const place = ADMINS.length > 0 ? `ADMINS, at ${address.slice(address.lastIndexOf('@') + 1)}` : whom;
  return describeRefusal(
    answer,
    `${host} accepts MAIL_FROM and refuses a recipient (${place}): ${answer.replaceAll(address, '…')}`,
    'See whether there is such a mailbox, and whether the server lets this machine or the user in SMTP_URL send to others.',
  );
}

/** A 4xx answer may be different in a few minutes, as with greylisting. */
const describeRefusal = (answer: string, says: string, remedy: string): Finding =>
  answer.startsWith('4') ? warning(says, `Try again in a few minutes. ${remedy}`) : fault(says, remedy);

const addressIn = (from: string) => (/<([^<>]+)>$/.exec(from)?.[1] ?? from).trim();

/** The server answers STARTTLS with 500 or 502 if it does not support it, with 454 if it is temporarily unable. */
function isTlsMissing(error: unknown): boolean {
  return error instanceof Error && 'command' in error && error.command === 'STARTTLS' && 'responseCode' in error;
}

const describeMissingTls = (host: string) =>
  fault(
    `${host} offers no TLS, and without it the password would be sent in clear text`,
    'Use smtps:// or a server with STARTTLS; or add ?ignoreTLS=true to SMTP_URL if no one can listen on the way.',
  );

function describeFailure(host: string, error: unknown): Finding {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = reasonOf(error);
  if (code === 'EAUTH') return fault(`${host} refuses the user or password`, 'Correct them in SMTP_URL.');
  if (code === 'ETLS' || /certificate|self.signed|ssl|tls|wrong version/i.test(reason)) {
    return fault(
      `${host} and this machine could not set up TLS: ${reason}`,
      'Use smtps:// for port 465 (TLS from the start), smtp:// for port 587 (STARTTLS), and a host name that is in ' +
        'the certificate.',
    );
  }
  if (/ENOTFOUND|EAI_AGAIN|EDNS/.test(`${code} ${reason}`)) {
    return fault(
      `${host} cannot be resolved: ${reason}`,
      'Correct the host in SMTP_URL, or the name server of this machine.',
    );
  }
  return fault(
    `${host} cannot be reached: ${reason}`,
    'Check host and port in SMTP_URL, and whether a firewall blocks the connection.',
  );
}

const sender: Check = {
  name: 'mail sender',
  settings: ['SMTP_URL', 'MAIL_FROM'],
  run: async ({ config: { SMTP_URL, MAIL_FROM } }) =>
    SMTP_URL !== undefined && /@localhost>?$/.test(MAIL_FROM)
      ? warning(
          'MAIL_FROM is an address at localhost, which most servers refuse',
          'Set MAIL_FROM to an address of your domain.',
        )
      : undefined,
};

export const mailChecks: readonly Check[] = [smtp, sender];
